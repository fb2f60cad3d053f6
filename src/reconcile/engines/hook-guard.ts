// Contains one hook: whatever it throws becomes a result, and it cannot hold the run longer than the run's signal allows.
import { untilAborted } from "../../ports/deadline.ts";
import { OperatorError } from "../../ports/operator-error.ts";

/**
 * The hook's result. A hook that still runs when the signal is aborted is left behind: its later result is dropped.
 *
 * **Errors**: what the hook throws; `RECONCILE_TIMEOUT` or `RECONCILE_ABORTED` (the signal's reason) when it was aborted.
 */
export function withinSignal<T>(hook: () => Promise<T> | T, signal: AbortSignal): Promise<T> | T {
  if (signal.aborted) throw abortErrorOf(signal);
  const result = hook();
  if (!isPromise(result)) return result;
  return untilAborted(result, signal, abortErrorOf);
}

/** The error of a run that was aborted: the signal's reason when it is ours. */
function abortErrorOf(signal: AbortSignal): OperatorError {
  const reason: unknown = signal.reason;
  if (reason instanceof OperatorError) return reason;
  return new OperatorError("RECONCILE_ABORTED", "the reconcile was aborted", {
    cause: reason,
    remedy: "Nothing: it is repeated by the process that continues.",
  });
}

function isPromise<T>(value: Promise<T> | T): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
