// The grace of states as durable timers: two instants, one after which an application that is still in transition there counts
// as degraded, and one, after as long again, as stalled. They move nothing; cycle.ts keeps them, reporting/health.ts reads them.
import { activeStates, type Leaves } from "../../statechart/configuration.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { formatInstant, readInstant } from "../values/untrusted.ts";
import type { TimerRecord, Timers } from "./timers.ts";

const stages = [
  { prefix: "lifecycle.grace.", delay: "grace", times: 1 },
  { prefix: "lifecycle.stall.", delay: "grace, twice", times: 2 },
] as const;

/** What {@link settleGraces} decides with. */
export interface GraceQuestion {
  readonly leaves: Leaves;
  /** The application is not where it is desired to be, or something is under way there. */
  readonly converging: boolean;
  readonly now: number;
}

/** Whether a timer is one of a grace rather than of an edge. */
export function isGraceTimer(eventType: string): boolean {
  return stages.some(({ prefix }) => eventType.startsWith(prefix));
}

/**
 * The timers of the graces of the active states. One begins when the application begins to be in transition in its state, and
 * is gone when it leaves that or comes to rest in it.
 */
export function settleGraces(
  { index, grace }: Pick<Lifecycle, "index" | "grace">,
  before: Timers,
  { leaves, converging, now }: GraceQuestion,
): Timers {
  if (!converging || grace.size === 0) return {};
  const timers: [string, TimerRecord][] = [];
  for (const { path } of activeStates(index, leaves)) {
    const length = grace.get(path);
    if (length === undefined) continue;
    for (const { prefix, delay, times } of stages) {
      const kept = before[prefix + path];
      // A clock that jumped back must not make a grace longer than it was drawn.
      const latest = now + times * length;
      const due = Math.min(readInstant(kept?.due) ?? latest, latest);
      const record = { state: path, delay, due: formatInstant(due) };
      timers.push([prefix + path, due <= now ? { ...record, delivered: true } : record]);
    }
  }
  return Object.fromEntries(timers);
}

/** The graces of a position that another version of the graph has left, under the present names of its states. */
export function carryGraces(stored: Timers, present: (path: string) => string): Timers {
  const carried = Object.entries(stored).flatMap(([eventType, record]) => {
    const stage = stages.find(({ prefix }) => eventType.startsWith(prefix));
    if (stage === undefined) return [];
    const state = present(record.state);
    return [[stage.prefix + state, { ...record, state }] as const];
  });
  return Object.fromEntries(carried);
}

/** A grace that is over. */
export interface SpentGrace {
  readonly state: string;
  /** When it ended. */
  readonly ended: string;
  /** As long again has passed since. */
  readonly twice: boolean;
}

/** The grace that is over, of several the one that ended first. */
export function spentGrace(timers: Timers): SpentGrace | undefined {
  const [grace, stall] = stages;
  const spent: SpentGrace[] = [];
  for (const [eventType, { delivered, state, due }] of Object.entries(timers)) {
    if (delivered !== true || !eventType.startsWith(grace.prefix)) continue;
    spent.push({ state, ended: due, twice: timers[stall.prefix + state]?.delivered === true });
  }
  if (spent.length > 1) spent.sort((a, b) => a.ended.localeCompare(b.ended));
  return spent.find(({ twice }) => twice) ?? spent[0];
}

/** The sentence about a grace that is over; it stays the same while that lasts. */
export function describeGrace({ state, ended, twice }: SpentGrace): string {
  return `${state} takes longer than ${twice ? "twice " : ""}its grace, which ended at ${ended}`;
}
