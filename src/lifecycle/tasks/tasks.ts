// The states of long actions, as pure steps over their records: what a report changes, what entering and leaving states
// changes, what must be done afterwards. Effects are returned, and carried out only once the records are persisted.
import { isAscending } from "../../collections/ascending.ts";
import type { Json } from "../../meta/object.ts";
import { backoffDelay } from "../../ports/backoff.ts";
import { activeStates, keptByLeaves, type Leaves } from "../../statechart/configuration.ts";
import type { GraphInvoke } from "../../statechart/graph.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import type { TaskObservation } from "./task-definition.ts";
import { taskKeyOf } from "./task-key.ts";
import {
  ended,
  givenTo,
  isDue,
  keptElsewhere,
  longestRetryDelay,
  policyOf,
  type TaskRecord,
  type TaskWorld,
} from "./task-record.ts";
import { progressAfter } from "./task-progress.ts";
import { answered, unanswered, type TaskEffect, type TaskReport } from "./task-report.ts";
import {
  afterEnding,
  endEffects,
  isCompensated,
  isEnding,
  isLeft,
  leave,
  toCancelling,
  toCompensating,
  toFailed,
  toLate,
} from "./unsuccessful-end.ts";
import { formatInstant, readInstant } from "../values/untrusted.ts";

/** Records by invoke id; one that is being ended because its state was left is kept under its key. */
export type Tasks = Readonly<Record<string, TaskRecord>>;

/** Records and what is to be done. */
export interface TaskStep {
  readonly tasks: Tasks;
  readonly effects: readonly TaskEffect[];
}

/** The tasks that active states ask for. */
export function activeInvokes({ index }: Lifecycle, leaves: Leaves): readonly GraphInvoke[] {
  return invokesAt(index, leaves);
}

const invokesAt = keptByLeaves((index, leaves): readonly GraphInvoke[] =>
  activeStates(index, leaves).flatMap((node) => node.invokes),
);

function isNone(tasks: Tasks): boolean {
  for (const _id in tasks) return false;
  return true;
}

/** The tasks to look at now: those that run, and those that may have been started before a restart. */
export function dueTasks(tasks: Tasks, now: number): readonly (readonly [string, TaskRecord])[] {
  return Object.entries(tasks).filter(
    ([, task]) => task.phase === "Running" || (task.phase === "Intended" && isDue(task, now)),
  );
}

