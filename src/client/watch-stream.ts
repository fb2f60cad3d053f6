// Decodes the body of a watch: lines of JSON become events. Nothing is dropped silently: a line that cannot be read, a
// stream that ends within a line and a stream without data for too long are errors.
import type { KubeObject } from "../meta/object.ts";
import type { Clock } from "../ports/clock.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { WatchEvent } from "./kube-client.ts";
import { statusToApiError } from "./status-body.ts";

/** Annotation of the bookmark that ends the initial events of a streaming list. */
const initialEventsEnd = "k8s.io/initial-events-end";

/** Options of {@link decodeWatch}. */
export interface DecodeOptions {
  /** For messages: `verb path`. */
  readonly request: string;
  readonly clock: Clock;
  /** Milliseconds without a byte after which `WATCH_IDLE` is thrown; undefined: never. */
  readonly idleTimeout: number | undefined;
}

/**
 * The events of a watch's body; ends when the server ends the stream between two lines.
 *
 * **Errors**: `ApiError` for an ERROR line (410 when the resourceVersion is too old), `WATCH_MALFORMED`,
 * `WATCH_TRUNCATED`, `WATCH_IDLE`, and whatever reading the body throws.
 */
export async function* decodeWatch<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const line of splitLines(withIdleTimeout(body, options), options.request)) {
    if (line.trim() !== "") yield decodeLine<T>(line, options.request);
  }
}

/** The lines of a byte stream. A character may be cut anywhere, so bytes are joined before they are decoded. */
async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  request: string,
): AsyncGenerator<string, void, undefined> {
  const newline = 0x0a;
  let pieces: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const last = chunk.subarray(start, end);
      const line = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
      pieces = [];
      start = end + 1;
      yield Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString("utf8");
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  const rest = Buffer.concat(pieces).toString("utf8");
  if (rest.trim() !== "") {
    throw new OperatorError("WATCH_TRUNCATED", `${request}: the stream ended within a line: ${quote(rest)}`, {
      remedy: "Nothing to do: the watch resumes from the last complete event.",
    });
  }
}

/** Waits for each chunk, at most for the idle time; the time a reader takes between two chunks does not count. */
async function* withIdleTimeout(
  body: AsyncIterable<Uint8Array>,
  { clock, idleTimeout, request }: DecodeOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const next = chunks.next();
    const result = idleTimeout === undefined ? await next : await within(next, clock, idleTimeout, request);
    if (result.done === true) return;
    yield result.value;
  }
}

function within<T>(promise: Promise<T>, clock: Clock, idleTimeout: number, request: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      reject(
        new OperatorError("WATCH_IDLE", `${request}: no data for ${idleTimeout} ms`, {
          remedy:
            "Nothing to do: the watch reconnects. If it recurs, a proxy or firewall drops idle connections.",
        }),
      );
    }, idleTimeout);
    promise.then(resolve, reject).finally(() => clock.clearTimeout(timer));
  });
}

function decodeLine<T extends KubeObject>(line: string, request: string): WatchEvent<T> {
  let event: { readonly type?: unknown; readonly object?: unknown };
  try {
    event = JSON.parse(line) as typeof event;
  } catch (error) {
    throw malformed(line, request, "is not JSON", error);
  }
  if (event?.type === "ERROR") throw statusToApiError(event.object, { request });
  const object = event?.object;
  if (!isObjectWithVersion(object)) throw malformed(line, request, "has no object with a resourceVersion");
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: event.type, object: object as T };
    case "BOOKMARK":
      return {
        type: "BOOKMARK",
        resourceVersion: object.metadata.resourceVersion,
        initialEventsEnd: object.metadata.annotations?.[initialEventsEnd] === "true",
      };
    default:
      throw malformed(line, request, `has the unknown type ${JSON.stringify(event.type)}`);
  }
}

function isObjectWithVersion(value: unknown): value is KubeObject {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  const { metadata } = value as { readonly metadata: Partial<KubeObject["metadata"]> | null };
  return typeof metadata?.resourceVersion === "string";
}

function malformed(line: string, request: string, what: string, cause?: unknown): OperatorError {
  return new OperatorError("WATCH_MALFORMED", `${request}: a line of the stream ${what}: ${quote(line)}`, {
    cause,
    remedy:
      "Nothing to do: the watch resumes from the last good event. If it recurs, a proxy alters the traffic.",
  });
}

/** The beginning of a line: enough to recognise it, too little to leak a secret's data. */
const quote = (text: string): string => JSON.stringify(text.slice(0, 80));
