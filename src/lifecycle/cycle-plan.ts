// What one cycle is asked and what it answers: values only. The caller looks at the cluster before, and persists and acts
// after; cycle.ts decides in between.
import type { NewCondition } from "../meta/condition.ts";
import type { Health } from "../meta/health.ts";
import type { NamedAction } from "../statechart/statechart.ts";
import type { Lifecycle } from "./graph/compile-lifecycle.ts";
import type { Observation } from "./observation.ts";
import type { Problem } from "../ports/problem.ts";
import type { LifecycleStatus } from "./stored/snapshot.ts";
import type { TaskProgress } from "./tasks/task-definition.ts";
import type { TaskEnd } from "./tasks/task-ends.ts";
import type { TaskPolicy } from "./tasks/task-record.ts";
import type { TaskEffect, TaskReport } from "./tasks/task-report.ts";
import type { DesiredState } from "./targets/target-record.ts";

/** A human event that is asked for, by the annotation. */
export interface HumanRequest {
  /** Without the prefix `human.`. */
  readonly event: string;
  /** Tells this request from an earlier one with the same event, for instance the time at which the annotation was set. */
  readonly id: string;
  /** The field manager who set it. */
  readonly by?: string;
}

/** All that a cycle decides on. */
export interface CycleInput {
  readonly lifecycle: Lifecycle;
  readonly uid: string;
  /** Of the custom resource as it was read; undefined when nobody knows. */
  readonly resourceVersion?: string;
  readonly generation: number;
  /** Hash of the spec without `lifecycle`. */
  readonly specHash: string;
  /** For guards and actions. */
  readonly spec: Readonly<Record<string, unknown>>;
  readonly deleting: boolean;
  /** `status.lifecycle` as stored; untrusted. */
  readonly status: unknown;
  /** `status.conditions` as stored; untrusted. */
  readonly conditions: readonly NewCondition[] | undefined;
  /** Names of the objects that the resource controls: they tell of tasks whose records are lost. */
  readonly children?: readonly string[];
  readonly desired: DesiredState;
  readonly human?: HumanRequest;
  /** Id of the request whose annotation was removed since the last cycle; lost in a crash. */
  readonly removedHuman?: string;
  /** What the observer saw; absent when there is no observer or it failed. */
  readonly observation?: Observation;
  /** Why the observer failed. */
  readonly observationError?: string;
  readonly policies: Readonly<Record<string, TaskPolicy>>;
  /** What became of the calls made for the tasks since the last cycle, and of the looks made for this one. */
  readonly reports: readonly TaskReport[];
  /** How far the pods of owned workloads are that are being replaced; absent while none are. */
  readonly rollout?: TaskProgress;
  /** Milliseconds between two looks at a settled application; 0 for never. */
  readonly observationPoll: number;
  /** The situations that the cycles before this one in the same run have led to; default none. */
  readonly passed?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * What is to be done once the status is persisted, in this order, but for tasks that are started: those come last. A task whose start a crash has prevented is found and
 * started later; an action is done at most once, and is lost with a crash.
 */
export type CycleEffect = TaskEffect | { readonly kind: "runAction"; readonly action: NamedAction };

/** What was decided about a human event; the annotation is removed either way. */
export interface HumanDecision {
  readonly event: string;
  readonly accepted: boolean;
  readonly message: string;
  /** It was accepted as the operator's own pause or resume; it is not delivered to the machine. */
  readonly control?: "pause" | "resume";
  /** The same request as the recorded one: the annotation was still there. */
  readonly repeated?: boolean;
}

/** A Kubernetes Event to publish. */
export interface PendingEvent {
  readonly type: "Normal" | "Warning";
  /** One PascalCase word. */
  readonly reason: string;
  readonly message: string;
}

/** A state change. */
export interface Moved {
  /** Absent for the first state of a life. */
  readonly from?: string;
  readonly to: string;
  /** The machine event, in the author's words. */
  readonly event: string;
  readonly cause: string;
  /** The edge of the library that was taken, or how the state was entered without one; absent for an edge of the author. */
  readonly through?: string;
}

/** What one cycle decided. */
export interface CyclePlan {
  /** The new `status.lifecycle`; undefined: leave the stored one as it is. */
  readonly status: LifecycleStatus | undefined;
  readonly condition: NewCondition;
  /** What `Ready`, `Reconciling`, `Stalled` and `Degraded` say; while it is paused, they stay as they are stored. */
  readonly health: Health;
  /** One condition per active region of the graph's parallel states; those of other regions are to be removed. */
  readonly regions: readonly NewCondition[];
  /** The condition `Paused`; absent while it is not: then it is to be removed. */
  readonly pause?: NewCondition;
  /** The condition `LifecycleProblem`; absent when nothing is wrong: then it is to be removed. */
  readonly problem?: NewCondition;
  readonly moved?: Moved;
  /**
   * What the state means for the application: in the initial one it is created, in the last one deleted, in between
   * updated. Set in every cycle, so that one that failed or was interrupted is retried; `none` while nothing may be done.
   */
  readonly operation: "create" | "update" | "delete" | "none";
  readonly effects: readonly CycleEffect[];
  /** Attempts of tasks that the cycle has ended; absent for none. */
  readonly taskEnds?: readonly TaskEnd[];
  /** Milliseconds; 0: at once; undefined: nothing is waited for. */
  readonly requeueAfter?: number;
  readonly pendingEvents: readonly PendingEvent[];
  readonly problems: readonly Problem[];
  readonly human?: HumanDecision;
  /** The application is at its end and no task of it is left: a finalizer may go. */
  readonly ended: boolean;
  /**
   * Where the move has led, if nothing hangs on it: no effect, no human event, not the end. Then the next cycle may follow before
   * this one is persisted, and is given it among the {@link CycleInput.passed}.
   */
  readonly passing?: string;
  /** It is passed through to rest where it is: the next cycle decides the same, unless something else is observed or asked. */
  readonly rests?: true;
}
