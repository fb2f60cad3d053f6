// The state that the application should be in the application to be in: as asked for by the spec, and as recorded in the status.
import { z } from "zod";
import { count, flag, instant, text, type Stored } from "../values/stored-values.ts";

/** What the spec asks for. */
export interface DesiredState {
  /** `spec.lifecycle.desiredState`; absent: the lifecycle's default. */
  readonly state?: string;
  /** `spec.lifecycle.request`: any text; a changed one asks for the same state again. */
  readonly request?: string;
}

/** The schema of {@link WaitingTarget}. */
const waitingTarget = z.object({
  /** The path of the desired state. */
  state: text,
  /** The name by which the spec asks for it, where that is a former one. */
  asked: text.exactOptional(),
  request: z.string().exactOptional(),
  /** The generation in which it was first asked. */
  generation: count,
});

/** A target in the queue. */
export type WaitingTarget = Stored<typeof waitingTarget>;

/** The schema of {@link TargetRecord}. */
export const targetRecord = waitingTarget.extend({
  /** A stable state: the application is there now. A transient one: its work was done. */
  reached: flag,
  /** The desired transient state was entered for this target. */
  entered: flag.exactOptional(),
  /**
   * Why a target is given up although it is not reached: its work failed, a person ended it or the path to it, or its
   * record was lost, so that it may have been reached. A new request starts again; so does, after a failure, a human event that leads on.
   */
  outcome: z.enum(["failed", "aborted", "lost"]).exactOptional(),
  /** What made it, or the last try of the path to it, fail; of one that a person ended: by which event. */
  cause: text.exactOptional(),
  /** How often the path to it has failed. */
  failures: count.exactOptional(),
  /** After a failure, the path is not tried again before it. */
  notBefore: instant.exactOptional(),
  /** Made by the deletion of the resource. */
  deletion: flag.exactOptional(),
  /** The deletion has led out of a dead end once; it does so only once. */
  forced: flag.exactOptional(),
  /** The namespace is being deleted, so that a task failed: the path is not tried again, and a deletion ends the lifecycle. */
  namespaceGoing: flag.exactOptional(),
  /** Targets that wait for the end of this one, under the policy `queue`. */
  waiting: z.array(waitingTarget).exactOptional(),
});

/** One target and how far it is. */
export type TargetRecord = Stored<typeof targetRecord>;
