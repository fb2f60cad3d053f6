// Plans the cycles of one resource again, one after the other, and keeps the first that differs.
import type { PlanDifference } from "./plan-differences.ts";
import type { RunLine } from "./recording-format.ts";
import { replayCycle, type PresentKind } from "./replay-cycle.ts";

/** The first cycle that differs. */
export interface FirstDifference {
  /** Counted from 1. */
  readonly cycle: number;
  readonly run: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The most telling one first. */
  readonly differences: readonly PlanDifference[];
}

/** What came of a resource. */
export interface ResourceVerdict {
  /** Cycles that were planned again. */
  readonly cycles: number;
  readonly different: number;
  readonly first?: FirstDifference;
  /** How many cannot be determined, and why; one of the reasons when there are several. */
  readonly undecided: number;
  readonly why?: string;
}

/** Milliseconds that let a machine show that it depends on the time of day. */
const pauseFor = 2;

/** Takes the runs of one resource in their order. */
export class ResourceReplay {
  readonly #present: PresentKind;
  readonly #sleep: (milliseconds: number) => Promise<void>;
  #cycles = 0;
  #different = 0;
  #first: FirstDifference | undefined;
  #undecided = 0;
  #why: string | undefined;

  constructor(present: PresentKind, sleep: (milliseconds: number) => Promise<void>) {
    this.#present = present;
    this.#sleep = sleep;
  }

  async take(run: RunLine): Promise<void> {
    for (const cycle of run.cycles) {
      this.#cycles += 1;
      // That one depends on the time of day is found out before the first difference is reported, not for each one after it.
      const pause = (): Promise<void> =>
        this.#first === undefined ? this.#sleep(pauseFor) : Promise.resolve();
      const verdict = await replayCycle(this.#present, run, cycle, pause);
      if (verdict.kind === "undecided") {
        this.#undecided += 1;
        this.#why ??= verdict.why;
      } else if (verdict.kind === "different") {
        this.#different += 1;
        const { differences } = verdict;
        this.#first ??= { cycle: this.#cycles, run: run.id, at: run.startedAt, differences };
      }
    }
  }

  get verdict(): ResourceVerdict {
    return {
      cycles: this.#cycles,
      different: this.#different,
      ...(this.#first === undefined ? {} : { first: this.#first }),
      undecided: this.#undecided,
      ...(this.#why === undefined ? {} : { why: this.#why }),
    };
  }
}
