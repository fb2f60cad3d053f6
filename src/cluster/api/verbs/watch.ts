// GET with watch: what exists or what happened since, then every change as it happens, until the client or the timeout ends it.
import { monotonicNow, type TimerHandle } from "../../../ports/clock.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import type { ApiCore, OpenWatch } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { ListQuery } from "../options/list-options.ts";
import type { ServedType } from "../served-type.ts";
import { expired, internalError, StatusError } from "../status-error.ts";
import type { StoredChange } from "../storage/change-history.ts";
import { tooOld } from "../storage/object-store.ts";
import { unsetObject } from "../typed-schema.ts";
import { selectionOf, type Selection } from "./list.ts";
import type { ObjectRequest } from "./object-request.ts";

/** One line of a watch. */
export interface WatchLine {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: unknown;
}

/** Where the lines go. */
export interface WatchSink {
  /** An object of the type, to be represented as the client asked. */
  object(type: "ADDED" | "MODIFIED" | "DELETED", object: ApiObject): void;
  /** Any other line. */
  line(line: WatchLine): void;
  end(): void;
}

const bookmarkInterval = 60_000;
const bookmarkBeforeEnd = 2_000;
const shortestTimeout = 1_800_000;

/** Refuses what can only be refused before a watch begins. Errors: 400 for selectors, 500 for a revision that is not a number. */
export function assertWatchable(request: ObjectRequest, query: ListQuery): void {
  selectionOf(request, query);
  void query.resourceVersion;
}

/** Starts a watch; the returned function stops it without ending the sink. Errors: 400. */
export function watchObjects(
  core: ApiCore,
  request: ObjectRequest,
  query: ListQuery,
  sink: WatchSink,
): () => void {
  const session = new WatchSession(core, request, query, sink);
  session.start();
  return () => session.stop();
}

class WatchSession {
  readonly #core: ApiCore;
  readonly #type: ServedType;
  readonly #query: ListQuery;
  readonly #sink: WatchSink;
  readonly #selection: Selection;
  readonly #open: OpenWatch;
  readonly #timers = new Set<TimerHandle>();
  readonly #unsubscribe: (() => void)[] = [];
  /** Changes up to this revision are already sent, or were not asked for. */
  #from = 0;
  #isStopped = false;
  /** What waits for a conversion, in its order. */
  #pending: Promise<void> | undefined;
  #waiting = 0;

  constructor(core: ApiCore, request: ObjectRequest, query: ListQuery, sink: WatchSink) {
    this.#core = core;
    this.#type = request.type;
    this.#query = query;
    this.#sink = sink;
    this.#selection = selectionOf(request, query);
    this.#open = { type: request.type, scope: request.namespace === "" ? "cluster" : "namespace" };
  }

