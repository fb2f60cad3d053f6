// The state that the application should be in the application to be in: as asked for by the spec, and as recorded in the status.

/** What the spec asks for. */
export interface DesiredState {
  /** `spec.lifecycle.desiredState`; absent: the lifecycle's default. */
  readonly state?: string;
  /** `spec.lifecycle.request`: any text; a changed one asks for the same state again. */
  readonly request?: string;
}

/** One target and how far it is. */
export interface TargetRecord {
  /** The path of the desired state. */
  readonly state: string;
  /** The name by which the spec asks for it, where that is a former one. */
  readonly asked?: string;
  readonly request?: string;
  /** The generation in which it was first asked. */
  readonly generation: number;
  /** A stable state: the application is there now. A transient one: its work was done. */
  readonly reached: boolean;
  /** The desired transient state was entered for this target. */
  readonly entered?: boolean;
  /**
   * Why a target is given up although it is not reached: its work failed, a person ended it or the way to it, or its
   * record was lost, so that it may have been reached. A new request starts anew; so does `human.retry` after a failure.
   */
  readonly outcome?: "failed" | "aborted" | "lost";
  /** What made it, or the last try of the way there, fail; of one that a person ended: by which event. */
  readonly cause?: string;
  /** How often the way there has failed. */
  readonly failures?: number;
  /** After a failure, not before it the way is tried again: RFC 3339, UTC. */
  readonly notBefore?: string;
  /** Made by the deletion of the resource. */
  readonly deletion?: boolean;
  /** The deletion has led out of a dead end once; it does so only once. */
  readonly forced?: boolean;
  /** Targets that wait for the end of this one, under the policy `queue`. */
  readonly waiting?: readonly WaitingTarget[];
}

/** A target in the queue. */
export interface WaitingTarget {
  readonly state: string;
  readonly asked?: string;
  readonly request?: string;
  readonly generation: number;
}
