// From an author's machine to what a cycle works with: graph, kinds of states, wishable states, options made complete.
// Compiled once per kind; everything else in this folder takes the result.
import {
  humanIntervention,
  withHumanIntervention,
  type LifecycleMachine,
} from "../../machines/lifecycle-machine.ts";
import type { Json } from "../meta/object.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { toMilliseconds, type Duration } from "../ports/duration.ts";
import type { GraphIndex } from "../statechart/configuration.ts";
import { createStatechart, type Statechart, type StatechartContext } from "../statechart/statechart.ts";
import { defaultWish, finalState, transientStates, wishableStates } from "./classify.ts";
import { defaultSnapshotBudget } from "./snapshot.ts";

/** What a migration is given and returns: the snapshot's portable part. */
export interface MigratedSnapshot {
  /** The active states: paths joined by commas. */
  readonly value: string;
  readonly context: Readonly<Record<string, Json>>;
}

/** What happens to a change of the spec while the application is on its way between two states. */
export type SpecEditPolicy =
  /** Each edit and each wish gets its turn after the other. */
  | "queue"
  /** The last edit counts, once the way is done. */
  | "coalesce"
  /** What is under way is cancelled and begins again with the new spec. */
  | "restart";

/** Options of {@link compileLifecycle}. */
export interface LifecycleOptions {
  /**
   * From the version that wrote a snapshot to the present one: a function for each old version, or one for all that is
   * told the version. Where it returns nothing the state is derived anew; what it throws is reported.
   */
  readonly migrate?:
    | Readonly<Record<string, (old: MigratedSnapshot) => MigratedSnapshot>>
    | ((old: MigratedSnapshot, from: string) => MigratedSnapshot | undefined);
  /** States that have a new path since: old path to new path. */
  readonly renames?: Readonly<Record<string, string>>;
  /** The state wished when nobody wishes; default the first stable one on the way from the initial state. */
  readonly defaultWish?: string;
  /** Default `coalesce`. */
  readonly specEdits?: SpecEditPolicy;
  /** Bytes that `status.lifecycle` may take; default 8 KiB. */
  readonly snapshotBudget?: number;
  /** How often a settled application is looked at; default 1 minute, 0 for never. */
  readonly observationPoll?: Duration;
}

/** A lifecycle, ready to be run. */
export interface Lifecycle {
  readonly id: string;
  readonly version: string;
  /** `id@version`. */
  readonly graphId: string;
  readonly chart: Statechart;
  readonly index: GraphIndex;
  /** Path of the state in which a life begins. */
  readonly initial: string;
  /** Path of the state that a deletion wishes; absent when nothing ends. */
  readonly final?: string;
  /** All paths, history states left out, in document order. */
  readonly states: readonly string[];
  /** Paths of the states that are left by themselves. */
  readonly transient: ReadonlySet<string>;
  /** Paths that `spec.lifecycle.desiredState` accepts. */
  readonly wishable: readonly string[];
  /** The path wished when nobody wishes. */
  readonly defaultWish: string;
  /** `HumanIntervention`, unless the machine's top states are parallel. */
  readonly intervention?: string;
  /** What the machine remembers at first; empty when that cannot be told without a spec. */
  readonly initialContext: StatechartContext;
  readonly options: CompleteLifecycleOptions;
}

/** {@link LifecycleOptions} with every default filled in. */
interface CompleteLifecycleOptions {
  /** Undefined where no migration from this version is known. */
  readonly migrate: (old: MigratedSnapshot, from: string) => unknown;
  readonly renames: Readonly<Record<string, string>>;
  readonly specEdits: SpecEditPolicy;
  /** Bytes. */
  readonly snapshotBudget: number;
  /** Milliseconds. */
  readonly observationPoll: number;
}

/**
 * Compiles an author's machine.
 *
 * **Guarantees**: the author's machine is not changed; a missing `HumanIntervention` state is there.
 * **Caveats**: checks only what it must; `checkLifecycle` looks at the rest.
 * **Errors**: `LIFECYCLE_INVALID` when XState refuses the configuration, `DURATION_INVALID`.
 */
export function compileLifecycle(machine: LifecycleMachine, options: LifecycleOptions = {}): Lifecycle {
  const chart = prepare(machine);
  const { index, graph } = chart;
  const transient = transientStates(index);
  const final = finalState(index);
  const version = graph.version ?? "1";
  return {
    id: graph.id,
    version,
    graphId: `${graph.id}@${version}`,
    chart,
    index,
    initial: graph.initial,
    ...(final === undefined ? {} : { final }),
    states: graph.nodes.filter((node) => node.type !== "history").map((node) => node.path),
    transient,
    wishable: wishableStates(index, transient),
    defaultWish: options.defaultWish ?? defaultWish(index, transient),
    ...(index.nodes.has(humanIntervention) ? { intervention: humanIntervention } : {}),
    initialContext: readInitialContext(chart),
    options: {
      migrate: toMigration(options.migrate),
      renames: options.renames ?? {},
      specEdits: options.specEdits ?? "coalesce",
      snapshotBudget: options.snapshotBudget ?? defaultSnapshotBudget,
      observationPoll: toMilliseconds(options.observationPoll ?? "1m"),
    },
  };
}

function prepare(machine: LifecycleMachine): Statechart {
  try {
    return createStatechart(machine, withHumanIntervention);
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
    // A guard on the way in may need a real spec; a machine that never begins is told by the first cycle.
    return {};
  }
}

function toMigration(migrate: LifecycleOptions["migrate"]): CompleteLifecycleOptions["migrate"] {
  if (typeof migrate === "function") return migrate;
  return (old, from) =>
    migrate !== undefined && Object.hasOwn(migrate, from) ? migrate[from]?.(old) : undefined;
}
