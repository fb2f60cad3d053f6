// A watch of the core, handed over event by event without HTTP in between.
import { statusToApiError } from "../../../client/status-body.ts";
import type { WatchEvent, WatchReceiver } from "../../../client/kube-client.ts";
import type { KubeObject } from "../../../meta/object.ts";
import { copyOf } from "../../../schema/json-value.ts";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { ListQuery } from "../options/list-options.ts";
import type { ObjectRequest } from "../verbs/object-request.ts";
import { watchObjects, type WatchLine } from "../verbs/watch.ts";

/** What {@link followCore} is given besides what is watched. */
export interface CoreWatchOptions {
  /** For messages: `verb path`. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Leaves out `metadata.managedFields`. */
  readonly omitManagedFields: boolean;
  /** Waits for the turn of what was put down meanwhile. */
  readonly turn: () => Promise<void>;
}

/**
 * Starts the watch at once; its events are handed over in turns, in their order, one at a time. Resolves when the core ends the
 * watch, and rejects with the signal's reason when that is aborted. Errors: StatusError, at the call; `ApiError` for an ERROR line.
 */
export function followCore<T extends KubeObject>(
  core: ApiCore,
  request: ObjectRequest,
  query: ListQuery,
  { name, signal, omitManagedFields, turn }: CoreWatchOptions,
  receive: WatchReceiver<T>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let lines: WatchLine[] = [];
  let isDraining = false;
  let hasEnded = false;
  const drain = async (): Promise<void> => {
    isDraining = true;
    while (lines.length > 0) {
      await turn();
      const taken = lines;
      lines = [];
      for (const line of taken) {
        signal.throwIfAborted();
        const busy = receive(toEvent<T>(line, name, omitManagedFields));
        if (busy !== undefined) await busy;
      }
    }
    isDraining = false;
    if (hasEnded) resolve();
  };
  const wake = (): void => {
    if (!isDraining) drain().catch(reject);
  };
  const put = (line: WatchLine): void => {
    lines.push(line);
    wake();
  };
  const stop = watchObjects(core, request, query, {
    object: (type, object) => put({ type, object }),
    line: put,
    end: () => {
      hasEnded = true;
      wake();
    },
  });
  const abort = (): void => reject(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return promise.finally(() => {
    signal.removeEventListener("abort", abort);
    stop();
  });
}

function toEvent<T extends KubeObject>(
  { type, object }: WatchLine,
  name: string,
  omitManagedFields: boolean,
): WatchEvent<T> {
  if (type === "ERROR") throw statusToApiError(object, { request: name });
  const { metadata } = object as ApiObject;
  if (type !== "BOOKMARK") {
    const sent = omitManagedFields ? withoutManagedFields(object as ApiObject) : object;
    return { type, object: copyOf(sent) as T };
  }
  const { resourceVersion = "", annotations } = metadata;
  const initialEventsEnd = annotations?.["k8s.io/initial-events-end"] === "true";
  return { type: "BOOKMARK", resourceVersion, initialEventsEnd };
}

function withoutManagedFields(object: ApiObject): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
