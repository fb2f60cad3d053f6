// The texts of a cycle that are for people, without what nobody may read: those that authors' functions give, before they are
// decided on, and those of the plan, before it is persisted. What the machine goes on with stays as it is: context, events'
// payloads other than messages, handles and outputs of tasks. Pure.
import type { CycleInput, CyclePlan } from "../cycle-plan.ts";
import { digestOf, type LifecycleStatus, type MoveRecord } from "../stored/snapshot.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import type { TaskReport } from "../tasks/task-report.ts";
import type { Tasks } from "../tasks/tasks.ts";

/** Leaves out of a text what nobody may read. */
export type Mask = (text: string) => string;

/**
 * What is decided on, with masked texts. Decided on are they already, so that they are found in the status as they are compared
 * with in the next cycle: what lasts must not look like news, and nothing is cut off in the middle of a value.
 */
export function maskInput(input: CycleInput, mask: Mask): CycleInput {
  const { observation, observationError, reports } = input;
  const shown = {
    observation: observation && maskMessage(observation, mask),
    observationError: observationError === undefined ? undefined : mask(observationError),
  };
  const isSame = shown.observation === observation && shown.observationError === observationError;
  if (isSame && reports.length === 0) return input;
  return {
    ...input,
    ...(shown.observation === undefined ? {} : { observation: shown.observation }),
    ...(shown.observationError === undefined ? {} : { observationError: shown.observationError }),
    reports: reports.map((report) => maskReport(report, mask)),
  };
}

/** The plan, with masked texts in what is persisted and reported of it; what was stored with a value in it loses it too. */
export function maskPlan(plan: CyclePlan, mask: Mask): CyclePlan {
  const status = plan.status && maskStatus(plan.status, mask);
  const moved = plan.moved && maskCause(plan.moved, mask);
  if (status === plan.status && moved === plan.moved) return plan;
  return { ...plan, status, ...(moved === undefined ? {} : { moved }) };
}

function maskReport(report: TaskReport, mask: Mask): TaskReport {
  if (report.kind === "observed") return { ...report, observation: maskMessage(report.observation, mask) };
  if ("message" in report) return { ...report, message: mask(report.message) };
  const isFailed = report.kind === "unanswered" && report.error !== undefined;
  return isFailed ? { ...report, error: mask(report.error) } : report;
}

function maskStatus(status: LifecycleStatus, mask: Mask): LifecycleStatus {
  const { human, last, target, tasks } = status;
  const shown = {
    target: maskCause(target, mask),
    tasks: maskTasks(tasks, mask),
    human: human && maskMessage(human, mask),
    last: last && maskCause<MoveRecord>(last, mask),
  };
  const isSame =
    shown.target === target && shown.tasks === tasks && shown.human === human && shown.last === last;
  if (isSame) return status;
  const masked = {
    ...status,
    target: shown.target,
    tasks: shown.tasks,
    ...(shown.human === undefined ? {} : { human: shown.human }),
    ...(shown.last === undefined ? {} : { last: shown.last }),
  };
  return { ...masked, digest: digestOf(masked) };
}

/** Each part is handed on as it is where nothing is masked in it. */
function maskTasks(tasks: Tasks, mask: Mask): Tasks {
  if (Object.keys(tasks).length === 0) return tasks;
  const masked = Object.entries(tasks).map(([id, task]) => [id, maskTask(task, mask)] as const);
  return masked.every(([id, task]) => task === tasks[id]) ? tasks : Object.fromEntries(masked);
}

function maskTask(task: TaskRecord, mask: Mask): TaskRecord {
  const masked = maskMessage(task, mask);
  const { failure } = task;
  const shown = failure === undefined ? undefined : mask(failure);
  return shown === undefined || shown === failure ? masked : { ...masked, failure: shown };
}

/** Whatever an author has returned may be something else than its type says. */
function maskMessage<T extends object>(record: T, mask: Mask): T {
  if (!("message" in record) || typeof record.message !== "string") return record;
  const message = mask(record.message);
  return message === record.message ? record : { ...record, message };
}

function maskCause<T extends { readonly cause?: string }>(record: T, mask: Mask): T {
  if (record.cause === undefined) return record;
  const cause = mask(record.cause);
  return cause === record.cause ? record : { ...record, cause };
}
