// The texts of a cycle that are for people, without what nobody may read: those that authors' functions give, before they are
// decided on, and those of the plan, before it is persisted. What the machine goes on with stays as it is: context, events'
// payloads other than messages, handles and outputs of tasks. Pure.
import type { CycleInput, CyclePlan } from "../cycle-plan.ts";
import { digestOf, type LifecycleStatus, type MoveRecord } from "../stored/snapshot.ts";
import type { TaskRecord } from "../tasks/task-record.ts";
import type { TaskReport } from "../tasks/task-report.ts";

/** Leaves out of a text what nobody may read. */
export type Mask = (text: string) => string;

/**
 * What is decided on, with masked texts. Decided on are they already, so that they are found in the status as they are compared
 * with in the next cycle: what lasts must not look like news, and nothing is cut off in the middle of a value.
 */
export function maskInput(input: CycleInput, mask: Mask): CycleInput {
  const { observation, observationError, reports } = input;
  return {
    ...input,
    ...(observation === undefined ? {} : { observation: maskMessage(observation, mask) }),
    ...(observationError === undefined ? {} : { observationError: mask(observationError) }),
    reports: reports.map((report) => maskReport(report, mask)),
  };
}

/** The plan, with masked texts in what is persisted and reported of it; what was stored with a value in it loses it too. */
export function maskPlan(plan: CyclePlan, mask: Mask): CyclePlan {
  const { status, moved } = plan;
  return {
    ...plan,
    status: status && maskStatus(status, mask),
    ...(moved === undefined ? {} : { moved: maskCause(moved, mask) }),
  };
}

function maskReport(report: TaskReport, mask: Mask): TaskReport {
  if (report.kind === "observed") return { ...report, observation: maskMessage(report.observation, mask) };
  if ("message" in report) return { ...report, message: mask(report.message) };
  const isFailed = report.kind === "unanswered" && report.error !== undefined;
  return isFailed ? { ...report, error: mask(report.error) } : report;
}

function maskStatus(status: LifecycleStatus, mask: Mask): LifecycleStatus {
  let isMasked = false;
  const noting: Mask = (text) => {
    const shown = mask(text);
    isMasked ||= shown !== text;
    return shown;
  };
  const masked = maskTexts(status, noting);
  return isMasked ? { ...masked, digest: digestOf(masked) } : status;
}

function maskTexts({ human, last, ...status }: LifecycleStatus, mask: Mask): LifecycleStatus {
  return {
    ...status,
    target: maskCause(status.target, mask),
    tasks: Object.fromEntries(Object.entries(status.tasks).map(([id, task]) => [id, maskTask(task, mask)])),
    ...(human === undefined ? {} : { human: maskMessage(human, mask) }),
    ...(last === undefined ? {} : { last: maskCause<MoveRecord>(last, mask) }),
  };
}

function maskTask(task: TaskRecord, mask: Mask): TaskRecord {
  const { failure } = task;
  return { ...maskMessage(task, mask), ...(failure === undefined ? {} : { failure: mask(failure) }) };
}

/** Whatever an author has returned may be something else than its type says. */
function maskMessage<T extends object>(record: T, mask: Mask): T {
  return "message" in record && typeof record.message === "string"
    ? { ...record, message: mask(record.message) }
    : record;
}

function maskCause<T extends { readonly cause?: string }>(record: T, mask: Mask): T {
  return record.cause === undefined ? record : { ...record, cause: mask(record.cause) };
}
