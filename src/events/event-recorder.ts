// Publishes Kubernetes Events (events.k8s.io/v1) beside the work: recording is a note in memory, one request at a time
// carries the notes to the server, and whatever goes wrong there stays there.
// Read by controllers; shown by `kubectl describe` and `kubectl get events`.
import {
  isAlreadyExists,
  isForbidden,
  isNamespaceTerminating,
  isNotFound,
  ApiError,
} from "../client/api-error.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { KubernetesEvent } from "../kinds/builtin/events.ts";
import type { KubeObject } from "../meta/object.ts";
import { dateOf, monotonicNow, type Clock, type TimerHandle } from "../ports/clock.ts";
import { backoffDelay, type Backoff } from "../ports/backoff.ts";
import { untilAborted } from "../ports/deadline.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import { EventBudget } from "./event-budget.ts";
import { EventPace } from "./event-pace.ts";
import {
  eventManifest,
  seriesKeyOf,
  subjectKeyOf,
  type EventManifest,
  type EventOptions,
  type EventReporter,
} from "./event-manifest.ts";
import { SeriesBook, type EventSeries } from "./event-series.ts";
import { toMicroTime } from "../meta/micro-time.ts";

/** Publishes Events about objects. */
export interface EventRecorder {
  /**
   * Notes that something happened to an object. Returns at once and never throws.
   *
   * **Guarantees**: the same event within 6 minutes only counts in the series of the first; an object that produces
   * more than 25 different ones gets one a minute. Of all objects together, 25 events of type `Normal`, or news of their series, are
   * sent at twenty a second and then two a second, and an event that would wait for over 30 s is dropped; a `Warning` never waits.
   * **RBAC**: `create`, `patch` on events of events.k8s.io, in the object's namespace.
   */
  record(regarding: KubeObject, event: EventOptions): void;
  /** Sends what was noted so far; resolves when it is sent, given up, or the signal is aborted. Never rejects. */
  flush(signal: AbortSignal): Promise<void>;
  /** Events lost since the start: no room, no budget, or refused by the server. */
  readonly dropped: number;
}

/** Options of {@link createEventRecorder}. */
export interface EventRecorderOptions extends EventReporter {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

const capacity = 1_000;
/** Milliseconds between two updates of one series. */
const updateInterval = 10_000;
const maxAttempts = 5;
const retries: Backoff = { first: 1_000, longest: 30_000 };

/** Creates the recorder of one process. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new QueuedEventRecorder(options);
}

class QueuedEventRecorder implements EventRecorder {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #reporter: EventReporter;
  readonly #book = new SeriesBook(capacity);
  readonly #budget = new EventBudget(capacity);
  readonly #pace = new EventPace();
  #sequence: number;
  #dropped = 0;
  #warned = false;
  /** The requests under way; undefined when there are none. */
  #sending: Promise<void> | undefined;
  #timer: TimerHandle | undefined;
  /** Set while a flush asks for everything, due or not. */
  #flushing = false;

  constructor({ client, clock, log, component, instance }: EventRecorderOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
    this.#reporter = { component, instance };
    this.#sequence = sequenceStart(instance);
  }

  get dropped(): number {
    return this.#dropped;
  }

  record(regarding: KubeObject, event: EventOptions): void {
    const now = monotonicNow(this.#clock);
    const key = seriesKeyOf(regarding, event);
    const known = this.#book.going(key, now);
    if (known === undefined && !this.#budget.take(subjectKeyOf(regarding), now)) {
      this.#drop("the object has used up its budget of events", event.reason);
      return;
    }
    const due = this.#dueOf(event, known, now);
    if (due === undefined) {
      this.#drop("too many things happen at once", event.reason);
      return;
    }
    const makeEvent = (): EventManifest =>
      eventManifest(
        regarding,
        event,
        this.#reporter,
        this.#nextName(regarding.metadata.name),
        this.#clock.now(),
      );
    const lost = this.#book.observe(key, now, due, makeEvent);
    if (lost !== undefined) this.#drop("too many events are waiting", lost.event.reason);
    this.#wake();
  }

