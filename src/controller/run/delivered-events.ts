// The Kubernetes Events that a controller tells, kept until the run that they belong to is recorded. Only while a recording is
// made; otherwise nothing is kept.
import { BoundedMap } from "../../collections/bounded-map.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RecordedEvent } from "../../recording/run-recorder.ts";

/** Resources whose Events wait for their next run. */
const mostResources = 1_000;
/** Events of one resource that wait. */
const mostEvents = 100;

/** Events by the resource that they are about. */
export class DeliveredEvents {
  readonly #events = new BoundedMap<string, RecordedEvent[]>(mostResources);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The recorder, with what it is delivered noted. */
  noting(events: EventRecorder): EventRecorder {
    return {
      record: (regarding, event) => {
        const { type, reason, note } = event;
        const { uid } = regarding.metadata;
        const delivered = this.#events.get(uid) ?? [];
        if (delivered.length < mostEvents)
          delivered.push({ at: this.#clock.now(), type, reason, message: note });
        this.#events.set(uid, delivered);
        events.record(regarding, event);
      },
      flush: (signal) => events.flush(signal),
      get dropped() {
        return events.dropped;
      },
    };
  }

  /** What was delivered of a resource since this was asked last. */
  take(uid: string): readonly RecordedEvent[] {
    const delivered = this.#events.get(uid) ?? [];
    this.#events.delete(uid);
    return delivered;
  }
}
