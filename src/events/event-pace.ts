// When a routine event may be sent: an operator that creates ten thousand objects must not send ten thousand events, each
// of which costs the API server as much as the object itself. And what is reported of many objects gives way to the work on them: where
// two hundred children are lost, the last one is not to wait for the news of the others. Pure; asked by event-recorder.ts.

/** Routine events that may come in a burst. */
const burst = 25;
/** Milliseconds between two of a burst. */
const spacing = 50;
/** Milliseconds between two of them after that. */
const interval = 500;
/** Milliseconds after which an event is no news any more. */
const patience = 30_000;

/** 25 at twenty a second, then two a second, for all objects of a process together. */
export class EventPace {
  /** Until when the slots are given away, had there been no burst. */
  #taken = 0;
  /** The slot that was given away last. */
  #last = -spacing;

  /** Takes the next slot and returns its instant, in monotonic milliseconds; undefined when that is too far away. */
  next(now: number): number | undefined {
    const since = Math.max(this.#taken, now);
    const slot = Math.max(now, this.#last + spacing, since - (burst - 1) * interval);
    if (slot - now > patience) return undefined;
    this.#taken = since + interval;
    this.#last = slot;
    return slot;
  }
}
