// The work queue: keys that wait for an instant (delay heap), are ready, or are being processed.
// Fed by the controller's sources, emptied by its workers. A key has at most one pending addition; adding merges into it.
import { monotonicNow, type Clock, type TimerHandle } from "../ports/clock.ts";
import { systemRandom, type Random } from "../ports/random.ts";
import { noCauses, withCause, type CauseSet } from "./cause.ts";
import { DelayHeap, notDelayed, type Delayed } from "./delay-heap.ts";
import { createQueueMetrics, type QueueMetricsOptions } from "./queue-metrics.ts";
import { createRateLimiter, type BackoffOptions } from "./rate-limiter.ts";
import { LinkedQueue, ReadyQueue, type AgeingOptions } from "./ready-queue.ts";
import type { AddOptions, WorkItem, WorkQueue } from "./work-queue.ts";

/** Options of {@link createWorkQueue}. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Jitter of the backoff; default the process's generator. */
  readonly random?: Random;
  readonly backoff?: BackoffOptions;
  readonly ageing?: AgeingOptions;
  /** Keys of one priority are served in turns between their groups, for instance namespaces; default one group. */
  readonly groupOf?: (key: string) => string;
  /** Where it is measured; default nowhere. */
  readonly metrics?: QueueMetricsOptions;
}

/** The one pending addition of a key. */
interface Pending extends Delayed {
  readonly key: string;
  readonly group: string;
  /** `dirty`: due while the key is processed; becomes ready when that is done. */
  place: "new" | "delayed" | "dirty" | "ready";
  priority: number;
  causes: CauseSet;
  readySince: number;
}

/** Who waits for a key. */
interface Taker {
  readonly signal: AbortSignal | undefined;
  readonly hand: (item: WorkItem | undefined) => void;
}

/** Before every instant. */
const atOnce = -Infinity;

