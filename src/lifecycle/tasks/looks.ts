// The looks at one resource: at its application, and at each of its tasks. A look may hang, and what is due meanwhile must not
// wait for it: it is cut short then. What ignores its signal goes on, and no other look is begun beside it before its time is over.
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import { limitedSignal, untilAborted, type LimitedSignal, type Limits } from "../../ports/deadline.ts";
import { isPromise } from "../../ports/eventual.ts";
import { isOperatorError, OperatorError } from "../../ports/operator-error.ts";
import { formatInstant } from "../values/untrusted.ts";

/** Why a look is cut short. */
export type CutReason = "a deadline is due" | "the resource was changed";

/** A look that has begun and has not returned. */
interface OpenLook {
  /** When it began. */
  readonly since: number;
  /** When its time is over, in monotonic milliseconds. */
  readonly until: number;
  /** Undefined once nobody waits for it any more. */
  limited: LimitedSignal | undefined;
}

/** What a look is given. */
export interface LookLimits {
  readonly signal: AbortSignal;
}

/** Its signal is made when the look asks for it. */
class LimitsWhenAsked implements LookLimits {
  readonly #limit: () => LimitedSignal;

  constructor(limit: () => LimitedSignal) {
    this.#limit = limit;
  }

  get signal(): AbortSignal {
    return this.#limit().signal;
  }
}

/** The looks at one resource. Outlives the cycles, as a look that ignores its signal does. */
export class Looks {
  /** Made with the first look that takes its time: there are as many of these as resources. */
  #open: Map<string, OpenLook> | undefined;
  /** Whether one was not answered in time, since somebody asked. */
  #isUnanswered = false;

  /**
   * What a look comes to; at once, where it does. `name`: what is looked at.
   *
   * **Errors**: `LOOK_CUT_SHORT` where it was, or where an earlier one still goes on; the reason of a signal; what `late` makes.
   */
  within<T>(
    name: string,
    { clock, signals = [], timeout = 0, late }: Limits,
    look: (limits: LookLimits) => Promise<T> | T,
  ): Promise<T> | T {
    for (const signal of signals) signal?.throwIfAborted();
    const now = monotonicNow(clock);
    const earlier = this.#open?.get(name);
    if (earlier !== undefined && now < earlier.until) throw stillOpen(earlier);
    const open: OpenLook = { since: clock.now(), until: now + timeout, limited: undefined };
    const limit = (): LimitedSignal =>
      (open.limited ??= limitedSignal({ clock, signals, timeout, ...(late === undefined ? {} : { late }) }));
    try {
      const answer = look(new LimitsWhenAsked(limit));
      if (isPromise(answer)) return this.#await(name, open, answer, limit());
      // As by observers that read the cache: there was nothing to limit.
      open.limited?.release();
      return answer;
    } catch (error) {
      open.limited?.release();
      throw error;
    }
  }

  async #await<T>(name: string, open: OpenLook, work: Promise<T>, limited: LimitedSignal): Promise<T> {
    const looks = (this.#open ??= new Map<string, OpenLook>());
    looks.set(name, open);
    const close = (): void => {
      if (looks.get(name) === open) looks.delete(name);
    };
    try {
      return await untilAborted(work, limited.signal);
    } finally {
      open.limited = undefined;
      limited.release();
      if (limited.signal.aborted) {
        this.#isUnanswered = true;
        work.then(close, close);
      } else close();
    }
  }

  /** Aborts the looks that are waited for. */
  cutShort(reason: CutReason): void {
    for (const { limited, since } of this.#open?.values() ?? []) limited?.end(cut(reason, since));
  }

  /** Whether one was not answered in time since this was asked for the last time. */
  takeUnanswered(): boolean {
    const isUnanswered = this.#isUnanswered;
    this.#isUnanswered = false;
    return isUnanswered;
  }

  /** Milliseconds until none that ignores its signal is in the way of another one; undefined where none is. */
  inTheWay(clock: Clock): number | undefined {
    const left = [...(this.#open?.values() ?? [])].map(({ until }) => until - monotonicNow(clock));
    return left.length === 0 ? undefined : Math.max(0, ...left);
  }
}

/** Whether a look has not failed, but was cut short, or not begun beside an earlier one. */
export function wasCutShort(error: unknown): boolean {
  return isOperatorError(error, "LOOK_CUT_SHORT");
}

function cut(reason: CutReason, since: number): OperatorError {
  const text = `observe has not returned since ${formatInstant(since)}, and was ended because ${reason}`;
  return new OperatorError("LOOK_CUT_SHORT", text, { remedy });
}

function stillOpen({ since }: OpenLook): OperatorError {
  const text = `observe ignores its signal, and has not returned since ${formatInstant(since)}; it is not called beside itself`;
  return new OperatorError("LOOK_CUT_SHORT", text, { remedy });
}

const remedy = "Pass the signal to everything that the observer awaits.";
