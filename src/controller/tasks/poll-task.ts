// A task of a service that is asked to begin something, and then how far it is.
import type { Json, KubeObject } from "../../meta/object.ts";
import {
  taskPolicyShape,
  type CompensationCall,
  type TaskCall,
  type TaskDefinition,
  type TaskObservation,
} from "../../lifecycle/tasks/task-definition.ts";
import { refuseWrongOptions } from "../../options/option-problems.ts";
import { callable, duration, optionsOf, required } from "../../options/option-schemas.ts";
import type { Duration } from "../../ports/duration.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";

/** What the functions of a {@link pollTask} are given. */
type PollTaskCall<TCR extends KubeObject, TInput> = HookContext<TCR> & TaskCall<TInput>;

/** How far the service is: whether it is done, or more. What was started is there: `NotFound` means that it is lost. */
export type Polled = boolean | TaskObservation;

/** Options of {@link pollTask}. */
export interface PollTaskOptions<TCR extends KubeObject, TInput = Json | undefined> extends Pick<
  TaskDefinition<never>,
  "timeout" | "retry"
> {
  /**
   * Asks the service to begin. It must know the `key`, or accept the same one twice: a call whose answer was lost is made
   * again. What it returns is the `handle` of later calls.
   */
  readonly start: (call: PollTaskCall<TCR, TInput>) => Promise<Json | void> | Json | void;
  /** Asks how far it is; called only after `start` has returned. What it throws is reported, and it is called again. */
  readonly poll: (call: PollTaskCall<TCR, TInput>) => Promise<Polled> | Polled;
  /** Between two calls of `poll`: 2 s, growing to this; default 30 s. */
  readonly interval?: Duration;
  /** Ends it early. Idempotent. Default nothing. */
  readonly cancel?: (call: PollTaskCall<TCR, TInput>) => Promise<void> | void;
  /** Undoes what it has left behind; see `compensate` of a task. Default nothing. */
  readonly compensate?: (call: PollTaskCall<TCR, TInput> & CompensationCall<TInput>) => Promise<void> | void;
}

const { timeout, retry } = taskPolicyShape;

const pollTaskOptions = optionsOf<PollTaskOptions<KubeObject>>()({
  timeout,
  retry,
  start: required(callable, "Write start: ({ key, input }) => …: asks the service to begin."),
  poll: required(callable, "Write poll: ({ handle }) => …: whether it is done."),
  interval: duration.optional(),
  cancel: callable.optional(),
  compensate: callable.optional(),
});

/**
 * A task that asks a service to begin something under the task's key, and then asks it how far it is until it is done.
 *
 * **Guarantees**: `poll` is asked only of what was started. After a crash between a start and its record, and when the answer
 * to a start was lost, `start` is called again with the same key.
 * **Errors**: `CONTROLLER_INVALID` for options that are unknown, missing or have a wrong form.
 *
 * @example
 * tasks: { rebalance: pollTask({ start: ({ key }) => service.begin(key), poll: ({ key }) => service.isDone(key), interval: "10s" }) }
 */
export function pollTask<TCR extends KubeObject, TInput = Json | undefined>(
  options: PollTaskOptions<TCR, TInput>,
): TaskDefinition<HookContext<TCR>, TInput> {
  refuseWrongOptions(pollTaskOptions, options, "pollTask", "CONTROLLER_INVALID");
  const { poll, interval, ...rest } = options;
  return {
    ...rest,
    ...(interval === undefined ? {} : { poll: interval }),
    observe: async (call) => {
      // Whether a start that nobody knows of has begun anything, the service sorts out by the key.
      if (!call.started) return { phase: "NotFound" };
      const polled = await poll(call);
      if (typeof polled !== "boolean") return polled;
      return { phase: polled ? "Succeeded" : "Running" };
    },
  };
}
