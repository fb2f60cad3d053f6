// Long asynchronous actions of an application, as an author declares them.
// The runtime persists the intent first, then calls `start`; a crash in between is found again by `observe`.
import type { Json } from "../../meta/object.ts";
import type { Permission } from "../../meta/permission.ts";
import { duration, optionsOf, required, whole } from "../../options/option-schemas.ts";
import type { Duration } from "../../ports/duration.ts";

/** What a task function is given, besides what every hook is given. */
export interface TaskCall<TInput = Json | undefined> {
  /**
   * What `invoke.input` came to when the state was entered: recorded with the task, and so the same for each attempt and after
   * a restart. Undefined for an invoke without one.
   */
  readonly input: TInput;
  /** What the machine remembers, as it was persisted before the call. */
  readonly context: Readonly<Record<string, Json>>;
  /**
   * The event by which the state was entered: its type, as guards and actions see it; `lifecycle.restore` where nobody knows it any
   * more. What it carried is passed on by `input`.
   */
  readonly event: { readonly type: string };
  /**
   * The idempotency key: the same for every call that belongs to one attempt of one state entry, also after a
   * restart; a valid Kubernetes object name of at most 52 characters.
   */
  readonly key: string;
  /**
   * Which entry of the state it belongs to: the same for each attempt. With the uid of the custom resource, it names what shall be
   * there once however often it is tried.
   */
  readonly entry: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Whether this attempt is known to have been started. False where `observe` is asked before: after a crash, or a start whose
   * answer was lost, something may run under the key, or nothing. Then a cache proves nothing that has not seen it yet: ask the
   * system itself, and return `NotFound` only when it has no trace of the key.
   */
  readonly started: boolean;
  /** What `start` returned, once it was recorded. */
  readonly handle: Json | undefined;
  /** How far an earlier look of this attempt has found it, 0 to 1; absent while none could tell. */
  readonly progress?: number;
}

/** What `compensate` is given in addition. */
export interface CompensationCall<TInput = Json | undefined> extends TaskCall<TInput> {
  /** The keys of the attempts, the last one last; of more than 16, the last 16. What one of them has left behind may be there. */
  readonly keys: readonly string[];
}

/** How far a task is, in units of its own: 3 of 5 tables. As a number it is the part that is done, 0 to 1. */
export interface TaskProgress {
  /** So many of them are done. */
  readonly done: number;
  /** Absent while nobody knows. */
  readonly total?: number;
  /** What is counted, for people: `tables copied`. */
  readonly what?: string;
}

/** What a look at a task says. */
export type TaskObservation =
  | { readonly phase: "Running"; readonly progress?: number | TaskProgress; readonly message?: string }
  | { readonly phase: "Succeeded"; readonly output?: Json; readonly message?: string }
  | {
      /** This attempt has ended; `retry` says whether there is another. */
      readonly phase: "Failed";
      /** Why, for people. */
      readonly message: string;
      /** False: do not retry. */ readonly retry?: boolean;
    }
  /** No trace of it: it was never started, or it vanished. */
  | { readonly phase: "NotFound" };

/**
 * A long action: started once per intent, observed until it ends, never awaited. `TInput` is what its invokes give it, as
 * `tasks` of the lifecycle's setup declares it.
 */
export interface TaskDefinition<TContext, TInput = Json | undefined> {
  /** Starts the work and returns soon; must be idempotent by `key`. What it returns is kept as the handle, if it takes 2 KiB or less. */
  readonly start: (context: TContext & TaskCall<TInput>) => Promise<Json | void> | Json | void;
  /** Looks at the work. Without it the task is done when `start` returns. */
  readonly observe?: (context: TContext & TaskCall<TInput>) => Promise<TaskObservation> | TaskObservation;
  /** Ends the work early: the state was left, or the deadline passed. Idempotent. */
  readonly cancel?: (context: TContext & TaskCall<TInput>) => Promise<void> | void;
  /**
   * Undoes what the task has left behind, once it has ended without success: its last attempt failed, its deadline passed, or
   * its state was left; after `cancel`, never after a success, and not between two attempts. Tried until it returns, and perhaps
   * called again after that: must be idempotent by `key`. A failure counts for the machine once it has returned.
   */
  readonly compensate?: (context: TContext & CompensationCall<TInput>) => Promise<void> | void;
  /** Wall-clock limit over all attempts; default none. */
  readonly timeout?: Duration;
  /** How often a failed attempt is tried again, and the first delay (doubling, at most 5 minutes); default 1 attempt. */
  readonly retry?: { readonly attempts: number; readonly delay?: Duration };
  /** How often `observe` is asked while it runs; default 2 s growing to 30 s. */
  readonly poll?: Duration;
  /** What its functions ask of the API server, for `generate rbac`; default nothing beside what the controller may. */
  readonly permissions?: readonly Permission[];
}

/** The form of what says how a task is tried: part of whatever declares one. */
export const taskPolicyShape = {
  timeout: duration.optional(),
  retry: optionsOf<Required<TaskDefinition<never>>["retry"]>()({
    attempts: required(whole(1), "Write how often it is tried."),
    delay: duration.optional(),
  }).optional(),
  poll: duration.optional(),
};
