// What ends a wait before the work does: a signal that is aborted, a time that is over, or silence. Every race of work with
// one of them is run here.
import { monotonicNow, type Clock, type TimerHandle } from "./clock.ts";

/** Whether there is anything to wait for. */
export function isPromise<T>(value: Promise<T> | T): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === "function";
}

/** What limits a wait. */
export interface Limits {
  readonly clock: Clock;
  /** The first of them that is aborted ends the wait, with its reason. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** Milliseconds; default no limit. */
  readonly timeout?: number | undefined;
  /** Makes the reason of a wait that took too long; required with a timeout. */
  readonly late?: () => unknown;
}

/** A signal with limits. */
export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Takes the time limit off; the other signals stay connected. */
  readonly lift: () => void;
  /** Aborts it now, with this reason, unless it is aborted already; nothing is left to release. */
  readonly end: (reason: unknown) => void;
  /** Lets go of timer and listeners. Idempotent. */
  readonly release: () => void;
}

/** A signal that is aborted with the first of others, or when the time is over. Release it when it is no longer needed. */
export function limitedSignal({ clock, signals = [], timeout, late }: Limits): LimitedSignal {
  const own = new AbortController();
  const followed: { readonly signal: AbortSignal; readonly follow: () => void }[] = [];
  const timer =
    timeout === undefined || signals.some((signal) => signal?.aborted === true)
      ? undefined
      : clock.setTimeout(() => end(late?.()), timeout);
  const lift = (): void => {
    if (timer !== undefined) clock.clearTimeout(timer);
  };
  const release = (): void => {
    lift();
    for (const { signal, follow } of followed.splice(0)) signal.removeEventListener("abort", follow);
  };
  function end(reason: unknown): void {
    release();
    own.abort(reason);
  }
  for (const signal of signals) {
    if (signal === undefined) continue;
    const follow = (): void => end(signal.reason);
    if (signal.aborted) {
      follow();
      break;
    }
    signal.addEventListener("abort", follow, { once: true });
    followed.push({ signal, follow });
  }
  return { signal: own.signal, lift, end, release };
}

/**
 * The outcome of what is under way; rejects when the signal is aborted first, with its reason or what is made of it. What
 * becomes of it later is not heard. Leaves no listener behind.
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reasonOf: (signal: AbortSignal) => unknown = ({ reason }) => reason,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(reasonOf(signal));
    const succeed = (result: T): void => {
      signal.removeEventListener("abort", giveUp);
      resolve(result);
    };
    const fail = (error: unknown): void => {
      signal.removeEventListener("abort", giveUp);
      reject(error);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    work.then(succeed, fail);
  });
}

/**
 * What the work returns, within limits: it is not begun when one of the signals is aborted already, and not waited for any
 * longer than until one is, or the time is over. The signal that it is given is aborted then.
 *
 * **Errors**: what the work throws; the reason of the signal; what `late` makes.
 */
export async function withinLimits<T>(
  limits: Limits,
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<T> {
  for (const signal of limits.signals ?? []) signal?.throwIfAborted();
  const { signal, release } = limitedSignal(limits);
  try {
    return await untilAborted((async () => work(signal))(), signal);
  } finally {
    release();
  }
}

/** Calls back once when nothing was heard for so many milliseconds. It needs one timer, however much is heard. */
export class Silence {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #onSilence: () => void;
  #timer: TimerHandle;
  /** When it began. */
  #since: number;

  constructor(clock: Clock, limit: number, onSilence: () => void) {
    this.#clock = clock;
    this.#limit = limit;
    this.#onSilence = onSilence;
    this.#since = monotonicNow(clock);
    this.#timer = this.#wait(limit);
  }

  /** Something was heard. */
  heard(): void {
    this.#since = monotonicNow(this.#clock);
  }

  /** Nobody listens until something is heard again. */
  ignore(): void {
    this.#since = Infinity;
  }

  /** Never calls back any more. */
  end(): void {
    this.#clock.clearTimeout(this.#timer);
  }

  #wait(milliseconds: number): TimerHandle {
    return this.#clock.setTimeout(() => {
      const left = this.#since + this.#limit - monotonicNow(this.#clock);
      if (left > 0) this.#timer = this.#wait(Math.min(left, this.#limit));
      else this.#onSilence();
    }, milliseconds);
  }
}
