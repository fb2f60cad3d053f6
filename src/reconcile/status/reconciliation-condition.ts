// The condition ReconciliationSuccess: what a run says about itself in the status.
// True only when everything asked for is done for this generation; its text depends on the state, not on the way there.
import { OperatorError } from "../../ports/operator-error.ts";
import type { ConditionInput } from "./status-draft.ts";
import type { Results } from "../outcome/results.ts";

/** The type of the condition; `kubectl wait --for=condition=ReconciliationSuccess` waits for it. */
export const reconciliationCondition = "ReconciliationSuccess";

/** Reasons of the condition. */
type ReconciliationReason = "Success" | "Pending" | "Paused" | "Error" | "ErrorAndGiveup" | "Finalizing";

/** The condition after a run that failed nowhere. */
export function successCondition(results: Results, resources: number): ConditionInput {
  const { outstanding } = results;
  if (outstanding === undefined) {
    return condition("True", "Success", successMessage(resources));
  }
  const delayed = results.count("CreationDelayed");
  const message =
    delayed > 0
      ? `${delayed} of ${resources} resources remain to be created`
      : (outstanding.message ?? "the reconcile is waiting for an outstanding result");
  return condition("Unknown", "Pending", message);
}

function successMessage(resources: number): string {
  if (resources === 0) return "the reconcile succeeded; no resources are declared";
  return resources === 1 ? "1 resource is as declared" : `${resources} resources are as declared`;
}

/** The condition while many resources are being written. */
export function progressCondition(done: number, all: number): ConditionInput {
  return condition("Unknown", "Pending", `${done} of ${all} resources are as declared so far`);
}

/** The condition while clean-up continues. */
export function finalizingCondition(message: string): ConditionInput {
  return condition("Unknown", "Finalizing", message);
}

/** The condition of a run while the application is paused: only a failure is reported, as nothing is written that could succeed. */
export function pausedOr(after: ConditionInput): ConditionInput {
  if (after.status === "False") return after;
  return condition("Unknown", "Paused", "nothing is written while the application is paused");
}

/** The condition after a run that failed, gave up for a reason, or waits (a `RequeueError`). */
export function failureCondition(results: Results): ConditionInput | undefined {
  const { kind, error } = results.consolidated();
  // A conflict is no news: the run is repeated in a moment.
  if (error === undefined || results.waiting === "conflict") return undefined;
  const message = failureMessage(results, error);
  if (kind === "gaveUp") return condition("False", "ErrorAndGiveup", message);
  return kind === "waiting" ? condition("Unknown", "Pending", message) : condition("False", "Error", message);
}

/** The text of a status that could not be written. */
export function statusFailureMessage(error: Error): string {
  return `the status could not be written: ${error.message}`;
}

/** Other failed resources that are named. */
const namedOthers = 10;

/** The text of the error with its resource and remedy, and which other resources failed. */
function failureMessage(results: Results, error: Error): string {
  const failed = results.operations.filter((operation) => operation.error !== undefined);
  const first = failed.find((operation) => operation.error === error);
  const named = first?.resource === undefined || names(error.message, first.resource);
  if (first?.code === "StatusUpdateFailed") return statusFailureMessage(error);
  const text = `${named ? error.message : `${first.resource}: ${error.message}`}${remedyOf(error)}`;
  const others = new Set(failed.flatMap(({ resource }) => resource ?? []));
  if (first?.resource !== undefined) others.delete(first.resource);
  if (others.size === 0) return text;
  const more = others.size - namedOthers;
  const list = [...others].slice(0, namedOthers).join(", ");
  return `${text}; also failed: ${list}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What is missing in the declaration, or wrong with the object, as another sentence: whoever sees the condition may not see the log. */
function remedyOf(error: Error): string {
  const isShown =
    error instanceof OperatorError &&
    (error.code.startsWith("CACHE_") || error.code === "RESOURCE_UNCONVERTED");
  return isShown && error.remedy !== undefined ? `. ${error.remedy}` : "";
}

function condition(
  status: ConditionInput["status"],
  reason: ReconciliationReason,
  message: string,
): ConditionInput {
  return { type: reconciliationCondition, status, reason, message };
}

/** Whether a text names a resource already, as `Kind/name` or with its name in quotes. */
function names(text: string, kindName: string): boolean {
  return text.includes(kindName) || text.includes(`"${kindName.slice(kindName.indexOf("/") + 1)}"`);
}