  start(): void {
    const { store, registry, clock, random } = this.#core;
    if (!this.#replay()) return;
    this.#core.watches.add(this.#open);
    this.#unsubscribe.push(
      store.subscribe(this.#type.storageKey, (change) => this.#receive(change)),
      registry.subscribe(() => this.#endIfUnserved()),
    );
    const { timeoutSeconds, allowWatchBookmarks } = this.#query;
    const timeout =
      timeoutSeconds === undefined ? shortestTimeout * (1 + random()) : Math.max(timeoutSeconds, 0) * 1_000;
    const deadline = monotonicNow(clock) + timeout;
    this.#after(timeout, () => this.#end());
    if (allowWatchBookmarks) this.#scheduleBookmark(deadline);
  }

  stop(): void {
    this.#isStopped = true;
    this.#core.watches.delete(this.#open);
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    for (const timer of this.#timers) this.#core.clock.clearTimeout(timer);
    this.#timers.clear();
  }

  /** Tells what exists or what happened since; false when that is no longer known and the watch is over. */
  #replay(): boolean {
    const { store } = this.#core;
    const { resourceVersion = 0, sendInitialEvents, allowWatchBookmarks } = this.#query;
    if (sendInitialEvents === true || (sendInitialEvents === undefined && resourceVersion === 0)) {
      const initial = store.list(this.#type.storageKey);
      this.#whenReadable(initial, () => {
        for (const stored of initial) {
          const object = this.#type.fromStorage(stored);
          if (this.#selection(object)) this.#sink.object("ADDED", object);
        }
      });
      this.#from = store.revision;
      if (sendInitialEvents === true && allowWatchBookmarks)
        this.#whenReadable([], () => this.#bookmark(true));
      return true;
    }
    this.#from = resourceVersion === 0 ? store.revision : resourceVersion;
    const missed = store.changesSince(this.#type.storageKey, this.#from);
    if (missed === tooOld) {
      const { status } = expired(`too old resource version: ${this.#from} (${store.revision})`);
      this.#sink.line({ type: "ERROR", object: status });
      this.#end();
      return false;
    }
    for (const change of missed) this.#receive(change);
    return true;
  }

  /** Sends a change, as soon as it can be read in the version of the watch and all before it are sent. */
  #receive(change: StoredChange): void {
    if (this.#isStopped || change.revision <= this.#from) return;
    const { object, previous } = change;
    this.#whenReadable(previous === undefined ? [object] : [object, previous], () => this.#tell(change));
  }

  /** Does something at once, or after what a webhook has to convert for it and for what came before. */
  #whenReadable(objects: readonly ApiObject[], tell: () => void): void {
    const { conversion } = this.#servedType();
    if (this.#pending === undefined && conversion?.isReady(objects) !== false) {
      tell();
      return;
    }
    const before = this.#pending;
    this.#waiting += 1;
    this.#pending = (async () => {
      try {
        await before;
        await conversion?.prepare(objects);
        if (!this.#isStopped) tell();
      } catch (error) {
        this.#fail(error);
      }
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#pending = undefined;
    })();
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    const status = error instanceof StatusError ? error.status : internalError(messageOf(error)).status;
    this.#sink.line({ type: "ERROR", object: status });
    this.#end();
  }

  #tell(change: StoredChange): void {
    const type = this.#servedType();
    const object = type.fromStorage(change.object);
    const previous = change.previous === undefined ? undefined : type.fromStorage(change.previous);
    const wasIn = previous !== undefined && this.#selection(previous);
    if (change.type === "DELETED") {
      if (wasIn) this.#sink.object("DELETED", object);
      return;
    }
    const isIn = this.#selection(object);
    if (isIn) this.#sink.object(wasIn ? "MODIFIED" : "ADDED", object);
    else if (wasIn) {
      const { resourceVersion } = object.metadata;
      const metadata = {
        ...previous.metadata,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      this.#sink.object("DELETED", { ...previous, metadata });
    }
  }

  /** The CRD may have changed while the watch runs. */
  #servedType(): ServedType {
    const { group, version, plural } = this.#type;
    return this.#core.registry.find(group, version, plural) ?? this.#type;
  }

  #endIfUnserved(): void {
    const { group, version, plural } = this.#type;
    if (this.#core.registry.find(group, version, plural) === undefined) this.#end();
  }

  #scheduleBookmark(deadline: number): void {
    const rest = deadline - monotonicNow(this.#core.clock);
    const delay = Math.min(bookmarkInterval, rest - bookmarkBeforeEnd);
    if (delay <= 0) return;
    this.#after(delay, () => {
      this.#bookmark(false);
      this.#scheduleBookmark(deadline);
    });
  }

  #bookmark(isInitialEnd: boolean): void {
    const resourceVersion = String(Math.max(this.#core.store.revision, this.#from));
    const annotations = { "k8s.io/initial-events-end": "true" };
    const object = unsetObject(this.#type, { resourceVersion, ...(isInitialEnd ? { annotations } : {}) });
    this.#sink.line({ type: "BOOKMARK", object });
  }

  #after(milliseconds: number, run: () => void): void {
    const timer = this.#core.clock.setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #end(): void {
    if (this.#isStopped) return;
    this.stop();
    this.#sink.end();
  }
}
