// When to look again: at the earliest of timer, task and observation; ever later while nothing happens.
import type { Timers } from "./timers/timers.ts";
import { nextDelivery, nextTimer } from "./timers/timers.ts";
import type { RestoredLifecycle } from "./stored/restore.ts";
import { isDue, type TaskPolicy, type TaskRecord } from "./tasks/task-record.ts";
import type { Tasks } from "./tasks/tasks.ts";
import { readInstant } from "./values/untrusted.ts";

/** What {@link requeueDelay} decides with. */
export interface Waiting {
  readonly timers: Timers;
  readonly tasks: Tasks;
  readonly policies: Readonly<Record<string, TaskPolicy>>;
  /** The target is reached, nothing waits and the application could be observed. */
  readonly content: boolean;
  /** The path to the target is not tried again before it. */
  readonly notBefore: string | undefined;
  /** Milliseconds between two observations of a settled application; 0 for never. */
  readonly observationPoll: number;
  /** When the state was entered. */
  readonly since: number;
  readonly now: number;
}

const shortestPoll = 2_000;
const shortestWait = 1_000;
const longestWait = 60_000;

/** Milliseconds until the next cycle; undefined when nothing is waited for. */
export function requeueDelay(waiting: Waiting): number | undefined {
  const { timers, tasks, policies, content, observationPoll, since, now } = waiting;
  const delays: number[] = [];
  const until = (instant: number | undefined): void => {
    if (instant !== undefined) delays.push(Math.max(instant - now, 0));
  };
  until(nextTimer(timers, now));
  const notBefore = readInstant(waiting.notBefore);
  if (notBefore !== undefined && notBefore > now) until(notBefore);
  for (const task of Object.values(tasks)) delays.push(...taskDelays(task, policies, now));
  if (!content) {
    // As long again as it has lasted: 1 s, 2 s, 4 s, …
    delays.push(Math.min(Math.max(lastedSince(since, now), shortestWait), longestWait));
  }
  // Also while an observer fails: it is asked again as often as its author wants.
  if (observationPoll > 0) delays.push(observationPoll);
  return delays.length === 0 ? undefined : Math.min(...delays);
}

/** The instant at which something is due whatever is observed: a timer, or the deadline of a task. It may be over. */
export function nextDeadline({ timers, tasks, paused }: RestoredLifecycle): number | undefined {
  // Time stands still then.
  if (paused !== undefined) return undefined;
  const timer = nextDelivery(timers);
  const deadlines = Object.values(tasks).flatMap(({ phase, deadline }) =>
    phase === "Intended" || phase === "Running" ? (readInstant(deadline) ?? []) : [],
  );
  const instants = timer === undefined ? deadlines : [timer, ...deadlines];
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** How long something has lasted, roughly: one that began in the future did so before the clock was set back that far. */
function lastedSince(since: number, now: number): number {
  return Math.abs(now - since);
}

function taskDelays(task: TaskRecord, policies: Waiting["policies"], now: number): number[] {
  const later = (instant: number | undefined): number[] =>
    instant === undefined ? [] : [Math.max(instant - now, 0)];
  const nextAttempt = isDue(task, now) ? [] : later(readInstant(task.nextAttempt));
  switch (task.phase) {
    case "Intended": {
      // What hangs is observed less and less often, like what runs.
      const hung = lastedSince(readInstant(task.hanging?.since) ?? now, now);
      const wait = Math.min(Math.max(hung / 2, shortestWait), longestWait / 2);
      return [
        ...(nextAttempt.length > 0 ? nextAttempt : [Math.round(wait)]),
        ...later(readInstant(task.deadline)),
      ];
    }
    case "Running": {
      const lasted = lastedSince(readInstant(task.startedAt) ?? now, now);
      const longest = Object.hasOwn(policies, task.src) ? policies[task.src]?.poll : undefined;
      const poll = Math.min(Math.max(lasted / 2, shortestPoll), longest ?? longestWait);
      return [Math.round(poll), ...later(readInstant(task.deadline))];
    }
    case "Cancelling":
    case "Compensating":
      return nextAttempt.length > 0 ? nextAttempt : [shortestWait];
    case "Succeeded":
    case "Failed":
      return [];
  }
  return [];
}
