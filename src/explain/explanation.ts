// What is known of one object from the cluster alone, as plain data: made by explain.ts, printed by the command line.
import type { Child } from "../meta/child.ts";
import type { Condition } from "../meta/condition.ts";
import type { EdgeTaker } from "../lifecycle/graph/edge-taker.ts";
import type { RecentRun } from "../ports/recent-run.ts";

/** Everything that explains where one object is, and why. Instants are RFC 3339; durations are milliseconds. */
export interface Explanation {
  readonly object: ExplainedObject;
  /** Absent when the kind has no lifecycle, or no state was written yet. */
  readonly state?: ExplainedState;
  readonly paused?: { readonly at: string; readonly by?: string; readonly lasted: number };
  readonly target?: ExplainedTarget;
  /** The states that remain on the path to the target. */
  readonly plan: readonly string[];
  /** The edges out of the present state; the one that the plan takes next comes first. */
  readonly awaited: readonly AwaitedEdge[];
  readonly tasks: readonly ExplainedTask[];
  readonly timers: readonly ExplainedTimer[];
  readonly conditions: readonly Condition[];
  /** What keeps the object from going on, or from being gone. */
  readonly blockers: readonly Blocker[];
  /** The human events that are accepted now, without `human.`. */
  readonly accepted: readonly string[];
  readonly children: readonly Child[];
  /** The newest first. */
  readonly events: readonly ObjectEvent[];
  /** The last runs, newest first; absent when no operator was asked. */
  readonly runs?: readonly RecentRun[];
  /** Absent when nothing shares objects of its kind. */
  readonly replica?: ExplainedReplica;
  /** What the cluster cannot tell, or what could not be read. */
  readonly unknown: readonly string[];
}

/** Which replica of the operator has the object. */
export interface ExplainedReplica {
  /** The part of all objects that it belongs to. */
  readonly slot: number;
  /** Replicas that are alive. */
  readonly replicas: number;
  /** Who claims the part: nobody or two of them only while it is handed over. */
  readonly claims: readonly {
    readonly identity: string;
    /** `namespace/name` of the Lease in which it says so. */
    readonly lease: string;
  }[];
}

/** Who once had the kind: its Deployments on the cluster say that they have it no longer. */
export interface FormerOperator {
  readonly name: string;
  /** `namespace/name` of each. */
  readonly deployments: readonly string[];
}

/** Which object it is. */
export interface ExplainedObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly generation?: number;
  readonly age: number;
  /** Since when it is being deleted. */
  readonly deletingSince?: string;
}

/** Where it is. */
export interface ExplainedState {
  /** The active states, joined by commas. */
  readonly name: string;
  /** What the graph says about it. */
  readonly description?: string;
  readonly since?: string;
  readonly lasted?: number;
  /** The move that led here. */
  readonly last?: { readonly from?: string; readonly event: string; readonly cause: string };
  /** `id@version` of the graph that the operator works with. */
  readonly graph?: string;
}

/** What is desired. */
export interface ExplainedTarget {
  readonly state: string;
  readonly request?: string;
  /** A maintained state is kept; another is reached once. */
  readonly maintained: boolean;
  readonly reached: boolean;
  readonly outcome?: "failed" | "aborted" | "lost";
  /** What made it fail. */
  readonly cause?: string;
  /** The deletion of the object sets it. */
  readonly deletion: boolean;
  /** What the spec asks for and the operator has not taken up. */
  readonly asked?: { readonly state: string; readonly request?: string };
}

/** One edge that may be taken. */
export interface AwaitedEdge {
  readonly event: string;
  readonly guard?: string;
  readonly to: string;
  readonly taker: EdgeTaker;
  /** The plan takes it next. */
  readonly next: boolean;
  /** What makes it be taken, as a sentence. */
  readonly needs: string;
}

/** A long action. */
export interface ExplainedTask {
  readonly id: string;
  readonly src: string;
  readonly phase: string;
  readonly attempt: number;
  readonly progress?: number;
  readonly message?: string;
  /** Why it has failed, while that is not yet delivered to the machine. */
  readonly failure?: string;
  readonly startedAt?: string;
  readonly deadline?: string;
  /** Until the deadline; negative once it is over. */
  readonly remaining?: number;
  readonly nextAttempt?: string;
}

/** A durable timer that has not elapsed. */
export interface ExplainedTimer {
  readonly state: string;
  readonly delay: string;
  readonly due: string;
  /** Until it is due; negative once it is over. While paused it does not change. */
  readonly remaining: number;
}

/** What keeps the object from going on. */
export interface Blocker {
  readonly reason:
    | "NoOperator"
    | "Paused"
    | "NotObserved"
    | "OperatorBehind"
    | "NoReplica"
    | "ReconciliationFailed"
    | "ApplicationUnobservable"
    | "LifecycleProblem"
    | "CancelFailed"
    | "CompensateFailed"
    | "InterventionRequired"
    | "TargetBlocked"
    | "RetryLater"
    | "Finalizer"
    | "ChildFinalizer";
  /** What and why, as a sentence. */
  readonly message: string;
  /** What can be done about it. */
  readonly remedy?: string;
  /** The object that is held, when it is another one. */
  readonly child?: Pick<Child, "kind" | "namespace" | "name">;
  readonly finalizer?: string;
}

/** One Kubernetes Event about the object. */
export interface ObjectEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly lastSeen?: string;
  readonly from?: string;
}
