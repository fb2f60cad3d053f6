// The edge towards the author's task functions: calls one under a time limit and turns whatever it does, also a throw or
// silence, into a report. The only module of this folder that waits.
import type { Json } from "../../meta/object.ts";
import type { Clock } from "../../ports/clock.ts";
import { withinLimits } from "../../ports/deadline.ts";
import type { Duration } from "../../ports/duration.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import { isOperatorError, messageOf, OperatorError } from "../../ports/operator-error.ts";
import { shown } from "../../ports/shown.ts";
import { actorEvents } from "../graph/library-edges.ts";
import { Looks, wasCutShort } from "./looks.ts";
import { isNamespaceGoing, mayHaveHappened, triesLater } from "./call-errors.ts";
import { sizeOf } from "../values/json-size.ts";
import type {
  CompensationCall,
  TaskCall,
  TaskDefinition,
  TaskObservation,
  TaskProgress,
} from "./task-definition.ts";
import type { TaskHook, TaskRecord } from "./task-record.ts";
import type { TaskEffect, TaskReport } from "./task-report.ts";
import { readFields, readJson, readText } from "../values/untrusted.ts";

/** What {@link createTaskRunner} needs. */
export interface TaskRunnerOptions<TContext> {
  readonly tasks: Readonly<Record<string, TaskDefinition<TContext>>>;
  /** What every task function is given besides the call. */
  readonly context: TContext;
  readonly clock: Clock;
  /** How long one call may take; default 10 s. Then its signal is aborted; the late answer of a look is dropped. */
  readonly timeLimit?: Duration;
  /** Aborts every call; each is given a signal of its own. Default never. */
  readonly signal?: AbortSignal;
  /** The starts that have not returned, by key: they outlive the cycle. Default those of this runner. */
  readonly starts?: OpenStarts;
  /** The looks at this resource, which may outlive the cycle. Default those of this runner. */
  readonly looks?: Looks;
  /** Receives what a function has thrown, with its name as `tasks.backUp.start`; default nobody. */
  readonly onThrown?: (hook: string, error: unknown) => void;
}

/** A call of `start` that has not returned in time. */
interface OpenStart {
  readonly since: number;
  /** What became of it in the end. */
  report?: TaskReport;
}

/** Calls of `start` by the task's key: none is made while another one for the same intent is under way. */
export type OpenStarts = Map<string, OpenStart>;

/** Bytes that a handle may take in the status. */
export const largestHandle = 2_048;

/** What the machine remembers, as it is persisted. */
export type Remembered = TaskCall["context"];

/** A task, and what its functions are given besides its record. */
interface Called {
  readonly task: TaskRecord;
  readonly remembered: Remembered;
}

/** Calls the author's task functions. No method rejects. */
export interface TaskRunner {
  /** Carries out an effect of a cycle, after its status was persisted with this context of the machine. */
  run(effect: TaskEffect, remembered?: Remembered): Promise<TaskReport>;
  /** Looks at a task, before a cycle. */
  look(task: TaskRecord, remembered?: Remembered): Promise<TaskReport>;
}

