// What the cache offers to its readers: an informer per type, its read side, and its stream of changes.
// Implemented by shared-cache.ts over reflector.ts and store.ts.
import type { Observable } from "rxjs";
import type { ListScope } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { Unavailability } from "./availability.ts";

/**
 * One difference between two states of the store.
 * A deleted-and-recreated object (another uid) shows as a delete followed by an add.
 */
export type Change<T extends KubeObject> =
  | { readonly type: "added"; readonly object: T; readonly initial: boolean }
  | { readonly type: "modified"; readonly object: T; readonly old: T }
  /** `object` is the last known state; `synthetic` when the delete itself was not seen (found missing by a relist). */
  | { readonly type: "deleted"; readonly object: T; readonly synthetic: boolean };

/**
 * The read side of one informer. Objects are shared and frozen: never change one.
 *
 * **Errors**: `CACHE_NOT_SYNCED` before the first complete list and after the informer has stopped: "not known" is never
 * answered as "does not exist".
 */
export interface Lister<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  list(options?: {
    readonly namespace?: string;
    readonly matchLabels?: Readonly<Record<string, string>>;
  }): readonly T[];
  /** Objects under one value of a registered index. Errors: `INDEX_UNKNOWN`. */
  byIndex(index: string, value: string): readonly T[];
  /** Objects held; 0 before the first list. */
  readonly size: number;
}

/** Why an informer can be believed or not. */
export interface InformerHealth {
  readonly state: "starting" | "listing" | "watching" | "backingOff" | "stopped";
  readonly synced: boolean;
  /** Milliseconds since the epoch of the last byte from the server. */
  readonly lastActivity: number | undefined;
  readonly lastError: string | undefined;
  /**
   * Milliseconds since the epoch since when no watch is alive; undefined while one is, and before the first.
   * A watch that was resumed counts once the server is known to be as far as the cache: one that was set back to an earlier
   * state accepts it all the same.
   */
  readonly lostSince: number | undefined;
  /** Own writes that the watch has not caught up with. */
  readonly overlays: number;
  /** Complete lists after the first one. */
  readonly relists: number;
  /** Watches opened again after a failure. */
  readonly reconnects: number;
  /** Streaming lists that never ended and were done page by page instead. */
  readonly fallbacks: number;
}

/** Keeps a local copy of one type (in one scope) equal to the server. */
export interface Informer<T extends KubeObject> {
  readonly type: ResourceType<T>;
  /** Which objects of the type it holds; empty: all. */
  readonly scope: ListScope;
  readonly lister: Lister<T>;
  /** Hot: changes after subscription, in order per object. Never errors; completes on stop. */
  readonly changes$: Observable<Change<T>>;
  readonly health: InformerHealth;
  readonly hasSynced: boolean;
  /** Why the server cannot be asked for the type at present; undefined while it can, and while that is not known yet. */
  readonly unavailable: Unavailability | undefined;
  /** Hot: {@link unavailable} each time it changes. */
  readonly availability$: Observable<Unavailability | undefined>;
  /** Resolves after the first complete list; rejects when the signal is aborted first, or the informer stops. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** The same, but that it also resolves once the type turns out to be unavailable: then others need not wait for it. */
  whenKnown(signal?: AbortSignal): Promise<void>;
  /**
   * Adds a named secondary index; before or after start. A name stands for one function (of the object alone): adding it
   * again changes nothing.
   */
  addIndex(name: string, valuesOf: (object: T) => readonly string[]): void;
  /**
   * Resolves when what is held is, object by object, at least as new as what the server has at this moment.
   * Costs one list. Errors: those of the list, and the signal's reason.
   */
  catchUp(signal: AbortSignal): Promise<void>;
  /**
   * Overlays the result of an own write until the watch has caught up with it (by integer resourceVersion), so that
   * the next read sees it. A foreign change or delete that is newer always wins.
   * The stream of changes is not touched by it: every event of the server is reported, so that nothing foreign is swallowed.
   * Only an object whose whole life fell between two lists is reported by it, as added and deleted.
   */
  recordWrite(object: T): void;
  /** The same for an own delete that answered "gone" (no finalizer left, no dry run). */
  recordDelete(object: T): void;
}

/** Options of {@link SharedCache.informer}. */
export interface InformerOptions<T extends KubeObject> extends ListScope {
  /** Shrinks an object before it is stored; default drops `managedFields`. */
  readonly transform?: (object: T) => T;
}

/** One informer per type and scope, shared by all that ask for it. */
export interface SharedCache {
  /** The informer of a type; created (and started, when the cache runs) on first use. */
  informer<T extends KubeObject>(type: ResourceType<T>, options?: InformerOptions<T>): Informer<T>;
  /** The informer of a type if it was asked for before. */
  existing<T extends KubeObject>(type: ResourceType<T>, scope?: ListScope): Informer<T> | undefined;
  /** Starts every informer; they stop when the signal is aborted. */
  start(signal: AbortSignal): void;
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Resolves when of each informer is known what it holds, or that its type is unavailable. */
  whenKnown(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when every informer whose type is available includes all that was written before the call, by whomever: what a
   * process needs that takes over from another. Costs one list of each type; what fails is tried again. Errors: the signal's reason.
   */
  catchUp(signal: AbortSignal): Promise<void>;
  readonly informers: readonly Informer<KubeObject>[];
}
