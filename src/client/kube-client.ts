// The port through which everything talks to an API server: one typed method per verb, raw JSON in and out.
// Implemented by http-client.ts; decorated in tests by faults. Above it nobody sees HTTP.
import type { AnyManifest, KubeObject, Manifest } from "../meta/object.ts";
import type { ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { Ends } from "../ports/deadline.ts";

/** What every request accepts. */
export interface RequestOptions {
  /** Aborting it ends the request; default never. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the request is given up; default 30 s, 60 s for a list. */
  readonly timeout?: number;
  /**
   * Asked at the last moment before the request goes out on its connection, and again before it is repeated: what it
   * throws refuses the request. For what has to be so then still, however long credentials or a free connection took. Default nothing.
   */
  readonly beforeSend?: () => void;
  /**
   * Ends the request as an aborted signal does, when it is over; default nothing does.
   *
   * @internal
   */
  readonly until?: Ends;
}

/** What selects objects in lists and watches. */
export interface ListScope {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** As in `kubectl get -l`: `app=web,tier!=cache`; default every object. */
  readonly labelSelector?: string;
  /** As in `kubectl get --field-selector`: `metadata.name=web`; default every object. */
  readonly fieldSelector?: string;
}

/** Options of {@link KubeClient.list}: one page. */
export interface ListOptions extends RequestOptions, ListScope {
  /** At most so many objects on this page; default all. */
  readonly limit?: number;
  /** From the page before, to get the next one; default the first. */
  readonly continue?: string;
  /** How fresh the list has to be; default the newest. `"0"`: whatever the server has at hand. */
  readonly resourceVersion?: string;
  /** How `resourceVersion` is meant; default by the server's rule. */
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

/** One page of a list. */
export interface ObjectList<TObject extends KubeObject> {
  /** Of the list, not of its items. */
  readonly metadata: {
    /** Where a watch goes on from this list. */
    readonly resourceVersion: string;
    /** Present while there are more pages. */
    readonly continue?: string;
    /** How many objects are on later pages, where the server knows. */
    readonly remainingItemCount?: number;
  };
  /** The objects of this page, with `apiVersion` and `kind`. */
  readonly items: readonly TObject[];
}

/** Options of {@link KubeClient.watch}. */
export interface WatchOptions extends ListScope {
  /** Aborting it ends the watch. */
  readonly signal: AbortSignal;
  /** From which version on; default from now, with everything that exists as ADDED. */
  readonly resourceVersion?: string;
  /** Asks for a line now and then that only says how far the server is; default false. */
  readonly allowWatchBookmarks?: boolean;
  /** Streaming list: the server sends what exists first, then a bookmark that says so; default false. */
  readonly sendInitialEvents?: boolean;
  /** Seconds after which the server ends the watch; default its own choice, 30 to 60 minutes. */
  readonly timeoutSeconds?: number;
  /** Milliseconds without a single byte after which the stream is given up (`WATCH_IDLE`). */
  readonly idleTimeout?: number;
  /** Called when the server has accepted the watch, before the first event: on a quiet type the only sign of life for long. Default nothing. */
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
  /** Who owns the fields that are set, at most 128 bytes; default by the server, from the user agent. */
  readonly fieldManager?: string;
  /** What becomes of fields that the type does not have; default the server's, `Warn`. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** Everything is checked and nothing is stored; default false. */
  readonly dryRun?: boolean;
  /** What of the object is written; default the object itself. */
  readonly subresource?: "status" | "scale";
  /**
   * What a patch makes of the object in the state whose version guards it. It is sent in place of the patch, as it costs the server less,
   * unless that does not allow it. Default the patch is sent.
   *
   * @internal
   */
  readonly whole?: Manifest;
}

/** A patch and the way it is applied. */
export type Patch =
  | {
      /** JSON Patch, RFC 6902. */
      readonly type: "json";
      /** Operations, of which all are done or none. */
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
  /** Who owns the fields from then on; at most 128 bytes. */
  readonly fieldManager: string;
  /** Takes over fields that another manager owns instead of failing with a conflict; default false. */
  readonly force?: boolean;
  /** Creates the object, and is refused with a conflict when there is one of that name; default false. */
  readonly onlyIfAbsent?: boolean;
}

/** Options of {@link KubeClient.delete}. */
export interface DeleteOptions extends RequestOptions {
  /** When the objects go that it owns: after it, before it, or never; default the type's, mostly `Background`. */
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  /** Seconds that it may take to end; default its own. 0: at once. */
  readonly gracePeriodSeconds?: number;
  /** Nothing is deleted; default false. */
  readonly dryRun?: boolean;
  /** Refused with a conflict when the object is another one; default none. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Options of {@link KubeClient.request}. */
export interface RawRequest extends RequestOptions {
  /** The HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, from the server's root. */
  readonly path: string;
  /** Sent as JSON, a string as it is; default none. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
}

/** Options of {@link KubeClient.exec}. */
export interface ExecOptions extends RequestOptions {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[];
  /** Default the pod's only container. */
  readonly container?: string;
  /** What the command reads, to its end; default nothing. */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Milliseconds until the command must have ended; default 30 s. */
  readonly timeout?: number;
  /** Bytes that are kept of each, standard output and error; default 1 MiB. A command that prints more is ended (`EXEC_OUTPUT_LIMIT`). */
  readonly maxOutput?: number;
  /**
   * Takes standard output as it comes, without a limit; default it is kept. While what it returns is pending, no more is read;
   * what it throws ends the command.
   */
  readonly onStdout?: (chunk: Buffer) => Promise<void> | void;
  /** The same for standard error; default it is kept. */
  readonly onStderr?: (chunk: Buffer) => Promise<void> | void;
  /**
   * Milliseconds between SIGTERM and SIGKILL when the command is given up; default 5 s. False leaves it running, and runs it as it
   * is: for images without `env`, `sh` and `tr`, by which it is found again.
   */
  readonly kill?: number | false;
}

/** What became of a command that ended by itself. */
export interface ExecResult {
  /** 0 means success; what ended by a signal has 128 and its number. */
  readonly exitCode: number;
  /** Empty where `onStdout` has taken it. */
  readonly stdout: Buffer;
  /** Empty where `onStderr` has taken it. */
  readonly stderr: Buffer;
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
  /** Reads one object from the server, past any cache. **Errors**: an `ApiError` for which `isNotFound` holds. **RBAC**: `get`. */
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: RequestOptions): Promise<T>;
  /** Reads one page of a list from the server; all of it without `limit`. **RBAC**: `list`. */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>;
  /** The events of a watch, which begins with the first one that is asked for and ends when the reader leaves. **RBAC**: `watch`. */
  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /**
   * A watch whose events are handed over as soon as they come, with no promise for each; resolves when the server has
   * ended it, and rejects as `watch` does. **RBAC**: `watch`.
   */
  follow<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
    receive: WatchReceiver<T>,
  ): Promise<void>;
  /** Creates an object. **Errors**: an `ApiError` for which `isAlreadyExists` holds. **RBAC**: `create`. */
  create<T extends KubeObject>(
    type: ResourceType<T>,
    manifest: AnyManifest,
    options?: WriteOptions,
  ): Promise<T>;
  /** Replaces the whole object; the manifest's resourceVersion guards it: another one is a conflict (`isConflict`). **RBAC**: `update`. */
  update<T extends KubeObject>(
    type: ResourceType<T>,
    manifest: AnyManifest,
    options?: WriteOptions,
  ): Promise<T>;
  /** Changes an object that exists. **RBAC**: `patch`. */
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply: sets the fields of the manifest, and creates the object where there is none. **RBAC**: `patch`, and `create` where it may be new. */
  apply<T extends KubeObject>(
    type: ResourceType<T>,
    manifest: AnyManifest,
    options: ApplyOptions,
  ): Promise<T>;
  /** Deletes an object: the one that is now being deleted, or undefined when it is gone at once. **RBAC**: `delete`. */
  delete<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<T | undefined>;
  /** Any other request; the decoded JSON, or the text when the answer is not JSON. */
  request(request: RawRequest): Promise<unknown>;
  /**
   * Runs a command in a container, and resolves when it has ended, with whatever exit code.
   *
   * **Guarantees**: standard output and error come apart, byte by byte; a command that is given up (its time is over, its signal
   * is aborted, it prints too much) is ended with all that it has started, before the promise rejects.
   * **Caveats**: whether a command was run is not known after `CONNECTION_FAILED`.
   * **Errors**: `ApiError` 404 for a pod that does not exist, 400 for a container that it does not have; `EXEC_FAILED` for a
   * program that is not there, `EXEC_TIMEOUT`, `EXEC_OUTPUT_LIMIT`.
   * **RBAC**: `get` and `create` on pods/exec.
   */
  exec(pod: ObjectKey, options: ExecOptions): Promise<ExecResult>;
  /** Closes idle connections; requests after it fail. */
  close(): Promise<void>;
}
