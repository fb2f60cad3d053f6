// From an author's machine to what a cycle works with: graph, roles of states, desirable states, options made complete.
// Compiled once per kind; everything else in this folder takes the result.
import {
  furtherObservations,
  withHumanIntervention,
  type LifecycleMachine,
} from "../../../machines/lifecycle-machine.ts";
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { indexGraph, type GraphIndex } from "../../statechart/configuration.ts";
import { createStatechart, type Statechart, type StatechartContext } from "../../statechart/statechart.ts";
import { desiredStatesOf } from "./desired-states.ts";
import { graceOf } from "./grace.ts";
import { defaultSnapshotBudget } from "../values/json-size.ts";
import { authoredGraph, withLibraryEdges } from "./library-edges.ts";
import { compileMigration, type CompiledMigration, type Migrations } from "./migrate.ts";
import { desiredPath, type Renames, type DesirableStates } from "./rename.ts";
import { rolesOf, type Roles } from "./roles.ts";

/** What happens to a change of the spec while the application is in transition between two states. */
export type SpecEditPolicy =
  /** Each edit and each target gets its turn after the other. */
  | "queue"
  /** The last edit counts, once the transition is done. */
  | "coalesce"
  /** What is under way is cancelled and begins again with the new spec. */
  | "restart";

/** What a kind says of its lifecycle besides the machine. */
export interface LifecycleOptions {
  /**
   * Reads snapshots of other versions: see {@link Migrations}. Where no migration is known, the state is derived again from what
   * is observed; what a function throws is reported. A function must be pure: it is called in every cycle until one is
   * persisted. Default none.
   */
  readonly migrate?: Migrations;
  /**
   * States that have a new path since: old path to new path, also in several steps. A snapshot in a renamed state needs no
   * migration; a target for the old name goes on as a target for the new one, and the CRD still accepts it. Default none.
   */
  readonly renames?: Renames;
  /** The state that counts when nothing is desired; default the first stable one on the path from the initial state. */
  readonly defaultDesiredState?: string;
  /** Default `coalesce`. */
  readonly specEdits?: SpecEditPolicy;
  /** Bytes that `status.lifecycle` may take; default 8 KiB. */
  readonly snapshotBudget?: number;
}

/** A lifecycle, ready to be run. */
export interface Lifecycle {
  readonly id: string;
  readonly version: string;
  /** `id@version`. */
  readonly graphId: string;
  /** What runs: the author's graph with the edges that every lifecycle has. */
  readonly chart: Statechart;
  /** The author's graph, with its intervention state: what is planned with, checked and shown. */
  readonly index: GraphIndex;
  /** Path of the state in which a life begins. */
  readonly initial: string;
  /** Path of the state that a deletion leads to; absent when nothing ends. */
  readonly final?: string;
  /** All paths, history states left out, in document order. */
  readonly states: readonly string[];
  /** What each state is for. */
  readonly roles: Roles;
  /** Milliseconds that a state may take before the application counts as degraded, by path. */
  readonly grace: ReadonlyMap<string, number>;
  /** Paths that `spec.lifecycle.desiredState` accepts. */
  readonly desirable: readonly string[];
  /** Old names that may still be desired, and the path that each means now. */
  readonly aliases: Readonly<Record<string, string>>;
  /** The path that counts when nothing is desired. */
  readonly defaultDesiredState: string;
  /** Path of the state that waits for a person; absent when the machine's top states are parallel and none has the tag. */
  readonly intervention?: string;
  /** What is observed for people to read: words that the author has declared, and that no edge has to take. */
  readonly observations: ReadonlySet<string>;
  /** What the machine remembers at first; empty when that cannot be determined without a spec. */
  readonly initialContext: StatechartContext;
  readonly options: CompleteLifecycleOptions;
}

/** {@link LifecycleOptions} with every default filled in. */
interface CompleteLifecycleOptions {
  readonly migrate: CompiledMigration;
  readonly renames: Renames;
  readonly specEdits: SpecEditPolicy;
  /** Bytes. */
  readonly snapshotBudget: number;
}

/**
 * Compiles an author's machine.
 *
 * **Guarantees**: the author's machine is not changed; a missing intervention state is there.
 * **Caveats**: checks only what it must; `checkLifecycle` checks the rest.
 * **Errors**: `LIFECYCLE_INVALID` when XState refuses the configuration, `DURATION_INVALID`.
 */
export function compileLifecycle(machine: LifecycleMachine, options: LifecycleOptions = {}): Lifecycle {
  const chart = prepare(machine);
  const index = indexGraph(authoredGraph(chart.graph));
  const { graph } = index;
  const roles = rolesOf(index);
  const { end: final, interventionState: intervention } = roles;
  const version = graph.version ?? "1";
  const { desirable, defaultTarget } = desiredStatesOf({ index, roles }, options.defaultDesiredState);
  const { renames = {} } = options;
  return {
    id: graph.id,
    version,
    graphId: `${graph.id}@${version}`,
    chart,
    index,
    initial: graph.initial,
    ...(final === undefined ? {} : { final }),
    states: graph.nodes.filter((node) => node.type !== "history").map((node) => node.path),
    roles,
    grace: graceOf(index),
    desirable,
    aliases: aliasesOf({ index, roles, desirable }, renames),
    defaultDesiredState: defaultTarget,
    ...(intervention === undefined ? {} : { intervention }),
    observations: new Set(furtherObservations(machine)),
    initialContext: readInitialContext(chart),
    options: {
      migrate: compileMigration(options.migrate, version),
      renames,
      specEdits: options.specEdits ?? "coalesce",
      snapshotBudget: options.snapshotBudget ?? defaultSnapshotBudget,
    },
  };
}

function prepare(machine: LifecycleMachine): Statechart {
  try {
    return createStatechart(machine, (config) => withLibraryEdges(withHumanIntervention(config)));
  } catch (error: unknown) {
    throw new OperatorError(
      "LIFECYCLE_INVALID",
      `the lifecycle "${machine.id}" cannot be used: ${messageOf(error)}`,
      {
        cause: error,
        fields: { machine: machine.id },
        remedy: "Correct the machine; every target and every initial state must name a state of it.",
      },
    );
  }
}

function readInitialContext(chart: Statechart): StatechartContext {
  try {
    return chart.begin({ spec: {}, facts: {} }).position.context;
  } catch {
    // A guard on the initial path may need a real spec; a machine that never begins is reported by the first cycle.
    return {};
  }
}

function aliasesOf(states: DesirableStates, renames: Renames): Record<string, string> {
  const aliases = Object.keys(renames)
    .filter((name) => !states.index.nodes.has(name))
    .map((name) => [name, desiredPath(states, renames, name)] as const)
    .filter(([, path]) => states.desirable.includes(path));
  return Object.fromEntries(aliases);
}
