// Turns of the event loop: runs that wait for nothing but promises would keep every timer, socket and signal waiting until
// the last of them has ended; the lease would not be renewed, and nobody could stop the process.
import { monotonicNow, type Clock } from "../../ports/clock.ts";

/** Milliseconds that runs may take before others have their turn. */
const longestTurn = 10;

/** The turns of the workers of one pool, who all wait for the same one. */
export class Turns {
  readonly #clock: Clock;
  #since: number;
  #others: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = monotonicNow(clock);
  }

  /** Resolves at once while the present turn lasts, else after everybody else has had one. */
  async next(): Promise<void> {
    if (monotonicNow(this.#clock) - this.#since < longestTurn) return;
    this.#others ??= this.#pass();
    await this.#others;
  }

  async #pass(): Promise<void> {
    await this.#clock.yield?.();
    this.#others = undefined;
    this.#since = monotonicNow(this.#clock);
  }
}