/** Makes a runner for one cycle. */
export function createTaskRunner<TContext extends object>(options: TaskRunnerOptions<TContext>): TaskRunner {
  const limit = toMilliseconds(options.timeLimit ?? "10s");
  const definitionOf = ({ src }: TaskRecord): TaskDefinition<TContext> | undefined =>
    Object.hasOwn(options.tasks, src) ? options.tasks[src] : undefined;
  const { clock, starts = new Map(), looks = new Looks() } = options;
  const contextOf = (
    {
      task: { input, event = actorEvents.restore, key, entry, attempt, phase, handle, progress },
      remembered,
    }: Called,
    signal: AbortSignal,
  ): TContext & TaskCall => ({
    ...options.context,
    ...(options.signal === undefined ? {} : { signal }),
    input,
    context: remembered,
    event: { type: event },
    key,
    entry,
    attempt,
    started: phase !== "Intended",
    handle,
    ...(progress === undefined ? {} : { progress }),
  });
  const compensationOf = (called: Called, signal: AbortSignal): TContext & CompensationCall => ({
    ...contextOf(called, signal),
    keys: [...(called.task.earlier ?? []), called.task.key],
  });
  const limits = { clock, signals: [options.signal], timeout: limit, late: () => tookTooLong(limit) };
  const call = <T>(act: (signal: AbortSignal) => Promise<T> | T): Promise<T> => withinLimits(limits, act);
  /** What is reported of a call that threw. */
  const noAnswer = (
    { key }: TaskRecord,
    hook: TaskHook,
    since: number,
    error: unknown,
  ): TaskReport | undefined => {
    if (isOperatorError(error, "TASK_CALL_TIMEOUT")) return { key, kind: "unanswered", hook, since };
    return mayHaveHappened(error)
      ? { key, kind: "unanswered", hook, since, error: messageOf(error) }
      : undefined;
  };

  async function start(called: Called): Promise<TaskReport> {
    const { task } = called;
    const { key, src } = task;
    const definition = definitionOf(task);
    if (definition === undefined) {
      return { key, kind: "startFailed", message: `no task is named "${src}"` };
    }
    const open = starts.get(key);
    if (open !== undefined) return lateReport(open, key) ?? hanging(key, open);
    const begun: OpenStart = { since: clock.now() };
    if (options.signal?.aborted === true) return hanging(key, begun);
    starts.set(key, begun);
    const work = async (signal: AbortSignal): Promise<TaskReport> => {
      begun.report = await startedBy(definition, called, { signal, begun });
      return begun.report;
    };
    try {
      const report = await call(work);
      starts.delete(key);
      return report;
    } catch {
      // It goes on by itself: nobody knows yet what it does.
      return hanging(key, begun);
    }
  }

  /** What a start comes to, however long it takes. */
  async function startedBy(
    definition: TaskDefinition<TContext>,
    called: Called,
    { signal, begun }: { readonly signal: AbortSignal; readonly begun: OpenStart },
  ): Promise<TaskReport> {
    const { task } = called;
    const { key } = task;
    try {
      const result = readJson(await definition.start(contextOf(called, signal)));
      return startedReport(key, result, definition.observe !== undefined);
    } catch (error: unknown) {
      // Cut off by us: an abort says nothing about what it has done.
      if (signal.aborted) return hanging(key, begun);
      options.onThrown?.(`tasks.${task.src}.start`, error);
      const message = messageOf(error);
      const later = triesLater(error);
      if (later !== undefined) return { key, kind: "startLater", message, ...later };
      if (isNamespaceGoing(error)) return { key, kind: "startFailed", message, namespaceGoing: true };
      return noAnswer(task, "start", begun.since, error) ?? { key, kind: "startFailed", message };
    }
  }

  function lateReport(open: OpenStart, key: string): TaskReport | undefined {
    if (open.report !== undefined) starts.delete(key);
    return open.report;
  }

  return {
    async run({ kind, task }, remembered = {}) {
      const called = { task, remembered };
      if (kind === "startTask") return start(called);
      const { key } = task;
      const hook = kind === "cancelTask" ? "cancel" : "compensate";
      const since = clock.now();
      try {
        await call((signal) =>
          hook === "cancel"
            ? definitionOf(task)?.cancel?.(contextOf(called, signal))
            : definitionOf(task)?.compensate?.(compensationOf(called, signal)),
        );
        return { key, kind: hook === "cancel" ? "cancelled" : "compensated" };
      } catch (error: unknown) {
        options.onThrown?.(`tasks.${task.src}.${hook}`, error);
        const message = messageOf(error);
        return noAnswer(task, hook, since, error) ?? { key, kind: `${hook}Failed`, message };
      }
    },

    async look(task, remembered = {}) {
      const { key, src } = task;
      const observe = definitionOf(task)?.observe;
      const open = starts.get(key);
      const late = open === undefined ? undefined : lateReport(open, key);
      // The end of a start that was too late counts, unless a look has found its work already.
      if (late !== undefined && task.phase === "Intended") return late;
      const absent: TaskReport =
        open === undefined || late !== undefined
          ? { key, kind: "observed", observation: { phase: "NotFound" } }
          : hanging(key, open);
      // One that this operator does not have may run all the same.
      if (definitionOf(task) === undefined) {
        return { key, kind: "lookFailed", message: `no task is named "${src}"` };
      }
      // Without a way to look, nothing is known of it: starting again with the same key is the author's contract.
      if (observe === undefined) return absent;
      const since = clock.now();
      try {
        const seen: unknown = await looks.within(`task ${key}`, limits, ({ signal }) =>
          observe(contextOf({ task, remembered }, signal)),
        );
        const observation = readObservation(seen);
        if (observation?.phase === "NotFound") return absent;
        if (observation !== undefined) return { key, kind: "observed", observation };
        const message = `observe of the task ${src} returned ${describePhase(seen)}; ${expectedPhase}`;
        return { key, kind: "lookFailed", message };
      } catch (error: unknown) {
        if (isOperatorError(error, "TASK_CALL_TIMEOUT") || wasCutShort(error)) {
          return { key, kind: "unanswered", hook: "observe", since };
        }
        options.onThrown?.(`tasks.${src}.observe`, error);
        return { key, kind: "lookFailed", message: messageOf(error) };
      }
    },
  };
}