  /** When it may be sent; undefined when that is too far away. That something has happened again is never too late: it counts when it is sent. */
  #dueOf(event: EventOptions, known: EventSeries | undefined, now: number): number | undefined {
    if (event.type === "Warning") return now;
    if (known === undefined) return this.#pace.next(now);
    return this.#book.isPending(known) ? now : (this.#pace.next(now) ?? now + updateInterval);
  }

  async flush(signal: AbortSignal): Promise<void> {
    this.#flushing = true;
    this.#wake();
    await untilAborted(Promise.resolve(this.#sending), signal).catch(() => undefined);
    this.#flushing = false;
    // Nothing may keep a process alive that is about to end.
    const lost = this.#book.clear();
    this.#dropped += lost;
    if (lost > 0) this.#log.warn({ lost }, "Kubernetes Events were not sent in time");
    this.#disarm();
  }

  /** Sends what is due, and comes back for the rest. */
  #wake(): void {
    if (this.#sending !== undefined) return;
    this.#disarm();
    const { next } = this.#book;
    if (next === undefined) return;
    const wait = next.due - monotonicNow(this.#clock);
    if (wait > 0 && !this.#flushing) {
      this.#timer = this.#clock.setTimeout(() => this.#wake(), wait);
      return;
    }
    this.#sending = this.#sendDue().finally(() => {
      this.#sending = undefined;
      this.#wake();
    });
  }

  async #sendDue(): Promise<void> {
    for (;;) {
      const { next } = this.#book;
      if (next === undefined || (next.due > monotonicNow(this.#clock) && !this.#flushing)) return;
      try {
        const { count } = next;
        await this.#send(next);
        const first = next.recorded === 0;
        this.#book.sent(next, count, monotonicNow(this.#clock) + (first ? 0 : updateInterval));
      } catch (error) {
        this.#failed(next, error);
      }
    }
  }

  /** Creates the Event, or tells its series; an Event that has expired meanwhile is created again. */
  async #send(series: EventSeries): Promise<void> {
    const { event, count } = series;
    const state = { count, lastObservedTime: toMicroTime(dateOf(this.#clock, series.lastObserved)) };
    if (series.recorded > 0) {
      try {
        const { name, namespace = "default" } = event.metadata;
        const patch = { type: "merge", body: { series: state } } as const;
        await this.#client.patch(KubernetesEvent, { namespace, name }, patch);
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    await this.#client.create(KubernetesEvent, count > 1 ? { ...event, series: state } : event);
  }

  #failed(series: EventSeries, error: unknown): void {
    const { reason } = series.event;
    series.failures += 1;
    // Another process took the name, or an attempt without an answer had succeeded: either way the Event is there.
    if (isAlreadyExists(error) && series.failures < maxAttempts) {
      this.#book.sent(series, Math.max(series.recorded, 1), monotonicNow(this.#clock));
      return;
    }
    const refused = error instanceof ApiError && error.status < 500 && error.status !== 429;
    if (refused || series.failures >= maxAttempts || this.#flushing) {
      this.#book.drop(series);
      if (isNamespaceTerminating(error)) {
        this.#dropped += 1;
        return;
      }
      this.#drop(
        isForbidden(error) ? "the server does not allow it" : "the server did not take it",
        reason,
        error,
      );
      return;
    }
    series.due = monotonicNow(this.#clock) + backoffDelay(retries, series.failures);
  }

  #drop(why: string, reason: string | undefined, error?: unknown): void {
    this.#dropped += 1;
    const fields = { why, reason, ...(error === undefined ? {} : { error: messageOf(error) }) };
    // One warning is enough to look for; the rest would be as many lines as there are events.
    if (this.#warned) this.#log.debug(fields, "Kubernetes Event dropped");
    else this.#log.warn(fields, "Kubernetes Event dropped");
    this.#warned = true;
  }

  /** Unique in the process, and by its start nearly always over all processes of the operator. */
  #nextName(object: string): string {
    this.#sequence = (this.#sequence + 1) % 1_000_000;
    const nanoseconds = BigInt(Math.floor(this.#clock.now())) * 1_000_000n + BigInt(this.#sequence);
    return `${object.slice(0, 230)}.${nanoseconds.toString(16)}`;
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Processes that report about one object in the same millisecond count from different numbers. */
function sequenceStart(instance: string): number {
  let hash = 0;
  for (const character of instance) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_000;
  return hash;
}
