// All resources of all kinds as rows, kept equal to what the sources tell, with the past of each. Pages subscribe to it.
import type { KubeObject } from "../meta/object.ts";
import { formatKey, type ObjectKey } from "../meta/object-key.ts";
import type { BoardSource } from "./board-source.ts";
import { rowOf, type BoardRow } from "./board-row.ts";
import { ResourceHistory } from "./resource-history.ts";

/** A row that is new or has changed, the uid of one that is gone, or a kind that was added, before its rows. */
export type BoardChange =
  { readonly row: BoardRow } | { readonly gone: string } | { readonly added: BoardSource };

interface Entry {
  readonly row: BoardRow;
  readonly object: KubeObject;
  readonly source: BoardSource;
}

/** The board of one process. */
export class Board {
  readonly history = new ResourceHistory();
  readonly #now: () => number;
  readonly #sanitize: (value: unknown) => unknown;
  /** By uid. */
  readonly #entries = new Map<string, Entry>();
  /** The uid of the resource that has a name: there is one at a time. */
  readonly #uids = new Map<string, string>();
  readonly #listeners = new Set<(change: BoardChange) => void>();
  readonly #sources: BoardSource[] = [];

  /** `now` gives milliseconds since the epoch; `sanitize` takes secrets out of what a row says. */
  constructor({ now, sanitize }: { now: () => number; sanitize: (value: unknown) => unknown }) {
    this.#now = now;
    this.#sanitize = sanitize;
  }

  /** The kinds that were added. */
  get sources(): readonly BoardSource[] {
    return this.#sources;
  }

  /** Takes over a kind: all its resources, and every change from now on. */
  add(source: BoardSource): void {
    this.#sources.push(source);
    this.#tell({ added: source });
    source.subscribe((object, gone) => this.#take(source, object, gone));
    for (const object of source.list()) this.#take(source, object, false);
  }

  /** All rows, in no order. */
  rows(): readonly BoardRow[] {
    return [...this.#entries.values()].map(({ row }) => row);
  }

  /** A resource with its source; undefined when there is none. */
  find(kind: string, namespace: string | undefined, name: string): Omit<Entry, "row"> | undefined {
    const key: ObjectKey = namespace === undefined ? { name } : { namespace, name };
    return this.#entries.get(this.#uids.get(nameIn(kind, key)) ?? "");
  }

  /** Whether a resource, or the namespace of one, is called so. */
  isName(text: string): boolean {
    for (const { row } of this.#entries.values())
      if (row.name === text || row.namespace === text) return true;
    return false;
  }

  /** Tells of each change from now on. */
  subscribe(listener: (change: BoardChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #take(source: BoardSource, object: KubeObject, gone: boolean): void {
    const reported = rowOf(object);
    const { uid, kind, name, namespace } = reported;
    // What a resource is called is no secret, whatever a Secret says: it is found by that.
    const known = { uid, kind, name, ...(namespace === undefined ? {} : { namespace }) };
    const row = { ...(this.#sanitize(reported) as BoardRow), ...known };
    const before = this.#entries.get(row.uid);
    const called = nameIn(kind, reported);
    const holder = this.#uids.get(called);
    if (gone) {
      if (holder === uid) this.#uids.delete(called);
      this.#remove(uid);
      return;
    }
    // Its deletion may not have been reported: another one has its name now.
    if (holder !== undefined && holder !== uid) this.#remove(holder);
    this.#uids.set(called, uid);
    this.#entries.set(row.uid, { row, object, source });
    this.history.note(row, this.#now());
    // The object is kept in any case: its page shows more than its row.
    if (before === undefined || JSON.stringify(before.row) !== JSON.stringify(row)) this.#tell({ row });
    else this.#tell({ row: before.row });
  }

  #remove(uid: string): void {
    if (this.#entries.delete(uid)) this.#tell({ gone: uid });
  }

  #tell(change: BoardChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function nameIn(kind: string, key: ObjectKey): string {
  return `${kind} ${formatKey(key)}`;
}
