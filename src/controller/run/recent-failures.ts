// How many reconciles of a controller failed within the last minutes: what is said when its health is asked for. Fed by the
// workers.
import type { ReconcileFailure } from "../../ports/operator-health.ts";

/** Minutes for which failures are counted. */
export const minutesCounted = 5;
/** Failures of which more than their number is kept. */
const kept = 5;
const minute = 60_000;

/** The failures of one controller; keeps a number for each minute, whatever happens. */
export class RecentFailures {
  /** By the minute since the epoch, the last one last. */
  #counts: { readonly minute: number; count: number }[] = [];
  #last: readonly ReconcileFailure[] = [];

  /** Notes a failure. */
  note(failure: ReconcileFailure): void {
    const current = Math.floor(failure.at / minute);
    const counted = this.#counts.at(-1);
    if (counted?.minute === current) counted.count += 1;
    else this.#counts = [...this.#counts, { minute: current, count: 1 }].slice(-minutesCounted);
    this.#last = [failure, ...this.#last].slice(0, kept);
  }

  /** Those of the last minutes; the last ones newest first. */
  within(now: number): { readonly count: number; readonly last: readonly ReconcileFailure[] } {
    const first = Math.floor(now / minute) - minutesCounted;
    const counted = this.#counts.filter((each) => each.minute > first);
    return {
      count: counted.reduce((sum, { count }) => sum + count, 0),
      last: this.#last.filter(({ at }) => Math.floor(at / minute) > first),
    };
  }
}