/** An empty {@link WorkQueue}. It holds one timer while a key waits for an instant, and none after shutdown. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock } = options;
  /** Every delay and age here is a duration: setting the wall clock changes none of them. */
  const now = (): number => monotonicNow(clock);
  const limiter = createRateLimiter(options.random ?? systemRandom, options.backoff);
  const pending = new Map<string, Pending>();
  const delayed = new DelayHeap<Pending>();
  const { groupOf = () => "" } = options;
  const ready = new ReadyQueue<Pending>({ now, ageing: options.ageing ?? {} });
  /** Keys being processed, and since when. */
  const processing = new Map<string, number>();
  const takers = new LinkedQueue<Taker>();
  /** The signals that are listened to: a worker takes thousands of times with the same one. */
  const heeded = new WeakSet<AbortSignal>();
  const measured =
    options.metrics === undefined
      ? undefined
      : createQueueMetrics(options.metrics, {
          depths: () => ready.depths(),
          running: () => [...processing.values()].map((since) => now() - since),
        });
  let timer: { readonly due: number; readonly handle: TimerHandle } | undefined;
  let shutDown: { readonly finished: Promise<void>; readonly finish: () => void } | undefined;

  /** Keeps exactly one timer, for the earliest instant. */
  function armTimer(): void {
    const due = delayed.first?.due;
    if (timer?.due === due) return;
    if (timer !== undefined) clock.clearTimeout(timer.handle);
    timer =
      due === undefined ? undefined : { due, handle: clock.setTimeout(releaseDue, Math.max(0, due - now())) };
  }

  function releaseDue(): void {
    timer = undefined;
    const instant = now();
    for (let first = delayed.first; first !== undefined && first.due <= instant; first = delayed.first) {
      delayed.remove(first);
      makeReady(first, instant);
    }
    armTimer();
  }

  function makeReady(entry: Pending, instant: number): void {
    if (entry.place !== "dirty") measured?.added();
    if (processing.has(entry.key)) {
      entry.place = "dirty";
      return;
    }
    entry.place = "ready";
    entry.readySince = instant;
    ready.push(entry);
    const taker = takers.first;
    if (taker === undefined) return;
    takers.remove(taker);
    taker.value.hand(takeReady());
  }

  function takeReady(): WorkItem | undefined {
    const entry = ready.pop();
    if (entry === undefined) return undefined;
    const { key, causes, readySince } = entry;
    pending.delete(key);
    const taken = now();
    processing.set(key, taken);
    measured?.taken(taken - readySince);
    return {
      key,
      causes: causes.causes,
      moreCauses: causes.more,
      failures: limiter.failures(key),
      waited: taken - readySince,
    };
  }

  /** Hands nothing to those who wait. */
  function sendAway(whom: (taker: Taker) => boolean): void {
    for (let taker = takers.first; taker !== undefined;) {
      const { next, value } = taker;
      if (whom(value)) {
        takers.remove(taker);
        value.hand(undefined);
      }
      taker = next;
    }
  }

  /** Those who wait with this signal are sent away when it is aborted. */
  function heed(signal: AbortSignal): void {
    if (heeded.has(signal)) return;
    heeded.add(signal);
    signal.addEventListener("abort", () => sendAway((taker) => taker.signal === signal), { once: true });
  }

  function schedule(key: string, due: number, { cause, priority = 0 }: AddOptions = {}): void {
    if (shutDown !== undefined) return;
    let entry = pending.get(key);
    if (entry === undefined) {
      const group = groupOf(key);
      entry = {
        key,
        group,
        place: "new",
        due,
        priority,
        causes: noCauses,
        readySince: 0,
        position: notDelayed,
      };
      pending.set(key, entry);
    }
    entry.causes = withCause(entry.causes, cause);
    if (priority > entry.priority) {
      entry.priority = priority;
      if (entry.place === "ready") ready.reorder(entry);
    }
    if (entry.place !== "new" && !(entry.place === "delayed" && due < entry.due)) return;
    const instant = now();
    entry.due = due;
    if (entry.place === "new" && due <= instant) return makeReady(entry, instant);
    delayed.remove(entry);
    if (due <= instant) {
      makeReady(entry, instant);
    } else {
      entry.place = "delayed";
      delayed.push(entry);
    }
    armTimer();
  }

  return {
    add: (key, added) => schedule(key, atOnce, added),
    addAfter(key, milliseconds, added) {
      if (shutDown === undefined) measured?.retried();
      schedule(key, now() + Math.max(0, milliseconds), added);
    },
    addRateLimited(key, added) {
      if (shutDown === undefined) measured?.retried();
      const instant = now();
      const delay = limiter.failed(key, instant, added?.longest);
      schedule(key, instant + delay, added);
      return delay;
    },
    forget: (key) => limiter.forget(key),
    take(signal) {
      if (signal?.aborted === true || shutDown !== undefined) return Promise.resolve(undefined);
      const item = takeReady();
      if (item !== undefined) return Promise.resolve(item);
      if (signal !== undefined) heed(signal);
      return new Promise((hand) => void takers.push({ signal, hand }));
    },
    done(key) {
      const since = processing.get(key);
      if (since === undefined) return;
      processing.delete(key);
      measured?.done(now() - since);
      const again = pending.get(key);
      if (again?.place === "dirty") makeReady(again, now());
      if (shutDown !== undefined && processing.size === 0) shutDown.finish();
    },
    shutDown() {
      if (shutDown !== undefined) return shutDown.finished;
      const { promise, resolve } = Promise.withResolvers<void>();
      shutDown = { finished: promise, finish: resolve };
      pending.clear();
      delayed.clear();
      while (ready.pop() !== undefined);
      limiter.clear();
      armTimer();
      sendAway(() => true);
      if (processing.size === 0) resolve();
      return promise;
    },
    get depth() {
      return ready.size;
    },
    get delayed() {
      return delayed.size;
    },
    get processing() {
      return processing.size;
    },
  };
}
