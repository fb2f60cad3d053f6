// The bytes of one watch, sent at a limited rate, so that lines arrive in pieces.
import type { Clock, TimerHandle } from "../../../ports/clock.ts";

/** What comes after. */
interface Next {
  write(text: string): void;
  end(): void;
}

/** Milliseconds between two pieces. */
const interval = 50;

/** See the head of this file; without a rate, text passes at once. Counts characters, which for JSON are mostly bytes. */
export class ThrottledBytes {
  /** Per second; undefined for no limit. */
  rate: number | undefined;
  readonly #clock: Clock;
  readonly #next: Next;
  #backlog = "";
  #ending = false;
  #timer: TimerHandle | undefined;

  constructor(clock: Clock, next: Next) {
    this.#clock = clock;
    this.#next = next;
  }

  write(text: string): void {
    if (this.rate === undefined && this.#backlog === "") {
      this.#next.write(text);
      return;
    }
    this.#backlog += text;
    this.#arm();
  }

  /** Ends the stream after what waits. */
  end(): void {
    this.#ending = true;
    if (this.#backlog === "") this.#next.end();
  }

  /** Sends what waits now. */
  release(): void {
    this.rate = undefined;
    this.#sendPiece(this.#backlog.length);
  }

  /** Drops what waits. */
  close(): void {
    this.#backlog = "";
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined;
      const { rate } = this;
      this.#sendPiece(rate === undefined ? this.#backlog.length : Math.ceil((rate * interval) / 1_000));
    }, interval);
  }

  #sendPiece(length: number): void {
    const piece = this.#backlog.slice(0, length);
    this.#backlog = this.#backlog.slice(length);
    if (piece !== "") this.#next.write(piece);
    if (this.#backlog !== "") this.#arm();
    else if (this.#ending) this.#next.end();
  }
}
