// The state that somebody wants the application to be in: as asked for by the spec, and as recorded in the status.

/** What the spec asks for. */
export interface AskedWish {
  /** `spec.lifecycle.desiredState`; absent: the lifecycle's default. */
  readonly state?: string;
  /** `spec.lifecycle.request`: any text; a changed one asks for the same state again. */
  readonly request?: string;
}

/** One wish and how far it is. */
export interface WishRecord {
  /** The path of the wished state. */
  readonly state: string;
  /** The name by which the spec asks for it, where that is a former one. */
  readonly asked?: string;
  readonly request?: string;
  /** The generation in which it was first asked. */
  readonly generation: number;
  /** A stable state: the application is there now. A transient one: its work was done. */
  readonly fulfilled: boolean;
  /** The wished transient state was entered for this wish. */
  readonly reached?: boolean;
  /**
   * Why a wish is given up although it is not fulfilled: its work failed, a person ended it or the way to it, or its
   * record was lost, so that it may have been fulfilled. A new request starts anew; so does `human.retry` after a failure.
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
  /** Wishes that wait for the end of this one, under the policy `queue`. */
  readonly waiting?: readonly WaitingWish[];
}

/** A wish in the queue. */
export interface WaitingWish {
  readonly state: string;
  readonly asked?: string;
  readonly request?: string;
  readonly generation: number;
}
