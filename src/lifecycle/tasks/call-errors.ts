// What an error means that an author's task function has thrown. The errors of our client are known by their fields, and so are
// those of other clients (fetch, axios, got, SDKs): an HTTP status and a code of the connection say more than any text.
import { readFields } from "../values/untrusted.ts";

/** Whether what was asked for may have been carried out all the same: another attempt, under another key, would be a second task. */
export function mayHaveHappened(error: unknown): boolean {
  if (refusals.has(readFields(error)?.["code"])) return false;
  const status = statusOf(error);
  return status === undefined ? isSilence(error, deepestCause) : status >= 500 || status === 408;
}

/** Codes of our client for answers that look like trouble of the API server, and refuse what was sent. */
const refusals: ReadonlySet<unknown> = new Set(["API_MISFIT", "API_TOO_LARGE"]);

/** Codes of our client, of Node, of undici and of axios for a request that was cut off or not answered; a refused connection is none. */
const silences: ReadonlySet<unknown> = new Set([
  "TASK_CALL_TIMEOUT",
  "CONNECTION_FAILED",
  "REQUEST_TIMEOUT",
  "HTTP_TIMEOUT",
  "EXEC_TIMEOUT",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ERR_STREAM_PREMATURE_CLOSE",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_ABORTED",
]);
/** Names of what an aborted request is rejected with. */
const cuts: ReadonlySet<unknown> = new Set(["AbortError", "TimeoutError"]);

/** Causes of causes that are looked at. */
const deepestCause = 4;

/** `fetch failed` says by its cause what has happened. */
function isSilence(error: unknown, levels: number): boolean {
  const { code, name, cause } = readFields(error) ?? {};
  if (silences.has(code) || cuts.has(name)) return true;
  return levels > 0 && cause !== undefined && isSilence(cause, levels - 1);
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
  const { status, statusCode, code, response, $metadata } = readFields(error) ?? {};
  const answers = [response, $metadata].map((each) => readFields(each) ?? {});
  const answered = answers.flatMap((each) => [each["status"], each["statusCode"], each["httpStatusCode"]]);
  return [status, statusCode, code, ...answered].find(isStatus);
}

function isStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 100 && value < 600;
}
