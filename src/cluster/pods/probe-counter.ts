// The arithmetic of a probe: how many answers in a row turn success into failure and back.
import type { Probe } from "../../kinds/builtin/parts.ts";

/** What the answers so far say. */
export interface ProbeTally {
  /** The verdict: changes only when a threshold is reached. */
  readonly healthy: boolean;
  /** Answers in a row that were alike. */
  readonly inRow: number;
  readonly last: boolean | undefined;
  /** True when this very answer reached the failure threshold (again). */
  readonly failedNow: boolean;
}

/** The tally before the first answer. */
export function startTally(healthy: boolean): ProbeTally {
  return { healthy, inRow: 0, last: undefined, failedNow: false };
}

/** The tally after one more answer. */
export function countAnswer(tally: ProbeTally, answer: boolean, probe: Probe): ProbeTally {
  const inRow = tally.last === answer ? tally.inRow + 1 : 1;
  if (answer) {
    const healthy = tally.healthy || inRow >= (probe.successThreshold ?? 1);
    return { healthy, inRow, last: true, failedNow: false };
  }
  const failedNow = inRow >= (probe.failureThreshold ?? 3);
  return { healthy: tally.healthy && !failedNow, inRow, last: false, failedNow };
}
