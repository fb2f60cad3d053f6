// All objects in memory, with one revision for everything and a bounded history of changes per key space.
// Nothing in it is asynchronous, so a read followed by a write in one turn is a transaction.
import type { ApiObject } from "../api-object.ts";
import { orderMetadata } from "../metadata-order.ts";

/** One change, as watches see it. */
export interface StoredChange {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object after the change; for a deletion the last one, at the deletion's revision. */
  readonly object: ApiObject;
  readonly previous: ApiObject | undefined;
}

/** Called with each change right after it is stored. */
export type ChangeListener = (change: StoredChange) => void;

/** Objects of one type, their recent changes and who watches. */
interface KeySpace {
  readonly objects: Map<string, ApiObject>;
  readonly history: StoredChange[];
  readonly listeners: Set<ChangeListener>;
  /** Revisions below it can no longer be reconstructed. */
  oldestKnown: number;
  sorted: readonly ApiObject[] | undefined;
}

/** The answer when a revision lies before the retained history. */
export const tooOld = "too old";

/** The key of an object in its key space: cluster-scoped ones have an empty namespace. */
function storeKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ""}/${name}`;
}

/**
 * The storage of the API server.
 *
 * **Guarantees**: revisions are global, whole numbers, and grow by one with every stored change; stored objects are never
 * changed in place; listeners are called in the order of the revisions.
 * **Memory**: per key space at most `historyLimit` past changes are kept.
 */
export class ObjectStore {
  readonly #spaces = new Map<string, KeySpace>();
  readonly #historyLimit: number;
  #revision: number;

  constructor(options: { readonly firstRevision?: number; readonly historyLimit?: number } = {}) {
    this.#revision = options.firstRevision ?? 1;
    this.#historyLimit = options.historyLimit ?? 5_000;
  }

  /** The revision of the last change. */
  get revision(): number {
    return this.#revision;
  }

  /** The current object. */
  get(space: string, namespace: string | undefined, name: string): ApiObject | undefined {
    return this.#spaces.get(space)?.objects.get(storeKey(namespace, name));
  }

  /** All objects of a key space, ordered by namespace and name. */
  list(space: string): readonly ApiObject[] {
    const entry = this.#spaces.get(space);
    if (entry === undefined) return [];
    entry.sorted ??= sortByKey(entry.objects);
    return entry.sorted;
  }

  /** The objects as they were at a revision. */
  listAt(space: string, revision: number): readonly ApiObject[] | typeof tooOld {
    const entry = this.#spaces.get(space);
    if (entry === undefined || revision >= this.#revision) return this.list(space);
    if (revision < entry.oldestKnown) return tooOld;
    const objects = new Map(entry.objects);
    for (let index = entry.history.length - 1; index >= 0; index -= 1) {
      const change = entry.history[index];
      if (change === undefined || change.revision <= revision) break;
      const { namespace, name } = change.object.metadata;
      if (change.previous === undefined) objects.delete(storeKey(namespace, name));
      else objects.set(storeKey(namespace, name), change.previous);
    }
    return sortByKey(objects);
  }

  /** The changes after a revision, oldest first. */
  changesSince(space: string, revision: number): readonly StoredChange[] | typeof tooOld {
    const entry = this.#spaces.get(space);
    if (entry === undefined) return [];
    if (revision < entry.oldestKnown) return tooOld;
    return entry.history.filter((change) => change.revision > revision);
  }

  /** Stores an object under the next revision; the returned one carries it. */
  put(space: string, object: ApiObject): ApiObject {
    const entry = this.#space(space);
    const { namespace, name } = object.metadata;
    const key = storeKey(namespace, name);
    const previous = entry.objects.get(key);
    this.#revision += 1;
    const stored = withRevision(object, this.#revision);
    entry.objects.set(key, stored);
    this.#record(entry, {
      revision: this.#revision,
      type: previous === undefined ? "ADDED" : "MODIFIED",
      object: stored,
      previous,
    });
    return stored;
  }

  /** Removes an object; the change carries `last`, at the revision of the deletion. */
  remove(space: string, last: ApiObject): ApiObject {
    const entry = this.#space(space);
    const { namespace, name } = last.metadata;
    const key = storeKey(namespace, name);
    const previous = entry.objects.get(key);
    this.#revision += 1;
    const object = withRevision(last, this.#revision);
    entry.objects.delete(key);
    this.#record(entry, { revision: this.#revision, type: "DELETED", object, previous });
    return object;
  }

  /** Calls back for each change of a key space until the returned function is called. */
  subscribe(space: string, listener: ChangeListener): () => void {
    const { listeners } = this.#space(space);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Forgets the history up to the current revision, as a compaction does. */
  compact(): void {
    for (const entry of this.#spaces.values()) {
      entry.history.length = 0;
      entry.oldestKnown = this.#revision;
    }
  }

  #space(name: string): KeySpace {
    const existing = this.#spaces.get(name);
    if (existing !== undefined) return existing;
    const created: KeySpace = {
      objects: new Map(),
      history: [],
      listeners: new Set(),
      oldestKnown: 0,
      sorted: undefined,
    };
    this.#spaces.set(name, created);
    return created;
  }

  #record(entry: KeySpace, change: StoredChange): void {
    entry.sorted = undefined;
    entry.history.push(change);
    // Cut in blocks: shifting one by one would cost the length of the history on every write.
    if (entry.history.length > this.#historyLimit * 1.25) {
      const cut = entry.history.splice(0, entry.history.length - this.#historyLimit);
      entry.oldestKnown = cut.at(-1)?.revision ?? entry.oldestKnown;
    }
    for (const listener of entry.listeners) listener(change);
  }
}

function withRevision(object: ApiObject, revision: number): ApiObject {
  const resourceVersion = String(revision);
  return { ...object, metadata: orderMetadata({ ...object.metadata, resourceVersion }) };
}

/** The real server orders by the bytes of `namespace/name`. */
function sortByKey(objects: ReadonlyMap<string, ApiObject>): readonly ApiObject[] {
  return [...objects].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, object]) => object);
}
