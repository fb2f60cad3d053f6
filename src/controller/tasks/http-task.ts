// A task of a service that is asked over HTTP to begin something, and then how far it is.
import type { Json, KubeObject } from "../../meta/object.ts";
import {
  taskPolicyShape,
  type CompensationCall,
  type TaskCall,
  type TaskDefinition,
  type TaskObservation,
} from "../../lifecycle/tasks/task-definition.ts";
import { refuseWrongOptions } from "../../options/option-problems.ts";
import { callable, having, optionsOf, required } from "../../options/option-schemas.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import {
  createHttpClient,
  type HttpAnswer,
  type HttpCall,
  type HttpClient,
} from "../../remote/http-client.ts";
import { isHttpError } from "../../remote/http-error.ts";
import { reportedPhase } from "./reported-phase.ts";

/** What the functions of an {@link httpTask} are given. */
type HttpTaskCall<TCR extends KubeObject, TInput> = HookContext<TCR> & TaskCall<TInput>;

/** A call that a task makes; its key and its signal are added. */
export type HttpTaskRequest = Omit<HttpCall, "signal" | "idempotencyKey">;

/** Options of {@link httpTask}. */
export interface HttpTaskOptions<TCR extends KubeObject, TInput = Json | undefined> extends Pick<
  TaskDefinition<never>,
  "timeout" | "retry" | "poll"
> {
  /** What the calls are made with; default a client without credentials. */
  readonly http?: HttpClient;
  /**
   * Asks the service to begin; a `POST` unless it says otherwise. The task's key goes along as `Idempotency-Key`, and the decoded
   * body of the answer is the `handle` of later calls.
   */
  readonly start: (call: HttpTaskCall<TCR, TInput>) => Promise<HttpTaskRequest> | HttpTaskRequest;
  /**
   * Asks how far the task is; an answer of 404 or 410 means that the service does not know it. Where this can be asked by the key
   * alone, an unanswered start is not repeated before the service has said that it knows nothing of it; undefined where it cannot
   * be asked without a handle. Default: the task is done once the service has accepted it.
   */
  readonly status?: (
    call: HttpTaskCall<TCR, TInput>,
  ) => Promise<HttpTaskRequest | undefined> | HttpTaskRequest | undefined;
  /** Makes an observation of the status' answer; default its body is one: `{ "phase": "Running", "progress": 0.4 }`. */
  readonly read?: (answer: HttpAnswer, call: HttpTaskCall<TCR, TInput>) => TaskObservation;
  /** Ends the task early; an answer of 404 or 410 is as good. Default no call is made. */
  readonly cancel?: (call: HttpTaskCall<TCR, TInput>) => Promise<HttpTaskRequest> | HttpTaskRequest;
  /** Undoes what it has left behind; see `compensate` of a task. Default nothing is undone. */
  readonly compensate?: (call: HttpTaskCall<TCR, TInput> & CompensationCall<TInput>) => Promise<void> | void;
}

const httpTaskOptions = optionsOf<HttpTaskOptions<KubeObject>>()({
  ...taskPolicyShape,
  http: having(["send"], "a client for services", "Make it by createHttpClient({ … }).").optional(),
  start: required(callable, 'Write start: ({ input }) => ({ url: "http://…", body: { … } }).'),
  status: callable.optional(),
  read: callable.optional(),
  cancel: callable.optional(),
  compensate: callable.optional(),
});

/**
 * A task that a service does, over HTTP.
 *
 * **Guarantees**: every call that begins it carries the same `Idempotency-Key`, so that a service which knows it begins once; what
 * was started is found again after a crash.
 * **Caveats**: a service that knows no idempotency keys begins twice where an answer was lost, unless `status` can be asked by
 * something that `start` has chosen.
 * **Errors**: `CONTROLLER_INVALID` for options that are unknown, missing or have a wrong form; in the task those of the client, and
 * `TASK_STATUS_UNREADABLE`.
 *
 * @example
 * tasks: {
 *   reindex: httpTask({
 *     start: ({ cr, key }) => ({ url: `http://${cr.metadata.name}.shop:8080/reindex`, body: { id: key } }),
 *     status: ({ cr, key }) => ({ url: `http://${cr.metadata.name}.shop:8080/reindex/${key}` }),
 *   }),
 * }
 */
export function httpTask<TCR extends KubeObject, TInput = Json | undefined>(
  options: HttpTaskOptions<TCR, TInput>,
): TaskDefinition<HookContext<TCR>, TInput> {
  refuseWrongOptions(httpTaskOptions, options, "httpTask", "CONTROLLER_INVALID");
  const { http = createHttpClient(), start, status, cancel, read, ...policy } = options;
  // As a header alone: what a start has come to is asked of `status` before it is sent again.
  const send = ({ signal, key }: HttpTaskCall<TCR, TInput>, request: HttpTaskRequest): Promise<HttpAnswer> =>
    http.send({ ...request, signal, headers: { "idempotency-key": key, ...request.headers } });
  return {
    ...policy,
    start: async (call) => {
      const request = await start(call);
      const { body } = await send(call, { method: "POST", ...request });
      return body as Json | undefined;
    },
    ...(status === undefined
      ? {}
      : {
          observe: async (call): Promise<TaskObservation> => {
            const request = await status(call);
            if (request === undefined) return { phase: "NotFound" };
            try {
              const answer = await send(call, request);
              return read === undefined ? reportedPhase(answer.body, request.url) : read(answer, call);
            } catch (error) {
              if (isGone(error)) return { phase: "NotFound" };
              throw error;
            }
          },
        }),
    ...(cancel === undefined
      ? {}
      : {
          cancel: async (call): Promise<void> => {
            try {
              await send(call, { method: "DELETE", ...(await cancel(call)) });
            } catch (error) {
              if (!isGone(error)) throw error;
            }
          },
        }),
  };
}

function isGone(error: unknown): boolean {
  return isHttpError(error, 404) || isHttpError(error, 410);
}