function hanging(key: string, { since }: OpenStart): TaskReport {
  return { key, kind: "unanswered", hook: "start", since };
}

/** What a start has come to; without a look, that was all of it. */
function startedReport(key: string, result: Json | undefined, isObserved: boolean): TaskReport {
  if (isObserved) {
    // One that does not fit would keep the whole status from being written; the key is enough to find the work.
    const isKept = result !== undefined && sizeOf(result) <= largestHandle;
    return { key, kind: "started", ...(isKept ? { handle: result } : {}) };
  }
  const observation = { phase: "Succeeded", ...(result === undefined ? {} : { output: result }) } as const;
  return { key, kind: "observed", observation };
}

function tookTooLong(limit: number): OperatorError {
  return new OperatorError("TASK_CALL_TIMEOUT", `it took longer than ${limit} ms`, {
    remedy: "Return at once, and let the work continue in the background.",
  });
}

/** What an author's look says, if it says anything that makes sense. */
function readObservation(seen: unknown): TaskObservation | undefined {
  const fields = readFields(seen);
  if (fields === undefined) return undefined;
  const { progress } = fields;
  const message = readMessage(fields["message"]);
  const reported = message === undefined ? {} : { message };
  switch (fields["phase"]) {
    case "Running":
      return {
        phase: "Running",
        ...readProgress(progress),
        ...reported,
      };
    case "Succeeded": {
      const output: Json | undefined = readJson(fields["output"]);
      return { phase: "Succeeded", ...(output === undefined ? {} : { output }), ...reported };
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

/** What an author says of how far it is, as far as it makes sense: numbers from 0, and no total that is passed. */
function readProgress(progress: unknown): { readonly progress?: number | TaskProgress } {
  if (typeof progress === "number") {
    return Number.isFinite(progress) ? { progress: Math.min(Math.max(progress, 0), 1) } : {};
  }
  const { done, total, what } = readFields(progress) ?? {};
  if (!isAmount(done)) return {};
  const counted = readMessage(what);
  return {
    progress: {
      done,
      ...(isAmount(total) ? { total: Math.max(total, done) } : {}),
      ...(counted === undefined ? {} : { what: counted }),
    },
  };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

const expectedPhase =
  'it must return an object with the phase "Running", "Succeeded", "Failed" or "NotFound"';

/** What an author's function returned in place of an observation. */
function describePhase(seen: unknown): string {
  const phase = readFields(seen)?.["phase"];
  if (phase !== undefined) return `the phase ${shown(phase)}`;
  return typeof seen === "object" && seen !== null && !Array.isArray(seen)
    ? "an object without a phase"
    : shown(seen);
}

/** What a message says, also one that is an error or no text at all; a long one is cut to what can be read back. */
function readMessage(message: unknown): string | undefined {
  if (message === undefined || message === null) return undefined;
  if (typeof message === "string") return readText(message.slice(0, longestMessage));
  const inner = readFields(message)?.["message"];
  return readText((typeof inner === "string" ? inner : asJson(message)).slice(0, longestMessage));
}

const longestMessage = 512;

function asJson(value: unknown): string {
  const json = readJson(value);
  return json === undefined ? String(value) : JSON.stringify(json);
}
