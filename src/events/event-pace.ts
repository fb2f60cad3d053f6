// When a routine event may be sent: an operator that creates ten thousand objects must not send ten thousand events, each
// of which costs the API server as much as the object itself. Pure; asked by event-recorder.ts.

/** Routine events that are sent at once. */
const burst = 50;
/** Milliseconds between two of them after that. */
const interval = 200;
/** Milliseconds after which an event is no news any more. */
const patience = 30_000;

/** 50 at once, then five a second, for all objects of a process together. */
export class EventPace {
  /** Until when the slots are given away, had there been no burst. */
  #taken = 0;

  /** Takes the next slot and returns its instant, in monotonic milliseconds; undefined when that is too far away. */
  next(now: number): number | undefined {
    const since = Math.max(this.#taken, now);
    const slot = Math.max(now, since - (burst - 1) * interval);
    if (slot - now > patience) return undefined;
    this.#taken = since + interval;
    return slot;
  }
}
