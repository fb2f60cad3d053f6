// The signal of one run: aborted when the caller stops, or when the run takes longer than it may.
import type { Clock } from "../ports/clock.ts";
import { limitedSignal } from "../ports/deadline.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** A run's signal, and how to end it. */
export interface RunDeadline {
  readonly signal: AbortSignal;
  /** Aborted as the signal is, but not by the time limit: what says that the run took too long goes by it. */
  readonly lifetime: AbortSignal;
  /** Aborts both, so that what still listens ends, and drops timer and listener. Idempotent. */
  end(): void;
}

/** Options of {@link startDeadline}. */
export interface DeadlineOptions {
  readonly clock: Clock;
  /** The caller's signal. */
  readonly outer: AbortSignal;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
  /** The stage that the run is in, for the error. */
  readonly stage: () => string | undefined;
}

/** A signal that follows the caller's, and is aborted with `RECONCILE_TIMEOUT` after some milliseconds. */
export function startDeadline(options: DeadlineOptions): RunDeadline {
  const { clock, outer, timeout, stage } = options;
  const life = limitedSignal({ clock, signals: [outer] });
  const run = limitedSignal({
    clock,
    signals: [outer],
    timeout,
    late: () => timeoutError({ timeout: timeout ?? 0, stage: stage() }),
  });
  return {
    signal: run.signal,
    lifetime: life.signal,
    end: () => {
      overError ??= createOverError();
      run.end(overError);
      life.end(overError);
    },
  };
}

/** Every run ends with it, and hardly any hook ever sees it: made once, as the stack trace is what costs. */
let overError: OperatorError | undefined;

function createOverError(): OperatorError {
  return new OperatorError("RECONCILE_ABORTED", "the reconcile is over", {
    remedy: "Await in the hook whatever it does, or move long work into a task of the application.",
  });
}

/** What is known of a reconcile that took longer than it may. */
export interface Timeout {
  /** Milliseconds. */
  readonly timeout: number;
  /** The stage it was in. */
  readonly stage: string | undefined;
  /** Its key, where it is not reported otherwise. */
  readonly key?: string;
}

/** The error of a reconcile that took longer than it may. */
export function timeoutError({ timeout, stage, key }: Timeout): OperatorError {
  const what = key === undefined ? "the reconcile" : `the reconcile of ${key}`;
  const where = stage === undefined ? "" : ` in ${stage}`;
  return new OperatorError(
    "RECONCILE_TIMEOUT",
    `${what} timed out${where}: it took longer than ${timeout / 1_000} s`,
    {
      fields: {
        timeout,
        ...(stage === undefined ? {} : { stage }),
        ...(key === undefined ? {} : { key }),
      },
      remedy:
        "Pass the hook's signal to what it awaits, move long work into a task, or raise the controller's timeout.",
    },
  );
}
