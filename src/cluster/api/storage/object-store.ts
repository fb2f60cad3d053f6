// All objects in memory, with one revision for everything and a history of changes per key space, which is bounded in number and in
// memory. Where a journal is given, each change is written to it first.
// Nothing in it is asynchronous, so a read followed by a write in one turn is a transaction.
import type { ApiObject } from "../api-object.ts";
import { orderMetadata } from "../metadata-order.ts";
import { ChangeHistory, type StoredChange } from "./change-history.ts";
import type { StoredRecord } from "./stored-record.ts";

/** What an earlier process has left. */
export interface StoredContent {
  /** Of the objects. */
  readonly revision: number;
  readonly objects: readonly StoredRecord[];
  /** What happened after that, oldest first. */
  readonly changes: readonly StoredRecord[];
}

/** Keeps what is stored. */
export interface StoreJournal {
  /** What it has kept before, once. */
  takeContent(): StoredContent | undefined;
  /** Keeps a change before it counts. Errors: those of writing; then the change does not take place. */
  append(record: StoredRecord): void;
  /** A change has taken place; `objects` are all that there are then. */
  settle(revision: number, objects: () => Iterable<readonly [space: string, object: ApiObject]>): void;
}

/** Called with each change right after it is stored. */
export type ChangeListener = (change: StoredChange) => void;

/** Objects of one type, their recent changes and who watches. */
interface KeySpace {
  readonly objects: Map<string, ApiObject>;
  readonly history: ChangeHistory;
  readonly listeners: Set<ChangeListener>;
  /** The keys in their order; undefined when there are others now. */
  keys: readonly string[] | undefined;
  /** All objects in that order; undefined when one has changed. */
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
 * **Memory**: per key space at most `historyLimit` past changes are kept (a quarter more for a while; default 5,000), and of all
 * together about `historyBytes` (default 128 MiB), where those with the most give up their oldest ones.
 */
export class ObjectStore {
  readonly #spaces = new Map<string, KeySpace>();
  readonly #historyLimit: number;
  readonly #historyBytes: number;
  readonly #journal: StoreJournal | undefined;
  #revision: number;
  /** Revisions below it were before this process, and nothing is known of them. */
  #floor = 0;
  /** What all histories take. */
  #historySize = 0;

  constructor(
    options: {
      readonly firstRevision?: number;
      readonly historyLimit?: number;
      readonly historyBytes?: number;
      readonly journal?: StoreJournal | undefined;
    } = {},
  ) {
    this.#revision = options.firstRevision ?? 1;
    this.#historyLimit = options.historyLimit ?? 5_000;
    this.#historyBytes = options.historyBytes ?? 128 * 1_048_576;
    this.#journal = options.journal;
    const content = options.journal?.takeContent();
    if (content !== undefined) this.#load(content);
  }

  /** The revision of the last change. */
  get revision(): number {
    return this.#revision;
  }

  /** The current object. */
  get(space: string, namespace: string | undefined, name: string): ApiObject | undefined {
    return this.#spaces.get(space)?.objects.get(storeKey(namespace, name));
  }

  /** How many objects a key space has. */
  count(space: string): number {
    return this.#spaces.get(space)?.objects.size ?? 0;
  }

  /** All objects of a key space, ordered by namespace and name. */
  list(space: string): readonly ApiObject[] {
    const entry = this.#spaces.get(space);
    if (entry === undefined) return [];
    entry.sorted ??= sortedObjects(entry);
    return entry.sorted;
  }

