// How long this process may act, by its own clocks, and what it has under way meanwhile. Begun and prolonged by the
// elector, asked by the fenced client before every write.
import { ApiError } from "../client/api-error.ts";
import { monotonicNow, type Clock, type TimerHandle } from "../ports/clock.ts";
import { limitedSignal } from "../ports/deadline.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** A moment on both local clocks. */
export interface Moment {
  /** Milliseconds; never jumps, but may stand still while the machine sleeps. */
  readonly monotonic: number;
  /** Milliseconds since the epoch; goes on while the machine sleeps, but may jump. */
  readonly wall: number;
}

/** Both local clocks now. */
export function momentOf(clock: Clock): Moment {
  return { monotonic: monotonicNow(clock), wall: clock.now() };
}

/** Options of {@link LeadershipTerm}. */
export interface LeadershipTermOptions {
  readonly clock: Clock;
  /** Milliseconds from the sending of a claim or renewal until the end of the term. */
  readonly length: number;
  /** What is led, for messages. */
  readonly name: string;
  readonly identity: string;
  /** What the term is a term of; default leadership. */
  readonly wording?: TermWording;
}

/** What a write is sent within. */
export interface WriteBounds {
  /** Aborted when the write is allowed no more. */
  readonly signal: AbortSignal;
  /** To be called when it is about to go out: throws when it is allowed no more, whether or not a timer has said so. */
  readonly beforeSend: () => void;
}

/** How a term is talked about. */
export interface TermWording {
  /** For instance `the leadership of`. */
  readonly what: string;
  /** For instance `this process does not lead`. */
  readonly missing: string;
  /** Error codes before and after the term. */
  readonly missingCode: string;
  readonly lostCode: string;
}

const leadership: TermWording = {
  what: "the leadership of",
  missing: "this process does not lead",
  missingCode: "LEADERSHIP_MISSING",
  lostCode: "LEADERSHIP_LOST",
};

/**
 * The time during which this process leads.
 *
 * **Guarantees**: it is over as soon as *either* clock says so, whether or not a timer has fired since: a process that was
 * suspended finds it over when it wakes. What is over does not begin again. It counts from before a request was sent,
 * others count from after they saw its effect; so it ends before the Lease can be taken, by the margin between
 * `renewDeadline` and `leaseDuration`.
 * **Caveats**: the API server does not check it. A write that was sent in time, and that the network holds back for
 * longer than that margin, still takes effect.
 */
export class LeadershipTerm {
  readonly #options: LeadershipTermOptions;
  readonly #abort = new AbortController();
  #until: Moment | undefined;
  #timer: TimerHandle | undefined;
  #underWay = 0;
  #lastUnknown: number | undefined;

  constructor(options: LeadershipTermOptions) {
    this.#options = options;
  }

  /** Aborted when the term is over; its reason is the error that writes are refused with. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether this process leads at this instant. */
  get held(): boolean {
    return this.remaining() > 0;
  }

  /** Whole milliseconds until the term is over, rounded up; 0 when it is, or has not begun. */
  remaining(): number {
    if (this.#until === undefined || this.signal.aborted) return 0;
    const now = momentOf(this.#options.clock);
    const rest = Math.min(this.#until.monotonic - now.monotonic, this.#until.wall - now.wall);
    if (rest > 0) return Math.ceil(rest);
    this.end(
      this.#lost("the Lease was not renewed in time", {
        remedy: "The process was suspended, short of CPU, or disconnected from the API server; restart it.",
      }),
    );
    return 0;
  }

  /** Begins or prolongs the term by a claim that was sent at that moment; false when that comes too late. */
  extend(sent: Moment): boolean {
    const { clock, length } = this.#options;
    if (this.signal.aborted || (this.#until !== undefined && !this.held)) return false;
    const now = momentOf(clock);
    const until = { monotonic: sent.monotonic + length, wall: sent.wall + length };
    // A late answer to the first claim: the next one may be in time.
    if (until.monotonic <= now.monotonic || until.wall <= now.wall) return false;
    this.#until = until;
    this.#disarm();
    this.#arm();
    return true;
  }

  /** Ends it at once and for good. Idempotent. */
  end(reason: OperatorError): void {
    this.#disarm();
    if (!this.signal.aborted) this.#abort.abort(reason);
  }

  /** Ends it because another process leads. */
  endByTakeover(holder: string | undefined): void {
    const who = holder === undefined ? "another process" : `"${holder}"`;
    this.endBecause(
      `${who} leads now`,
      "Nothing, if this process was disconnected for a while; otherwise find out what edits the Lease.",
    );
  }

  /** Ends it for another reason. */
  endBecause(why: string, remedy: string): void {
    this.end(this.#lost(why, { remedy }));
  }

  /** Ends it because this process lets go. */
  endByResignation(): void {
    this.end(this.#lost("this process has released it", {}));
  }

  /**
   * Sends a write while the term lasts. Its signal is aborted with the term, or with the caller's; it asks once more when it
   * goes out, as a process may be suspended between the two.
   *
   * **Errors**: `LEADERSHIP_MISSING` before the term, `LEADERSHIP_LOST` after it; else what the write rejects with.
   */
  async write<T>(
    what: string,
    outer: AbortSignal | undefined,
    send: (bounds: WriteBounds) => Promise<T>,
  ): Promise<T> {
    this.#assertHeld(what);
    const { clock } = this.#options;
    const { signal, release } = limitedSignal({ clock, signals: [outer, this.signal] });
    this.#underWay += 1;
    try {
      return await send({ signal, beforeSend: () => this.#assertHeld(what) });
    } catch (error) {
      if (isUnanswered(error)) this.#lastUnknown = monotonicNow(clock);
      throw error;
    } finally {
      this.#underWay -= 1;
      release();
    }
  }

  /** Whether no write is under way, and none within so many milliseconds ended without the server's answer. */
  isQuiet(margin: number): boolean {
    if (this.#underWay > 0) return false;
    return this.#lastUnknown === undefined || monotonicNow(this.#options.clock) - this.#lastUnknown >= margin;
  }

  #assertHeld(what: string): void {
    if (this.held) return;
    const { name, identity, wording = leadership } = this.#options;
    if (!this.signal.aborted) {
      throw new OperatorError(wording.missingCode, `${what} is refused: ${wording.missing} ${name}`, {
        fields: { election: name, identity },
        remedy: "Write only while this process leads; reads are always allowed.",
      });
    }
    const lost: unknown = this.signal.reason;
    throw this.#lost(`${what} is refused`, { cause: lost });
  }

  #lost(why: string, options: { readonly cause?: unknown; readonly remedy?: string }): OperatorError {
    const { name, identity, wording = leadership } = this.#options;
    return new OperatorError(wording.lostCode, `${wording.what} ${name} is lost: ${why}`, {
      fields: { election: name, identity },
      ...options,
    });
  }

  #arm(): void {
    const { clock } = this.#options;
    // The wall clock may have been set back meanwhile: look, and arm again for what is left.
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.held) this.#arm();
    }, this.remaining());
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Whether it is unknown what the server did: there was no answer, or one of a server in trouble. */
export function isUnanswered(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500;
}
