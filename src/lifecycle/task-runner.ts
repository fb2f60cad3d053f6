// The edge towards the author's task functions: calls one under a time limit and turns whatever it does, also a throw or
// silence, into a report. The only module of this folder that waits.
import type { Json } from "../meta/object.ts";
import { sleep, type Clock } from "../ports/clock.ts";
import type { Duration } from "../ports/duration.ts";
import { toMilliseconds } from "../ports/duration.ts";
import { isOperatorError, messageOf, OperatorError } from "../ports/operator-error.ts";
import { sizeOf } from "./json-size.ts";
import type { TaskCall, TaskDefinition, TaskObservation } from "./task-definition.ts";
import type { TaskRecord } from "./task-record.ts";
import type { TaskEffect, TaskReport } from "./tasks.ts";
import { readFields, readJson, readText } from "./untrusted.ts";

/** What {@link createTaskRunner} needs. */
export interface TaskRunnerOptions<TContext> {
  readonly tasks: Readonly<Record<string, TaskDefinition<TContext>>>;
  /** What every task function is given besides the call. */
  readonly context: TContext;
  readonly clock: Clock;
  /** How long one call may take; default 10 s. A late answer is dropped: the next look finds what it did. */
  readonly timeLimit?: Duration;
}

/** Bytes that a handle may take in the status. */
export const largestHandle = 2_048;

/** Calls the author's task functions. No method rejects. */
export interface TaskRunner {
  /** Carries out an effect of a cycle, after its status was persisted. */
  run(effect: TaskEffect): Promise<TaskReport>;
  /** Looks at a task, before a cycle. */
  look(task: TaskRecord): Promise<TaskReport>;
}

/** Makes a runner for one cycle. */
export function createTaskRunner<TContext extends object>(options: TaskRunnerOptions<TContext>): TaskRunner {
  const limit = toMilliseconds(options.timeLimit ?? "10s");
  const definitionOf = ({ src }: TaskRecord): TaskDefinition<TContext> | undefined =>
    Object.hasOwn(options.tasks, src) ? options.tasks[src] : undefined;
  const contextOf = ({ key, attempt, handle, progress }: TaskRecord): TContext & TaskCall => ({
    ...options.context,
    key,
    attempt,
    handle,
    ...(progress === undefined ? {} : { progress }),
  });
  const call = <T>(what: string, act: () => Promise<T> | T): Promise<T> =>
    withinLimit(options.clock, limit, what, act);

  return {
    async run({ kind, task }) {
      const { key, src } = task;
      const definition = definitionOf(task);
      if (kind === "cancelTask") {
        try {
          await call(`cancelling ${src}`, () => definition?.cancel?.(contextOf(task)));
          return { key, kind: "cancelled" };
        } catch (error: unknown) {
          return { key, kind: "cancelFailed", message: messageOf(error) };
        }
      }
      try {
        if (definition === undefined) throw new Error(`no task is named "${src}"`);
        const handle = readJson(await call(`starting ${src}`, () => definition.start(contextOf(task))));
        if (definition.observe !== undefined) {
          // One that does not fit would keep the whole status from being written; the key is enough to find the work.
          const isKept = handle !== undefined && sizeOf(handle) <= largestHandle;
          return { key, kind: "started", ...(isKept ? { handle } : {}) };
        }
        const observation = {
          phase: "Succeeded",
          ...(handle === undefined ? {} : { output: handle }),
        } as const;
        return { key, kind: "observed", observation };
      } catch (error: unknown) {
        // Whether it was started is unknown: the next look tells, and the key is still the same.
        const kind = isUnanswered(error) ? "lookFailed" : "startFailed";
        return { key, kind, message: messageOf(error) };
      }
    },

    async look(task) {
      const { key, src } = task;
      const definition = definitionOf(task);
      // Without a way to look, nothing is known of it: starting again with the same key is the author's contract.
      if (definition?.observe === undefined)
        return { key, kind: "observed", observation: { phase: "NotFound" } };
      const { observe } = definition;
      try {
        const seen: unknown = await call(`looking at ${src}`, () => observe(contextOf(task)));
        const observation = readObservation(seen);
        if (observation !== undefined) return { key, kind: "observed", observation };
        return { key, kind: "lookFailed", message: `the look at ${src} returned no phase` };
      } catch (error: unknown) {
        return { key, kind: "lookFailed", message: messageOf(error) };
      }
    },
  };
}

/** A request whose answer was lost may have been carried out: another attempt, under another key, would be a second task. */
function isUnanswered(error: unknown): boolean {
  return ["TASK_CALL_TIMEOUT", "CONNECTION_FAILED", "REQUEST_TIMEOUT"].some((code) =>
    isOperatorError(error, code),
  );
}

async function withinLimit<T>(
  clock: Clock,
  limit: number,
  what: string,
  act: () => Promise<T> | T,
): Promise<T> {
  const abort = new AbortController();
  // Both are raced, and the loser must not reject unheard.
  const work = (async () => act())();
  const late = sleep(clock, limit, abort.signal).then((): T => {
    throw new OperatorError("TASK_CALL_TIMEOUT", `${what} took longer than ${limit} ms`, {
      remedy: "Return at once, and let the work go on by itself.",
    });
  });
  late.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    abort.abort();
  }
}

/** What an author's look says, if it says anything that makes sense. */
function readObservation(seen: unknown): TaskObservation | undefined {
  const fields = readFields(seen);
  if (fields === undefined) return undefined;
  const { progress } = fields;
  const message = readMessage(fields["message"]);
  const told = message === undefined ? {} : { message };
  switch (fields["phase"]) {
    case "Running":
      return {
        phase: "Running",
        ...(typeof progress === "number" && Number.isFinite(progress)
          ? { progress: Math.min(Math.max(progress, 0), 1) }
          : {}),
        ...told,
      };
    case "Succeeded": {
      const output: Json | undefined = readJson(fields["output"]);
      return { phase: "Succeeded", ...(output === undefined ? {} : { output }), ...told };
    }
    case "Failed":
      return {
        phase: "Failed",
        message: message ?? "it failed without a message",
        ...(fields["retry"] === false ? { retry: false } : {}),
      };
    case "NotFound":
      return { phase: "NotFound" };
    default:
      return undefined;
  }
}

/** What a message says, also one that is an error or no text at all; a long one is cut to what can be read back. */
function readMessage(message: unknown): string | undefined {
  if (message === undefined || message === null) return undefined;
  const told = typeof message === "string" ? message : (readFields(message)?.["message"] ?? asJson(message));
  return readText(String(told).slice(0, longestMessage));
}

const longestMessage = 512;

function asJson(value: unknown): string {
  const json = readJson(value);
  return json === undefined ? String(value) : JSON.stringify(json);
}
