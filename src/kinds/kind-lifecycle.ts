// The lifecycle of a kind: the author's machine compiled, with what a kind's declaration and its CRD need of it.
// Fed by defineKind; read by crd.ts for the schema, the rules and the graph, and by controllers.
import type { NamesOf } from "../../machines/lifecycle-names.ts";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { assertLifecycle } from "../lifecycle/checks/check-lifecycle.ts";
import {
  compileLifecycle,
  type Lifecycle,
  type LifecycleOptions,
} from "../lifecycle/graph/compile-lifecycle.ts";
import type { Observation } from "../lifecycle/observation.ts";
import type { Problem } from "../ports/problem.ts";

/** A kind's lifecycle, ready to be run. */
export interface KindLifecycle extends Lifecycle {
  /** Names of the tasks that its states invoke, each once. */
  readonly taskNames: readonly string[];
  /** What the checks of its machine and its options have found; no error is among them. */
  readonly warnings: readonly Problem[];
}

/**
 * What an observer of a kind returns: `async function observe(…): Promise<ObservationOf<typeof Database>>`. A word that is no
 * state and that no edge takes is an error where it is written.
 */
export type ObservationOf<TKind> = Observation<NamesOf<TKind>["observed"]>;

/** Checks and compiles the lifecycle of a kind. Errors: `LIFECYCLE_INVALID`, with everything that is wrong with it. */
export function compileKindLifecycle(
  kind: string,
  machine: LifecycleMachine,
  options: LifecycleOptions,
): KindLifecycle {
  const warnings = assertLifecycle(machine, options, kind);
  const lifecycle = compileLifecycle(machine, options);
  const names = lifecycle.chart.graph.nodes.flatMap((node) => node.invokes.map(({ src }) => src));
  return { ...lifecycle, taskNames: [...new Set(names)], warnings };
}
