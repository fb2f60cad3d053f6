// One long action as it is recorded in the status, and the policy under which it is tried.
import type { Json } from "../../meta/object.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import type { TaskDefinition } from "./task-definition.ts";
import { readInstant } from "../values/untrusted.ts";

/** The phases of a task. `Intended`: recorded, and perhaps started; only a look can tell. */
export const taskPhases = [
  "Intended",
  "Running",
  "Succeeded",
  "Failed",
  "Cancelling",
  "Compensating",
] as const;

/** One of {@link taskPhases}. */
type TaskPhase = (typeof taskPhases)[number];

/** The functions of a task. */
export const taskHooks = ["start", "observe", "cancel", "compensate"] as const;

/** One of {@link taskHooks}. */
export type TaskHook = (typeof taskHooks)[number];

/** A function of a task that was called and has not returned. */
export interface HangingHook {
  readonly hook: TaskHook;
  /** When it was called: RFC 3339, UTC. */
  readonly since: string;
}

/** One task in `status.lifecycle.tasks`. */
export interface TaskRecord {
  /** The name under which the author registered it. */
  readonly src: string;
  /** Idempotency key of this attempt. */
  readonly key: string;
  /** Id of the invoke for which its keys are made, where the record is kept under another name. */
  readonly id?: string;
  /** The move by which its state was entered. */
  readonly entry: number;
  /** 1 for the first. */
  readonly attempt: number;
  readonly phase: TaskPhase;
  /** What `start` returned. */
  readonly handle?: Json;
  /** Instants are RFC 3339, UTC. */
  readonly startedAt?: string;
  /** After it the task has failed, whatever it does. */
  readonly deadline?: string;
  /** Not before it the next attempt, or the next attempt to cancel or to compensate, is made. */
  readonly nextAttempt?: string;
  /** 0 to 1, in whole percent. */
  readonly progress?: number;
  readonly message?: string;
  /** Of a task that succeeded; for the edge `onDone`. */
  readonly output?: Json;
  /** The author's function that has not returned, and since when. */
  readonly hanging?: HangingHook;
  /** The machine has been told about its end. */
  readonly delivered?: boolean;
  /** How often cancelling it has failed. */
  readonly cancels?: number;
  /** How often compensating it has failed. */
  readonly compensations?: number;
  /** Why it has failed, while it is cancelled and compensated before the machine is told. */
  readonly failure?: string;
  /** The keys of its earlier attempts, for `compensate`. */
  readonly earlier?: readonly string[];
  /** Its record was lost: it is looked for, and never started, because it may have run. */
  readonly lost?: boolean;
}

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

/** What the steps are told besides the records. */
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

/** The record for being kept under another name than its id. */
export function keptElsewhere(id: string, task: TaskRecord): TaskRecord {
  return { ...task, id: task.id ?? id };
}