/** The same in the order of their ids, in which Kubernetes gives back what it has stored: what is said of them does not change then. */
export function byId(tasks: Tasks): Tasks {
  if (isAscending(Object.keys(tasks))) return tasks;
  return Object.fromEntries(Object.entries(tasks).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * The records after reports and deadlines.
 *
 * **Guarantees**: a task is started only when a look found no trace of this attempt; a lost record never starts one;
 * the same object is returned for a record that did not change, and the same tasks where there is none.
 */
export function applyReports(tasks: Tasks, reports: readonly TaskReport[], world: TaskWorld): TaskStep {
  if (isNone(tasks)) return { tasks, effects: [] };
  const next: [string, TaskRecord][] = [];
  const effects: TaskEffect[] = [];
  for (const [id, stored] of Object.entries(tasks)) {
    const before = withDeadline(stored, world);
    const report = reports.find((each) => each.key === before.key);
    if (isEnding(before)) {
      const task = afterEnding(id, before, report, world);
      if (task === undefined) continue;
      next.push([id, task]);
      effects.push(...endEffects(id, task, world.now));
      continue;
    }
    const task = report === undefined ? before : afterReport(id, before, report, world);
    if (isOverdue(task, world.now)) {
      for (const [name, late] of toLate(id, task, world)) {
        next.push([name, late]);
        effects.push(...endEffects(name, late, world.now));
      }
      continue;
    }
    next.push([id, task]);
    effects.push(...endEffects(id, task, world.now));
    const absent = report?.kind === "observed" && report.observation.phase === "NotFound";
    if (absent && task.phase === "Intended" && task.key === before.key && isDue(before, world.now)) {
      effects.push({ kind: "startTask", id, task });
    }
  }
  return { tasks: Object.fromEntries(next), effects };
}

/** What a move did to the active tasks. */
export interface TaskEntry {
  readonly leaves: Leaves;
  /** Ids of the invokes that were entered. */
  readonly invoked: readonly string[];
  /** What those of them are given that are given anything, by id. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** The event by which they were entered. */
  readonly event?: string;
  /** The number of the move. */
  readonly entry: number;
}

/** The records after a move: tasks of states left are cancelled, those of states entered are intended and then started. */
export function settleTasks(
  lifecycle: Lifecycle,
  tasks: Tasks,
  { leaves, invoked, inputs = {}, entry, event }: TaskEntry,
  world: TaskWorld,
): TaskStep {
  const active = activeInvokes(lifecycle, leaves);
  if (active.length === 0 && isNone(tasks)) return { tasks, effects: [] };
  const next: [string, TaskRecord][] = [];
  const effects: TaskEffect[] = [];
  for (const [id, task] of Object.entries(tasks)) {
    const stays = active.some((invoke) => invoke.id === id) && !invoked.includes(id);
    if (isLeft(id, task) || stays) {
      next.push([id, task]);
      continue;
    }
    const left = leftBehind(task, world);
    if (left === undefined) continue;
    next.push([left.key, keptElsewhere(id, left)]);
    effects.push(...endEffects(left.key, keptElsewhere(id, left), world.now));
  }
  for (const { id, src } of active.filter((invoke) => invoked.includes(invoke.id))) {
    const given = givenTo({ event, input: inputs[id] });
    const task = intend({ id, src, entry, given }, world);
    next.push([id, task]);
    if (task.phase === "Intended") effects.push({ kind: "startTask", id, task });
  }
  return { tasks: Object.fromEntries(next), effects };
}

/** The records once no task is wanted any more, although its state is not left: what runs, or may run, is cancelled. */
export function endTasks(tasks: Tasks, world: TaskWorld): TaskStep {
  const next: Record<string, TaskRecord> = {};
  const effects: TaskEffect[] = [];
  for (const [id, task] of Object.entries(tasks)) {
    const left = isEnding(task) ? undefined : leftBehind(task, world);
    next[id] = left ?? task;
    if (left !== undefined) effects.push(...endEffects(id, left, world.now));
  }
  return { tasks: next, effects };
}

/** The record of a task whose state is left; undefined when nothing is left to do for it. */
function leftBehind(task: TaskRecord, world: TaskWorld): TaskRecord | undefined {
  if (isEnding(task)) return leave(task);
  if (task.phase === "Running" || (task.phase === "Intended" && isDue(task, world.now))) {
    return toCancelling(task);
  }
  // The attempt before has failed, the next one was never made.
  return task.phase === "Intended" && isCompensated(task, world) ? toCompensating(task) : undefined;
}

interface Intent {
  readonly id: string;
  readonly src: string;
  readonly entry: number;
  readonly given: ReturnType<typeof givenTo>;
}

/** The first record of a task. One that nobody can run has failed already. */
function intend({ id, src, entry, given }: Intent, world: TaskWorld): TaskRecord {
  const policy = policyOf(world, src);
  const task = { src, key: taskKeyOf({ uid: world.uid, entry, id, attempt: 1 }), entry, attempt: 1 };
  if (policy === undefined) return { ...task, phase: "Failed", message: `no task is named "${src}"` };
  const { timeout } = policy;
  return {
    ...task,
    phase: "Intended",
    ...given,
    ...(timeout === undefined ? {} : { deadline: formatInstant(world.now + timeout) }),
  };
}

/** A task that came with a new version of the graph, or was found again, has its deadline from the first cycle that knows of it. */
function withDeadline(task: TaskRecord, world: TaskWorld): TaskRecord {
  const isNew = task.phase === "Intended" && (task.attempt === 1 || task.lost === true);
  const timeout = isNew && task.deadline === undefined ? policyOf(world, task.src)?.timeout : undefined;
  return timeout === undefined ? task : { ...task, deadline: formatInstant(world.now + timeout) };
}

function isOverdue(task: TaskRecord, now: number): boolean {
  const open = task.phase === "Intended" || task.phase === "Running";
  return open && (readInstant(task.deadline) ?? Number.POSITIVE_INFINITY) <= now;
}

function afterReport(id: string, task: TaskRecord, report: TaskReport, world: TaskWorld): TaskRecord {
  const open = task.phase === "Running" || (task.phase === "Intended" && isDue(task, world.now));
  if (!open) return task;
  switch (report.kind) {
    case "started":
      return running(task, world.now, report.handle);
    case "startFailed":
      return report.namespaceGoing === true
        ? { ...toFailed(task, report.message, world), namespaceGoing: true }
        : attemptFailed(id, task, report.message, true, world);
    case "startLater":
      return triedLater(task, report, world.now);
    case "observed":
      return afterLook(id, task, report.observation, world);
    case "lookFailed":
      return { ...answered(task), message: `cannot be observed: ${report.message}` };
    case "unanswered":
      return { ...task, ...unanswered(task, report) };
    case "cancelled":
    case "cancelFailed":
    case "compensated":
    case "compensateFailed":
      return task;
  }
  return task;
}

function afterLook(id: string, task: TaskRecord, look: TaskObservation, world: TaskWorld): TaskRecord {
  switch (look.phase) {
    case "Running": {
      // How far it is does not become unknown because one look could not tell; what it does may.
      return {
        ...running(task, world.now),
        ...progressAfter(task, look.progress, world.now),
        ...(look.message === undefined ? {} : { message: look.message }),
      };
    }
    case "Succeeded":
      return {
        ...ended(task),
        phase: "Succeeded",
        ...(look.output === undefined ? {} : { output: look.output }),
        ...(look.message === undefined ? {} : { message: look.message }),
      };
    case "Failed":
      return attemptFailed(id, task, look.message, look.retry !== false, world);
    case "NotFound":
      if (task.lost === true) {
        const message =
          "its record was lost and no trace of it is found; it is not started, because it may have run";
        return { ...ended(task), phase: "Failed", message };
      }
      if (task.phase === "Intended") return answered(task);
      return attemptFailed(id, task, "it has disappeared", true, world);
  }
  return task;
}

function running(task: TaskRecord, now: number, handle?: Json): TaskRecord {
  // What is said of it, too: an error of an earlier attempt is none of this one.
  const { nextAttempt: _nextAttempt, lost: _lost, message: _message, ...rest } = answered(task);
  return {
    ...rest,
    phase: "Running",
    startedAt: task.startedAt ?? formatInstant(now),
    ...(handle === undefined ? {} : { handle }),
  };
}

/** Milliseconds until a start is tried again that was too much, where nobody says how long. */
const laterDelay = 5_000;

/** The same attempt, in a while. */
function triedLater(
  task: TaskRecord,
  { message, after = laterDelay }: Extract<TaskReport, { readonly kind: "startLater" }>,
  now: number,
): TaskRecord {
  const delay = Math.min(Math.max(after, 1_000), longestRetryDelay);
  return { ...answered(task), nextAttempt: formatInstant(now + delay), message };
}

/** Keys of earlier attempts that are kept. */
const mostEarlier = 15;

function attemptFailed(
  id: string,
  task: TaskRecord,
  message: string,
  retry: boolean,
  world: TaskWorld,
): TaskRecord {
  const policy = policyOf(world, task.src);
  if (!retry || policy === undefined || task.attempt >= policy.attempts || task.lost === true) {
    return toFailed(task, message, world);
  }
  const attempt = task.attempt + 1;
  const keys = [...(task.earlier ?? []), task.key].slice(-mostEarlier);
  const delay = backoffDelay({ first: policy.delay, longest: longestRetryDelay }, task.attempt);
  return {
    src: task.src,
    // One id for all its attempts: by it they are known as one task's.
    key: taskKeyOf({ uid: world.uid, entry: task.entry, id: task.id ?? id, attempt }),
    ...(task.id === undefined ? {} : { id: task.id }),
    entry: task.entry,
    attempt,
    phase: "Intended",
    ...givenTo(task),
    ...(task.deadline === undefined ? {} : { deadline: task.deadline }),
    nextAttempt: formatInstant(world.now + delay),
    ...(policy.compensates === true ? { earlier: keys } : {}),
    message: `attempt ${task.attempt} of ${policy.attempts} failed: ${message}`,
  };
}
