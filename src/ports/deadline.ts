// What ends a wait before the work does: a signal that is aborted, a time that is over, or silence. Every race of work with
// one of them is run here.
import { monotonicNow, type Clock, type TimerHandle } from "./clock.ts";

/** A controller that is aborted already where something is over: for a signal that is made late. */
export function abortedFor(over: { readonly reason: unknown } | undefined): AbortController {
  const abort = new AbortController();
  if (over !== undefined) abort.abort(over.reason);
  return abort;
}

/** What is over at some time, for a reason. Who only has to hear of it asks for that: signals cost more than all the rest of it. */
export interface Ends {
  /** Why it is over; undefined while it is not. */
  readonly over: { readonly reason: unknown } | undefined;
  /** Calls back once when it is over; not when it is already. */
  listen(heard: (reason: unknown) => void): void;
  /** Calls back no more. */
  unlisten(heard: (reason: unknown) => void): void;
}

/** What is ended by whoever has made it. */
export class Ending implements Ends {
  #over: { readonly reason: unknown } | undefined;
  #abort: AbortController | undefined;
  #heard: Set<(reason: unknown) => void> | undefined;

  get over(): { readonly reason: unknown } | undefined {
    return this.#over;
  }

  /** Aborted when it is over; made when it is first asked for. */
  get signal(): AbortSignal {
    this.#abort ??= abortedFor(this.#over);
    return this.#abort.signal;
  }

  listen(heard: (reason: unknown) => void): void {
    (this.#heard ??= new Set()).add(heard);
  }

  unlisten(heard: (reason: unknown) => void): void {
    this.#heard?.delete(heard);
  }

  /** Ends it, unless it is over already. */
  end(reason: unknown): void {
    if (this.#over !== undefined) return;
    this.#over = { reason };
    const all = this.#heard;
    this.#heard = undefined;
    this.#abort?.abort(reason);
    if (all !== undefined) for (const heard of all) heard(reason);
  }
}

/** What limits a wait. */
export interface Limits {
  readonly clock: Clock;
  /** The first of them that is aborted ends the wait, with its reason. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** Ends the wait when it is over, with its reason; default nothing does. */
  readonly until?: Ends | undefined;
  /** Milliseconds; default no limit. */
  readonly timeout?: number | undefined;
  /** Makes the reason of a wait that took too long; required with a timeout. */
  readonly late?: () => unknown;
}

/** A signal with limits. Who only has to hear of its end asks for that: signals cost more than all the rest of it. */
export interface LimitedSignal {
  /** Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** Why it is over; undefined while it is not. */
  readonly over: { readonly reason: unknown } | undefined;
  /** Calls back once when it is over, with the reason; whoever asks last is heard. Undefined: nobody any more. */
  readonly whenOver: (heard: ((reason: unknown) => void) | undefined) => void;
  /** Takes the time limit off; the other signals stay connected. */
  readonly lift: () => void;
  /** Aborts it now, with this reason, unless it is aborted already; nothing is left to release. */
  readonly end: (reason: unknown) => void;
  /** Lets go of timer and listeners. Idempotent. */
  readonly release: () => void;
}

/** A signal that is aborted with the first of others, or when the time is over. Release it when it is no longer needed. */
export function limitedSignal(limits: Limits): LimitedSignal {
  return new Limited(limits);
}

/** See {@link limitedSignal}. */
class Limited implements LimitedSignal {
  readonly #clock: Clock;
  #timer: TimerHandle | undefined;
  #followed: readonly (AbortSignal | undefined)[] = [];
  #until: Ends | undefined;
  #over: { readonly reason: unknown } | undefined;
  #abort: AbortController | undefined;
  #heard: ((reason: unknown) => void) | undefined;

  constructor({ clock, signals = [], until, timeout, late }: Limits) {
    this.#clock = clock;
    const aborted = signals.find((signal) => signal?.aborted === true);
    this.#over = aborted === undefined ? until?.over : { reason: aborted.reason };
    if (this.#over !== undefined) return;
    if (timeout !== undefined) this.#timer = clock.setTimeout(() => this.end(late?.()), timeout);
    for (const signal of signals) signal?.addEventListener("abort", this.#follow, { once: true });
    this.#followed = signals;
    until?.listen(this.end);
    this.#until = until;
  }

  get signal(): AbortSignal {
    this.#abort ??= abortedFor(this.#over);
    return this.#abort.signal;
  }

  get over(): { readonly reason: unknown } | undefined {
    return this.#over;
  }

  // Functions of its own, as they are handed on alone.
  readonly #follow = ({ target }: Event): void => this.end((target as AbortSignal).reason);

  readonly whenOver = (heard: ((reason: unknown) => void) | undefined): void => {
    this.#heard = heard;
    if (this.#over !== undefined) heard?.(this.#over.reason);
  };

  readonly lift = (): void => {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
  };

  readonly end = (reason: unknown): void => {
    this.release();
    if (this.#over !== undefined) return;
    this.#over = { reason };
    this.#abort?.abort(this.#over.reason);
    this.#heard?.(this.#over.reason);
  };

  readonly release = (): void => {
    this.lift();
    for (const signal of this.#followed) signal?.removeEventListener("abort", this.#follow);
    this.#followed = [];
    this.#until?.unlisten(this.end);
  };
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
