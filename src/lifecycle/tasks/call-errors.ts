// What an error means that an author's task function has thrown. The errors of our client are known by their fields, and so are
// those of most other clients: an HTTP status says more than any text.
import { isOperatorError } from "../../ports/operator-error.ts";
import { readFields } from "../values/untrusted.ts";

/** Whether what was asked for may have been carried out all the same: another attempt, under another key, would be a second task. */
export function mayHaveHappened(error: unknown): boolean {
  const isSilence = ["TASK_CALL_TIMEOUT", "CONNECTION_FAILED", "REQUEST_TIMEOUT"].some((code) =>
    isOperatorError(error, code),
  );
  return isSilence || (statusOf(error) ?? 0) >= 500;
}

/** Whether nothing was done, because it is too much at present; then in how many milliseconds to try again, if that was said. */
export function triesLater(error: unknown): { readonly after?: number } | undefined {
  if (statusOf(error) !== 429) return undefined;
  const { retryAfter } = readFields(error) ?? {};
  return typeof retryAfter === "number" && retryAfter >= 0 ? { after: retryAfter } : {};
}

/** Whether the namespace is being deleted: nothing new can be made in it any more, however often it is tried. */
export function isNamespaceGoing(error: unknown): boolean {
  const { details } = readFields(error) ?? {};
  const { causes } = readFields(details) ?? {};
  const list: readonly unknown[] = Array.isArray(causes) ? causes : [];
  return (
    statusOf(error) === 403 && list.some((cause) => readFields(cause)?.["reason"] === "NamespaceTerminating")
  );
}

function statusOf(error: unknown): number | undefined {
  const { status } = readFields(error) ?? {};
  return typeof status === "number" ? status : undefined;
}