  /** The objects as they were at a revision. */
  listAt(space: string, revision: number): readonly ApiObject[] | typeof tooOld {
    const entry = this.#spaces.get(space);
    if (revision < (entry?.history.oldestKnown ?? this.#floor)) return tooOld;
    if (entry === undefined || revision >= this.#revision) return this.list(space);
    const objects = new Map(entry.objects);
    for (const change of entry.history.after(revision).reverse()) {
      const { namespace, name } = change.object.metadata;
      if (change.previous === undefined) objects.delete(storeKey(namespace, name));
      else objects.set(storeKey(namespace, name), change.previous);
    }
    return sortedKeys(objects).flatMap((key) => objects.get(key) ?? []);
  }

  /** The changes after a revision, oldest first. */
  changesSince(space: string, revision: number): readonly StoredChange[] | typeof tooOld {
    const entry = this.#spaces.get(space);
    if (revision < (entry?.history.oldestKnown ?? this.#floor)) return tooOld;
    return entry?.history.after(revision) ?? [];
  }

  /** Stores an object under the next revision; the returned one carries it. */
  put(space: string, object: ApiObject): ApiObject {
    const revision = this.#revision + 1;
    const stored = withRevision(object, revision);
    return this.#change({ space, revision, type: "put", object: stored });
  }

  /** Removes an object; the change carries `last`, at the revision of the deletion. */
  remove(space: string, last: ApiObject): ApiObject {
    const revision = this.#revision + 1;
    return this.#change({ space, revision, type: "remove", object: withRevision(last, revision) });
  }

  /** Calls back for each change of a key space until the returned function is called. */
  subscribe(space: string, listener: ChangeListener): () => void {
    const { listeners } = this.#space(space);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Forgets the history up to the current revision, as a compaction does. */
  compact(): void {
    for (const { history } of this.#spaces.values()) history.compact(this.#revision);
    this.#historySize = 0;
  }

  #change(record: StoredRecord): ApiObject {
    this.#journal?.append(record);
    this.#apply(record);
    this.#journal?.settle(record.revision, () => this.#all());
    return record.object;
  }

  #apply({ space, revision, type, object }: StoredRecord): void {
    const entry = this.#space(space);
    const key = storeKey(object.metadata.namespace, object.metadata.name);
    const previous = entry.objects.get(key);
    this.#revision = revision;
    if (type === "put") entry.objects.set(key, object);
    else entry.objects.delete(key);
    const change = type === "remove" ? "DELETED" : previous === undefined ? "ADDED" : "MODIFIED";
    if (change !== "MODIFIED") entry.keys = undefined;
    this.#record(entry, { revision, type: change, object, previous });
  }

  #load({ revision, objects, changes }: StoredContent): void {
    this.#revision = revision;
    this.#floor = revision;
    for (const { space, object } of objects) {
      this.#space(space).objects.set(storeKey(object.metadata.namespace, object.metadata.name), object);
    }
    for (const change of changes) this.#apply(change);
  }

  *#all(): Generator<readonly [space: string, object: ApiObject]> {
    for (const [space, { objects }] of this.#spaces)
      for (const object of objects.values()) yield [space, object];
  }

  #space(name: string): KeySpace {
    const existing = this.#spaces.get(name);
    if (existing !== undefined) return existing;
    const created: KeySpace = {
      objects: new Map(),
      history: new ChangeHistory(this.#floor),
      listeners: new Set(),
      keys: undefined,
      sorted: undefined,
    };
    this.#spaces.set(name, created);
    return created;
  }

  #record(entry: KeySpace, change: StoredChange): void {
    entry.sorted = undefined;
    const { history } = entry;
    this.#historySize -= history.size;
    history.add(change);
    // Cut in blocks: shifting one by one would cost the length of the history on every write.
    if (history.length > this.#historyLimit * 1.25) history.forget({ length: this.#historyLimit });
    this.#historySize += history.size;
    if (this.#historySize > this.#historyBytes) this.#shrinkHistories();
    for (const listener of entry.listeners) listener(change);
  }

  /** Takes a tenth, also in a block, from the largest history; one large object that is written often costs no other type its past. */
  #shrinkHistories(): void {
    const histories = [...this.#spaces.values()].map(({ history }) => history);
    let excess = this.#historySize - this.#historyBytes * 0.9;
    while (excess > 0) {
      const largest = histories.reduce((most, each) => (each.size > most.size ? each : most));
      const before = largest.size;
      largest.forget({ size: before - excess });
      excess -= before - largest.size;
      this.#historySize -= before - largest.size;
    }
  }
}

function withRevision(object: ApiObject, revision: number): ApiObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  const hasPlace = object.metadata.resourceVersion !== undefined;
  return { ...object, metadata: hasPlace ? metadata : orderMetadata(metadata) };
}

function sortedObjects(entry: KeySpace): readonly ApiObject[] {
  entry.keys ??= sortedKeys(entry.objects);
  return entry.keys.flatMap((key) => entry.objects.get(key) ?? []);
}

/** The real server orders by the bytes of `namespace/name`. */
function sortedKeys(objects: ReadonlyMap<string, ApiObject>): readonly string[] {
  return [...objects.keys()].sort();
}
