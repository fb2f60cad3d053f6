// The port through which everything talks to an API server: one typed method per verb, raw JSON in and out.
// Implemented by http-client.ts; decorated in tests by faults. Above it nobody sees HTTP.
import type { AnyManifest, KubeObject } from "../meta/object.ts";
import type { ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";

/** What every request accepts. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds until the request is given up; default 30 s, 60 s for a list. */
  readonly timeout?: number;
  /**
   * Asked at the last moment before the request goes out on its connection, and again before it is repeated: what it
   * throws refuses the request. For what has to be so then still, however long credentials or a free connection took.
   */
  readonly beforeSend?: () => void;
}

/** What selects objects in lists and watches. */
export interface ListScope {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Options of {@link KubeClient.list}: one page. */
export interface ListOptions extends RequestOptions, ListScope {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

/** One page of a list. */
export interface ObjectList<TObject extends KubeObject> {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly TObject[];
}

/** Options of {@link KubeClient.watch}. */
export interface WatchOptions extends ListScope {
  readonly signal: AbortSignal;
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  /** Streaming list: the server sends what exists first, then a bookmark that says so. */
  readonly sendInitialEvents?: boolean;
  /** Seconds after which the server ends the watch. */
  readonly timeoutSeconds?: number;
  /** Milliseconds without a single byte after which the stream is given up (`WATCH_IDLE`). */
  readonly idleTimeout?: number;
  /** Called when the server has accepted the watch, before the first event: on a quiet type the only sign of life for long. */
  readonly onOpen?: () => void;
  /** Leaves out `metadata.managedFields`, which are often half of an object; default false. */
  readonly omitManagedFields?: boolean;
}

/** One line of a watch stream. An ERROR line is thrown as an ApiError instead. */
export type WatchEvent<TObject extends KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: TObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

/**
 * Receives the events of a watch. While what it returns is pending, no more is read from the server; what it throws or
 * rejects with ends the watch.
 */
export type WatchReceiver<TObject extends KubeObject> = (
  event: WatchEvent<TObject>,
) => Promise<void> | undefined;

/** What every write accepts. */
export interface WriteOptions extends RequestOptions {
  /** At most 128 bytes. */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  readonly dryRun?: boolean;
  readonly subresource?: "status" | "scale";
}

/** A patch and the way it is applied. */
export type Patch =
  | {
      readonly type: "json";
      readonly body: readonly (
        | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
        | { readonly op: "remove"; readonly path: string }
        | { readonly op: "move" | "copy"; readonly from: string; readonly path: string }
      )[];
    }
  | { readonly type: "merge"; readonly body: unknown }
  | { readonly type: "strategic"; readonly body: unknown };

/** One operation of RFC 6902. */
export type JsonPatchOperation = Extract<Patch, { readonly type: "json" }>["body"][number];

/** Options of {@link KubeClient.apply}. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over fields that another manager owns instead of failing with a conflict. */
  readonly force?: boolean;
  /** Creates the object, and is refused with a conflict when there is one of that name; default false. */
  readonly onlyIfAbsent?: boolean;
}

/** Options of {@link KubeClient.delete}. */
export interface DeleteOptions extends RequestOptions {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
  /** Refused with a conflict when the object is another one. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Options of {@link KubeClient.request}. */
export interface RawRequest extends RequestOptions {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, from the server's root. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

/**
 * A connection to one API server under one identity.
 *
 * **Guarantees**: objects are plain JSON, exactly as the server sent them; list items carry `apiVersion` and `kind`;
 * every request has a deadline; expired credentials are refreshed once on 401.
 * **Errors**: `ApiError` for an answer that is not 2xx, `CONNECTION_FAILED` when there is no answer,
 * `REQUEST_TIMEOUT` when it takes too long. An aborted signal rejects with the signal's reason.
 */
export interface KubeClient {
  /** The server's base URL. */
  readonly server: string;
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: RequestOptions): Promise<T>;
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /** The events of a watch, which begins with the first one that is asked for and ends when the reader leaves. */
  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * A watch whose events are handed over as soon as they come, with no promise for each; resolves when the server has
   * ended it, and rejects as `watch` does.
   */
  follow<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
    receive: WatchReceiver<T>,
  ): Promise<void>;
  create<T extends KubeObject>(
    type: ResourceType<T>,
    manifest: AnyManifest,
    options?: WriteOptions,
  ): Promise<T>;
  /** Replaces the whole object; the manifest's resourceVersion guards it. */
  update<T extends KubeObject>(
    type: ResourceType<T>,
    manifest: AnyManifest,
    options?: WriteOptions,
  ): Promise<T>;
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(
    type: ResourceType<T>,
    manifest: AnyManifest,
    options: ApplyOptions,
  ): Promise<T>;
  /** The object that is now being deleted, or undefined when it is gone at once. */
  delete<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<T | undefined>;
  /** Any other request; the decoded JSON, or the text when the answer is not JSON. */
  request(request: RawRequest): Promise<unknown>;
  /** Closes idle connections; requests after it fail. */
  close(): Promise<void>;
}
