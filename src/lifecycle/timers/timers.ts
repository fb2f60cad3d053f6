// Durable timers: each `after` edge of an active state is an absolute instant in the status, armed by the entry of its
// state. A restart neither loses nor restarts one; the requeue wakes us, the instant decides.
import { z } from "zod";
import { activeStates, keptByLeaves, type Leaves } from "../../statechart/configuration.ts";
import type { Position, StatechartEvent } from "../../statechart/statechart.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import type { Problem } from "../../ports/problem.ts";
import { machineFailure } from "../values/machine-failure.ts";
import { flag, instant, text, type Stored } from "../values/stored-values.ts";
import { formatInstant, readInstant } from "../values/untrusted.ts";

/** The schema of {@link TimerRecord}. */
export const timerRecord = z.object({
  /** Path of the state it belongs to. */
  state: text,
  /** The delay as the machine names it. */
  delay: text,
  due: instant,
  /** It was delivered to the machine. */
  delivered: flag.exactOptional(),
});

/** One timer in `status.lifecycle.timers`. */
export type TimerRecord = Stored<typeof timerRecord>;

/** Timers by the event type of their edge. */
export type Timers = Readonly<Record<string, TimerRecord>>;

/** What {@link settleTimers} decides with. */
export interface TimerEntry {
  /** Event types of the timers whose state was just entered. */
  readonly armed: readonly string[];
  /** When the active states were entered, if that is known: a lost timer counts from there. */
  readonly since: number;
  readonly now: number;
  readonly event: StatechartEvent;
  /** Takes what is wrong with a delay. */
  readonly problems: Problem[];
}

/** The timers that belong to a position: those of states left are gone, those entered are armed, lost ones are armed again. */
export function settleTimers(
  lifecycle: Lifecycle,
  before: Timers,
  position: Position,
  entry: TimerEntry,
): Timers {
  const timers: [string, TimerRecord][] = [];
  for (const { eventType, delay, source } of activeTimers(lifecycle, position.leaves)) {
    const length = lengthOf(lifecycle, delay, position, entry);
    if (length === undefined) continue;
    const kept = entry.armed.includes(eventType) ? undefined : before[eventType];
    const full = entry.now + length;
    const start = entry.armed.includes(eventType) ? entry.now : entry.since;
    const due = readInstant(kept?.due) ?? start + length;
    // A clock that jumped back must not make a timer longer than it was drawn.
    const record: TimerRecord =
      kept !== undefined && due <= full
        ? kept
        : { state: source, delay, due: formatInstant(Math.min(due, full)) };
    timers.push([eventType, record]);
  }
  return Object.fromEntries(timers);
}

/** Event types of the timers that have elapsed and that were not delivered to the machine; the earliest first. */
export function elapsedTimers(timers: Timers, now: number): readonly string[] {
  return pending(timers)
    .filter(([, due]) => due <= now)
    .map(([eventType]) => eventType);
}

/** The next instant at which a timer elapses, after now. */
export function nextTimer(timers: Timers, now: number): number | undefined {
  return pending(timers).find(([, due]) => due > now)?.[1];
}

/** The instant of the first timer that is to be delivered, also where that is over. */
export function nextDelivery(timers: Timers): number | undefined {
  return pending(timers)[0]?.[1];
}

/** An author's delay that throws is reported; its edge is not taken. */
function lengthOf(
  lifecycle: Lifecycle,
  delay: string,
  position: Position,
  { event, problems }: TimerEntry,
): number | undefined {
  try {
    return lifecycle.chart.delayOf(delay, position, event);
  } catch (error: unknown) {
    problems.push(machineFailure(error));
    return undefined;
  }
}

function pending(timers: Timers): readonly (readonly [string, number])[] {
  const instants: (readonly [string, number])[] = [];
  for (const [eventType, { delivered, due }] of Object.entries(timers)) {
    if (delivered !== true) instants.push([eventType, readInstant(due) ?? 0]);
  }
  return instants.length < 2 ? instants : instants.sort(([, a], [, b]) => a - b);
}

/** A timer that an active state asks for. */
export interface ActiveTimer {
  readonly eventType: string;
  /** As the machine names it. */
  readonly delay: string;
  /** Path of the state; the top is the empty path. */
  readonly source: string;
}

/** The timers that active states ask for. */
export function activeTimers({ index }: Pick<Lifecycle, "index">, leaves: Leaves): readonly ActiveTimer[] {
  return timersAt(index, leaves);
}

const timersAt = keptByLeaves((index, leaves): readonly ActiveTimer[] => {
  const seen = new Set<string>();
  const sources = ["", ...activeStates(index, leaves).map((node) => node.path)];
  return sources
    .flatMap((source) => index.edges.get(source) ?? [])
    .flatMap(({ delay, eventType, source }) => {
      if (delay === undefined || seen.has(eventType)) return [];
      seen.add(eventType);
      return [{ eventType, delay, source }];
    });
});
