// The machines that a module declares: exported ones, and the lifecycles of its kinds and of its operator.
import { isOperator } from "../../controller/declaration/define-operator.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { compileLifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import { completeGraph } from "../../lifecycle/graph/library-edges.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { readGraph, type MachineGraph } from "../../statechart/graph.ts";
import { isMachine } from "../../statechart/is-machine.ts";
import { isKind } from "../../kinds/is-kind.ts";
import type { LoadedModule } from "../load-module.ts";
import { UsageError } from "../usage-error.ts";

/** A machine, and the names by which it can be chosen. */
export interface DeclaredMachine {
  /** Export name or kind. */
  readonly name: string;
  readonly graph: MachineGraph;
}

/**
 * The machines of a module in the order of its exports; one that is exported and used by a kind is listed once. Complete:
 * each as a lifecycle that runs, with the edges that every lifecycle has.
 */
export function declaredMachines(
  { exports }: Pick<LoadedModule, "exports">,
  isComplete = false,
): readonly DeclaredMachine[] {
  const machines: DeclaredMachine[] = [];
  for (const [name, value] of Object.entries(exports)) {
    if (isMachine(value)) {
      const graph = isComplete ? completeGraph(compileLifecycle(value).chart.graph) : readGraph(value);
      machines.push({ name, graph });
    }
    for (const kind of kindsIn(value)) {
      const { lifecycle } = kind;
      if (lifecycle === undefined) continue;
      const graph = isComplete ? completeGraph(lifecycle.chart.graph) : lifecycle.index.graph;
      machines.push({ name: kind.kind, graph });
    }
  }
  return machines.filter(
    ({ graph }, index) => machines.findIndex((other) => other.graph.id === graph.id) === index,
  );
}

/**
 * The machine of that name, or the only one.
 *
 * **Errors**: `MACHINE_MISSING` when there is none; `USAGE` when there are several and no or another name is given.
 */
export function chooseMachine(
  machines: readonly DeclaredMachine[],
  file: string,
  name: string | undefined,
): DeclaredMachine {
  const [only, second] = machines;
  if (only === undefined) {
    throw new OperatorError("MACHINE_MISSING", `${file} has no machine, and no kind with a lifecycle`, {
      remedy:
        "Name a module that exports a machine (createMachine), a kind with a lifecycle, or an operator.",
    });
  }
  if (name === undefined && second === undefined) return only;
  const found = machines.find((machine) => machine.name === name || machine.graph.id === name);
  if (found !== undefined) return found;
  throw new UsageError(
    name === undefined ? `${file} has ${machines.length} machines` : `${file} has no machine "${name}"`,
    `Choose one with --machine: ${machines.map((machine) => machine.name).join(", ")}.`,
  );
}

function kindsIn(value: unknown): readonly Kind<KubeObject>[] {
  if (isOperator(value)) return value.controllers.map(({ kind }) => kind);
  return isKind(value) ? [value] : [];
}
