// The past changes of one type, and how much memory they alone keep: what watches and lists of an earlier revision read.
import { isJsonObject } from "../../../schema/json-value.ts";
import type { ApiObject } from "../api-object.ts";

/** One change, as watches see it. */
export interface StoredChange {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object after the change; for a deletion the last one, at the deletion's revision. */
  readonly object: ApiObject;
  readonly previous: ApiObject | undefined;
}

/** Changes in their order. Whoever adds one sees to it that old ones are forgotten. */
export class ChangeHistory {
  readonly #entries: { readonly change: StoredChange; readonly size: number }[] = [];
  #size = 0;
  #oldestKnown: number;

  constructor(oldestKnown: number) {
    this.#oldestKnown = oldestKnown;
  }

  /** Revisions below it can no longer be reconstructed. */
  get oldestKnown(): number {
    return this.#oldestKnown;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** About how many bytes would be free without it, at most. */
  get size(): number {
    return this.#size;
  }

  /** The changes after a revision, oldest first. */
  after(revision: number): StoredChange[] {
    let first = this.#entries.length;
    while (first > 0 && (this.#entries[first - 1]?.change.revision ?? 0) > revision) first -= 1;
    return this.#entries.slice(first).map(({ change }) => change);
  }

  add(change: StoredChange): void {
    const size = sizeOf(change);
    this.#entries.push({ change, size });
    this.#size += size;
  }

  /** Forgets the oldest ones until there are at most so many, of at most such a size. */
  forget(most: { readonly length?: number; readonly size?: number }): void {
    const { length = Infinity, size = Infinity } = most;
    let [count, rest] = [0, this.#size];
    while (count < this.#entries.length && (this.#entries.length - count > length || rest > size)) {
      rest -= this.#entries[count]?.size ?? 0;
      count += 1;
    }
    this.#size = rest;
    const last = this.#entries.splice(0, count).at(-1);
    if (last !== undefined) this.#oldestKnown = last.change.revision;
  }

  /** Forgets all, and what was up to a revision. */
  compact(revision: number): void {
    this.forget({ length: 0 });
    this.#oldestKnown = revision;
  }
}

/** What a change itself takes, in bytes. */
const changeSize = 200;

/** A change keeps what it has replaced; an object that is gone is nowhere else either. */
function sizeOf({ type, object, previous }: StoredChange): number {
  const last = type === "DELETED" ? sizeApart(object, undefined) : 0;
  return changeSize + last + (previous === undefined ? 0 : sizeApart(previous, object));
}

/** About how many bytes a value takes beside another one that it may share parts with, at most: two for each character. */
function sizeApart(value: unknown, other: unknown): number {
  if (typeof value === "string") return 24 + 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (value === other) return 8;
  let size = 32;
  if (Array.isArray(value)) {
    const others = Array.isArray(other) ? other : [];
    for (let index = 0; index < value.length; index += 1) size += 8 + sizeApart(value[index], others[index]);
    return size;
  }
  const others = isJsonObject(other) ? other : {};
  for (const [name, each] of Object.entries(value))
    size += 32 + 2 * name.length + sizeApart(each, others[name]);
  return size;
}
