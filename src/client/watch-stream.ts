// Decodes the body of a watch: lines of JSON become events, which are handed over one by one as the bytes come. Nothing is
// dropped silently: a line that cannot be read and a stream that ends within a line are errors.
import type { KubeObject } from "../meta/object.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { WatchEvent, WatchReceiver } from "./kube-client.ts";
import { withoutManagedFields } from "./managed-fields.ts";
import { statusToApiError } from "./status-body.ts";

/** Annotation of the bookmark that ends the initial events of a streaming list. */
const initialEventsEnd = "k8s.io/initial-events-end";
const newline = 0x0a;

/** Options of {@link WatchDecoder}. */
export interface DecodeOptions<T extends KubeObject> {
  /** For messages: `verb path`. */
  readonly request: string;
  readonly receive: WatchReceiver<T>;
  /** Leaves out `metadata.managedFields`. */
  readonly omitManagedFields: boolean;
}

/** The decoder of one watch. A character may be cut anywhere, so lines are put together before they are decoded. */
export class WatchDecoder<T extends KubeObject> {
  readonly #options: DecodeOptions<T>;
  /** What has come of the line that is not complete. */
  #begun: Buffer[] = [];

  constructor(options: DecodeOptions<T>) {
    this.#options = options;
  }

  /**
   * Takes what has come, and hands over each event that it completes; a promise while the receiver is busy with one.
   *
   * **Errors**: `ApiError` for an ERROR line (410 when the resourceVersion is too old), `WATCH_MALFORMED`, and what the
   * receiver throws.
   */
  take(chunk: Buffer): Promise<unknown> | undefined {
    let busy: Promise<unknown> | undefined;
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      let line = chunk.subarray(start, end);
      start = end + 1;
      if (this.#begun.length > 0) {
        line = Buffer.concat([...this.#begun, line]);
        this.#begun = [];
      }
      const event = this.#decode(line);
      const pending = event === undefined ? undefined : this.#options.receive(event);
      if (pending !== undefined) busy = busy === undefined ? pending : Promise.all([busy, pending]);
    }
    if (start < chunk.length) this.#begun.push(chunk.subarray(start));
    return busy;
  }

  /** The stream has ended. **Errors**: `WATCH_TRUNCATED` within a line. */
  end(): void {
    const rest = Buffer.concat(this.#begun).toString("utf8");
    if (rest.trim() === "") return;
    const { request } = this.#options;
    throw new OperatorError("WATCH_TRUNCATED", `${request}: the stream ended within a line: ${quote(rest)}`, {
      remedy: "Nothing to do: the watch resumes from the last complete event.",
    });
  }

  /** The event of a line; an empty one has none. */
  #decode(line: Buffer): WatchEvent<T> | undefined {
    const { request, omitManagedFields } = this.#options;
    const text = omitManagedFields ? withoutManagedFields(line) : line.toString("utf8");
    let event: { readonly type?: unknown; readonly object?: unknown };
    try {
      event = JSON.parse(text) as typeof event;
    } catch (error) {
      if (text.trim() === "") return undefined;
      throw malformed(text, request, "is not JSON", error);
    }
    if (event?.type === "ERROR") throw statusToApiError(event.object, { request });
    const object = event?.object as Partial<KubeObject> | null | undefined;
    const { metadata } = object ?? {};
    if (typeof metadata?.resourceVersion !== "string") {
      throw malformed(text, request, "has no object with a resourceVersion");
    }
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        return { type: event.type, object: object as T };
      case "BOOKMARK":
        return {
          type: "BOOKMARK",
          resourceVersion: metadata.resourceVersion,
          initialEventsEnd: metadata.annotations?.[initialEventsEnd] === "true",
        };
      default:
        throw malformed(text, request, `has the unknown type ${JSON.stringify(event.type)}`);
    }
  }
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
