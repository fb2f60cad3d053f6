// Which events are the same, how often they happened, and which of that the server does not know yet. Pure state: no
// time, no requests. Fed and emptied by event-recorder.ts.
import type { EventManifest } from "./event-manifest.ts";

/** One thing that happened once or more. */
export interface EventSeries {
  readonly key: string;
  readonly event: EventManifest;
  /** How often it happened. */
  count: number;
  /** How often the server knows of; 0 before the Event exists. */
  recorded: number;
  /** Monotonic milliseconds. */
  lastObserved: number;
  /** When it may be sent next; monotonic milliseconds. */
  due: number;
  /** Failed attempts in a row. */
  failures: number;
}

/** Milliseconds after which the same thing starts a new Event: what client-go does. */
export const seriesWindow = 6 * 60_000;

/** The series that are going on, and which of them are to be sent; bounded. */
export class SeriesBook {
  /** In order of last observation. */
  readonly #series = new Map<string, EventSeries>();
  readonly #pending = new Set<EventSeries>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Counts one event, which is not sent before it is due; the one that had to be given up unsent, if any. */
  observe(key: string, now: number, due: number, makeEvent: () => EventManifest): EventSeries | undefined {
    let series = this.going(key, now);
    series ??= { key, event: makeEvent(), count: 0, recorded: 0, lastObserved: now, due, failures: 0 };
    if (!this.isPending(series)) series.due = Math.max(series.due, due);
    series.count += 1;
    series.lastObserved = now;
    this.#series.delete(key);
    this.#series.set(key, series);
    this.#pending.add(series);
    return this.#evict();
  }

  /** The series of what is going on already. */
  going(key: string, now: number): EventSeries | undefined {
    const series = this.#series.get(key);
    return series !== undefined && now - series.lastObserved <= seriesWindow ? series : undefined;
  }

  /** Whether there is something of it to be sent. */
  isPending(series: EventSeries): boolean {
    return this.#pending.has(series);
  }

  /** The series that may be sent first. */
  get next(): EventSeries | undefined {
    let first: EventSeries | undefined;
    for (const series of this.#pending) if (first === undefined || series.due < first.due) first = series;
    return first;
  }

  /** Says that the server knows `recorded` of it; it stays to be sent when more has happened meanwhile. */
  sent(series: EventSeries, recorded: number, nextDue: number): void {
    series.recorded = recorded;
    series.failures = 0;
    series.due = nextDue;
    if (series.count <= recorded) this.#pending.delete(series);
  }

  /** Gives up sending what is known so far. */
  drop(series: EventSeries): void {
    this.#pending.delete(series);
    if (this.#series.get(series.key) === series) this.#series.delete(series.key);
  }

  /** Gives up sending everything; how many series that were. */
  clear(): number {
    const { size } = this.#pending;
    this.#pending.clear();
    this.#series.clear();
    return size;
  }

  #evict(): EventSeries | undefined {
    if (this.#series.size <= this.#capacity && this.#pending.size <= this.#capacity) return undefined;
    // What the server knows completely goes first, oldest first.
    for (const series of this.#series.values()) {
      if (this.#pending.has(series)) continue;
      this.#series.delete(series.key);
      return undefined;
    }
    const [oldest] = this.#pending;
    if (oldest !== undefined) this.drop(oldest);
    return oldest;
  }
}
