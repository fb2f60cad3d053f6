// A watch of the core as a stream of its lines, without HTTP in between.
import type { ApiCore } from "../api-core.ts";
import type { ListQuery } from "../options/list-options.ts";
import type { ObjectRequest } from "../verbs/object-request.ts";
import { watchObjects } from "../verbs/watch.ts";

/** One line. */
export interface CoreWatchLine {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: unknown;
}

/**
 * Starts the watch at once; its lines are kept until they are read. The stream ends when the core ends the watch, and
 * rejects with the signal's reason when that is aborted. Errors: StatusError, at the call.
 */
export function streamWatch(
  core: ApiCore,
  request: ObjectRequest,
  query: ListQuery,
  signal: AbortSignal,
): AsyncIterable<CoreWatchLine> {
  const lines: CoreWatchLine[] = [];
  let hasEnded = false;
  let wake = (): void => undefined;
  const stop = watchObjects(core, request, query, {
    object: (type, object) => {
      lines.push({ type, object });
      wake();
    },
    line: (line) => {
      lines.push(line);
      wake();
    },
    end: () => {
      hasEnded = true;
      wake();
    },
  });
  async function* read(): AsyncGenerator<CoreWatchLine, void, undefined> {
    const onAbort = (): void => wake();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const line = lines.shift();
        if (line !== undefined) yield line;
        else if (hasEnded) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      stop();
    }
  }
  return read();
}
