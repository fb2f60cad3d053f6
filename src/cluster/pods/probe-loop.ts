// Asks a container the same question again and again, and says when the verdict changes.
import type { Probe } from "../../kinds/builtin/parts.ts";
import { countAnswer, startTally } from "./probe-counter.ts";
import { type Clock, sleep } from "../../ports/clock.ts";
import { withinLimits } from "../../ports/deadline.ts";

/** One probe of one instance of a container. */
export interface ProbeLoopOptions {
  readonly probe: Probe;
  /** The verdict before the first answer. */
  readonly healthy: boolean;
  readonly clock: Clock;
  /** Ends the loop. */
  readonly signal: AbortSignal;
  /** Asks once; the signal is aborted after the probe's timeout. */
  readonly ask: (deadline: AbortSignal) => Promise<boolean>;
  /** Called when the verdict changes, and each time the failure threshold is reached again. */
  readonly onVerdict: (healthy: boolean) => void;
}

/** Runs until the signal is aborted. A question that fails or takes longer than `timeoutSeconds` counts as a failure. */
export async function runProbe(options: ProbeLoopOptions): Promise<void> {
  const { probe, clock, signal, onVerdict } = options;
  let tally = startTally(options.healthy);
  await sleep(clock, (probe.initialDelaySeconds ?? 0) * 1000, signal);
  while (!signal.aborted) {
    const answer = await askOnce(options);
    if (signal.aborted) return;
    const next = countAnswer(tally, answer, probe);
    if (next.healthy !== tally.healthy || next.failedNow) onVerdict(next.healthy);
    tally = next;
    await sleep(clock, (probe.periodSeconds ?? 10) * 1000, signal);
  }
}

async function askOnce({ probe, clock, signal, ask }: ProbeLoopOptions): Promise<boolean> {
  try {
    const timeout = (probe.timeoutSeconds ?? 1) * 1000;
    return await withinLimits({ clock, signals: [signal], timeout, late: () => "no answer in time" }, ask);
  } catch {
    return false;
  }
}
