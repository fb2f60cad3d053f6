// One long action as it is recorded in the status, and the policy under which it is tried.
import { z } from "zod";
import type { Json } from "../../meta/object.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import type { TaskDefinition } from "./task-definition.ts";
import {
  count,
  entryNumber,
  flag,
  instant,
  json,
  text,
  texts,
  type Stored,
} from "../values/stored-values.ts";
import { readInstant } from "../values/untrusted.ts";

/** The functions of a task. */
const taskHooks = ["start", "observe", "cancel", "compensate"] as const;

/** One of the functions of a task. */
export type TaskHook = (typeof taskHooks)[number];

/** The phases of a task. `Intended`: recorded, and perhaps started; only a look can tell. */
const taskPhases = ["Intended", "Running", "Succeeded", "Failed", "Cancelling", "Compensating"] as const;

/** The schema of how far something is, in units of its own, and since when that was known. */
export const countedProgress = z.object({
  done: z.number().min(0),
  total: z.number().min(0).exactOptional(),
  what: text.exactOptional(),
  at: instant,
});

/** How far something is. */
export type CountedProgress = Stored<typeof countedProgress>;

/** The schema of {@link TaskRecord}. */
export const taskRecord = z.object({
  /** The name under which the author registered it. */
  src: text,
  /** Idempotency key of this attempt. */
  key: text,
  /** Id of the invoke for which its keys are made, where the record is kept under another name. */
  id: text.exactOptional(),
  /** The move by which its state was entered. */
  entry: entryNumber,
  /** 1 for the first. */
  attempt: count.overwrite((attempt) => Math.max(1, attempt)),
  phase: z.enum(taskPhases),
  /** What it was given when its state was entered: the same for each of its attempts. */
  input: json.exactOptional(),
  /** The event by which its state was entered. */
  event: text.exactOptional(),
  /** What `start` returned. */
  handle: json.exactOptional(),
  startedAt: instant.exactOptional(),
  /** After it the task has failed, whatever it does. */
  deadline: instant.exactOptional(),
  /** Not before it the next attempt, or the next attempt to cancel or to compensate, is made. */
  nextAttempt: instant.exactOptional(),
  /** 0 to 1, in whole percent. */
  progress: z.number().min(0).max(1).exactOptional(),
  /** The same in units of its own, as it was found last. */
  counted: countedProgress.exactOptional(),
  message: text.exactOptional(),
  /** Of a task that succeeded; for the edge `onDone`. */
  output: json.exactOptional(),
  /** The author's function that was called and has not returned, and since when. */
  hanging: z.object({ hook: z.enum(taskHooks), since: instant }).exactOptional(),
  /** Its end was delivered to the machine. */
  delivered: flag.exactOptional(),
  /** How often cancelling it has failed. */
  cancels: count.exactOptional(),
  /** How often compensating it has failed. */
  compensations: count.exactOptional(),
  /** It has failed because its namespace is being deleted. */
  namespaceGoing: flag.exactOptional(),
  /** Why it has failed, while it is cancelled and compensated before the failure is delivered to the machine. */
  failure: text.exactOptional(),
  /** The keys of its earlier attempts, for `compensate`. */
  earlier: texts.exactOptional(),
  /** Its record was lost: it is looked for, and never started, because it may have run. */
  lost: flag.exactOptional(),
});

/** One task in `status.lifecycle.tasks`. */
export type TaskRecord = Stored<typeof taskRecord>;

/** How a task is tried, in milliseconds. */
export interface TaskPolicy {
  readonly timeout?: number;
  readonly attempts: number;
  /** Before the second attempt; doubles from there. */
  readonly delay: number;
  /** The longest time between two looks. */
  readonly poll: number;
  /** What it leaves behind is undone when it does not succeed. */
  readonly compensates?: true;
}

/** What the steps are given besides the records. */
export interface TaskWorld {
  /** UID of the custom resource. */
  readonly uid: string;
  readonly policies: Readonly<Record<string, TaskPolicy>>;
  readonly now: number;
}

/** The longest delay between two attempts. */
export const longestRetryDelay = 5 * 60_000;

/** What {@link taskPolicies} reads of a task. */
type TaskPolicySource = Pick<TaskDefinition<never>, "timeout" | "retry" | "poll" | "compensate">;

/** The policies of the author's tasks, by name. Errors: `DURATION_INVALID`. */
export function taskPolicies(
  tasks: Readonly<Record<string, TaskPolicySource>>,
): Readonly<Record<string, TaskPolicy>> {
  const policies = Object.entries(tasks).map(([name, { timeout, retry, poll, compensate }]) => {
    const policy: TaskPolicy = {
      ...(timeout === undefined ? {} : { timeout: toMilliseconds(timeout) }),
      attempts: Math.max(1, retry?.attempts ?? 1),
      delay: toMilliseconds(retry?.delay ?? "5s"),
      poll: toMilliseconds(poll ?? "30s"),
      ...(compensate === undefined ? {} : { compensates: true }),
    };
    return [name, policy] as const;
  });
  return Object.fromEntries(policies);
}

/** The policy of a task; undefined when nobody can run it. */
export function policyOf({ policies }: TaskWorld, src: string): TaskPolicy | undefined {
  return Object.hasOwn(policies, src) ? policies[src] : undefined;
}

/** Whether the record waits for nothing: its next attempt may be made. */
export function isDue(task: TaskRecord, now: number): boolean {
  const wait = (readInstant(task.nextAttempt) ?? 0) - now;
  // A clock that was set back must not make a delay longer than any is.
  return wait <= 0 || wait > longestRetryDelay;
}

/** What is kept of a task that is over. */
export function ended({ src, key, id, entry, attempt }: TaskRecord): Omit<TaskRecord, "phase"> {
  return { src, key, ...(id === undefined ? {} : { id }), entry, attempt };
}

/** What every attempt of a task, and what ends it, is given. */
export function givenTo({
  input,
  event,
}: {
  readonly input?: Json | undefined;
  readonly event?: string | undefined;
}): Pick<TaskRecord, "input" | "event"> {
  return { ...(input === undefined ? {} : { input }), ...(event === undefined ? {} : { event }) };
}

/** The record for being kept under another name than its id. */
export function keptElsewhere(id: string, task: TaskRecord): TaskRecord {
  return { ...task, id: task.id ?? id };
}
