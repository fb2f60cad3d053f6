// The error of a process that stopped before its reconciles had ended: it names them, and how far each was.
import { OperatorError } from "../ports/operator-error.ts";

/** A reconcile that was aborted. */
export interface CutOffRun {
  readonly controller: string;
  readonly key: string;
  readonly stage: string | undefined;
  /** Milliseconds so far. */
  readonly took: number;
}

/** Reconciles named in the message; the rest are counted. */
const named = 10;

/** `DRAIN_TIMEOUT`; the limit is in milliseconds. */
export function drainTimeoutError(limit: number, runs: readonly CutOffRun[]): OperatorError {
  const texts = runs.slice(0, named).map(({ controller, key, stage = "no stage yet", took }) => {
    return `${controller} ${key} (${stage}, for ${Math.round(took / 100) / 10} s)`;
  });
  const more = runs.length > named ? `, and ${runs.length - named} more` : "";
  return new OperatorError(
    "DRAIN_TIMEOUT",
    `${runs.length} reconciles did not finish within ${limit / 1_000} s and were aborted: ${texts.join(", ")}${more}`,
    {
      fields: { drainTimeout: limit, reconciles: runs },
      remedy:
        "Pass the signal to everything that a hook awaits, turn long work into a task of the application, or allow more time.",
    },
  );
}
