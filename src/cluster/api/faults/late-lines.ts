// The lines of one watch, each sent some time after it was written, in order.
import { monotonicNow, type Clock, type TimerHandle } from "../../../ports/clock.ts";

/** What comes after. */
interface Next {
  write(text: string): void;
  end(): void;
}

/** See the head of this file; without a delay, lines pass at once. */
export class LateLines {
  /** Milliseconds by which the next line is late; undefined for none. */
  delay: number | undefined;
  readonly #clock: Clock;
  readonly #next: Next;
  #waiting: { readonly due: number; readonly send: () => void }[] = [];
  #timer: TimerHandle | undefined;

  constructor(clock: Clock, next: Next) {
    this.#clock = clock;
    this.#next = next;
  }

  write(text: string): void {
    this.#pass(() => this.#next.write(text));
  }

  /** Ends the stream after the lines that wait. */
  end(): void {
    this.#pass(() => this.#next.end());
  }

  /** Sends what waits now. */
  release(): void {
    this.delay = undefined;
    this.#waiting = this.#waiting.map(({ send }) => ({ due: 0, send }));
    this.#sendDue();
  }

  /** Drops what waits. */
  close(): void {
    this.#waiting = [];
    this.#arm();
  }

  #pass(send: () => void): void {
    if (this.delay === undefined && this.#waiting.length === 0) {
      send();
      return;
    }
    // Never before the line in front of it.
    const due = Math.max(monotonicNow(this.#clock) + (this.delay ?? 0), this.#waiting.at(-1)?.due ?? 0);
    this.#waiting.push({ due, send });
    this.#arm();
  }

  #sendDue(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (first.due > monotonicNow(this.#clock)) break;
      this.#waiting.shift();
      first.send();
    }
    this.#arm();
  }

  #arm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const due = this.#waiting[0]?.due ?? Infinity;
    if (due === Infinity) return;
    this.#timer = this.#clock.setTimeout(
      () => {
        this.#timer = undefined;
        this.#sendDue();
      },
      due - monotonicNow(this.#clock),
    );
  }
}
