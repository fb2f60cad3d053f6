// The timers of a position that another version of the graph has left: each goes on under the name that it has now, and one
// that is new with a new state begins now. Called by restore.ts, for migrated positions only.
import { lineageOf, type Leaves } from "../../statechart/configuration.ts";
import type { Lifecycle } from "../graph/compile-lifecycle.ts";
import { renamedPath } from "../graph/rename.ts";
import { carryGraces, isGraceTimer } from "./grace-timers.ts";
import { activeTimers, type ActiveTimer, type TimerRecord, type Timers } from "./timers.ts";

/** The timers of a migrated position. */
export interface CarriedTimers {
  readonly timers: Timers;
  /** Event types of the timers that came with a state of the new graph: they begin now. */
  readonly armed: readonly string[];
}

/**
 * The stored timers under their present names. A timer is the same when its state (by its present name) and its delay are;
 * else when its delay is, and no other timer has a better claim to it. `former`: the value as the other graph wrote it.
 */
export function carryTimers(
  lifecycle: Lifecycle,
  stored: Timers,
  former: string,
  leaves: Leaves,
): CarriedTimers {
  const { index, options } = lifecycle;
  const present = (path: string): string => renamedPath(index, options.renames, path);
  const left = new Set(
    Object.entries(stored).flatMap(([eventType, timer]) => (isGraceTimer(eventType) ? [] : [timer])),
  );
  const timers: Record<string, TimerRecord> = {};
  const claim = (
    wanted: readonly ActiveTimer[],
    isMeant: (timer: ActiveTimer, old: TimerRecord) => boolean,
  ) =>
    wanted.filter((timer) => {
      const old = [...left].find((each) => each.delay === timer.delay && isMeant(timer, each));
      if (old === undefined) return true;
      left.delete(old);
      timers[timer.eventType] = old.state === timer.source ? old : { ...old, state: timer.source };
      return false;
    });
  const moved = claim(activeTimers(lifecycle, leaves), ({ source }, { state }) => present(state) === source);
  const fresh = claim(moved, () => true);
  // A state that was there already has been entered when it says so; its new timer counts from there.
  const known = new Set(["", ...former.split(",").flatMap(lineageOf).map(present)]);
  return {
    timers: { ...timers, ...carryGraces(stored, present) },
    armed: fresh.filter(({ source }) => !known.has(source)).map(({ eventType }) => eventType),
  };
}
