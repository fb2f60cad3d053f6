// What became of each resource while this process looked: one entry for each change of its row, kept within bounds.
import type { BoardRow } from "./board-row.ts";

/** One moment of a resource. */
export interface HistoryEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly state: string;
  readonly target?: string;
  readonly plan: readonly string[];
  readonly health: BoardRow["health"];
  readonly message: string;
}

/** Entries kept of one resource. */
export const entriesOfOne = 200;
/** Entries kept of all. */
export const entriesOfAll = 20_000;

/** The past of all resources, by uid. The resource that changed last is forgotten last. */
export class ResourceHistory {
  readonly #entries = new Map<string, HistoryEntry[]>();
  #count = 0;

  /** Notes what a resource is; nothing when that is what it was. */
  note({ uid, state, target, plan, health, message }: BoardRow, at: number): void {
    const entries = this.#entries.get(uid) ?? [];
    const last = entries.at(-1);
    const entry: HistoryEntry = {
      at,
      state,
      ...(target === undefined ? {} : { target }),
      plan,
      health,
      message,
    };
    if (last !== undefined && JSON.stringify({ ...last, at }) === JSON.stringify(entry)) return;
    entries.push(entry);
    this.#count += 1;
    if (entries.length > entriesOfOne) {
      entries.shift();
      this.#count -= 1;
    }
    this.#entries.delete(uid);
    this.#entries.set(uid, entries);
    for (const [oldest, past] of this.#entries) {
      if (this.#count <= entriesOfAll) break;
      this.#entries.delete(oldest);
      this.#count -= past.length;
    }
  }

  /** Oldest first. */
  of(uid: string): readonly HistoryEntry[] {
    return this.#entries.get(uid) ?? [];
  }
}
