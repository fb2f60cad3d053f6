// The rows of the board as they are looked for and ordered. Pure.
import type { BoardRow } from "../board-row.ts";

/** What is looked for. */
export interface RowQuery {
  /** Words that all must be somewhere in the row. */
  readonly text: string;
  /** Empty: any. */
  readonly kind: string;
  readonly health: string;
  readonly sort: SortKey;
  readonly descending: boolean;
}

const sortKeys = ["name", "kind", "state", "target", "health", "since", "created"] as const;

/** What rows may be ordered by. */
export type SortKey = (typeof sortKeys)[number];

/** Every row, by its name. */
export const everyRow: RowQuery = { text: "", kind: "", health: "", sort: "name", descending: false };

/** Whether rows may be ordered by it. */
export function isSortKey(text: string): text is SortKey {
  return sortKeys.some((key) => key === text);
}

/** The rows that are looked for, in the order that is asked for. */
export function findRows(rows: Iterable<BoardRow>, query: RowQuery): readonly BoardRow[] {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found: BoardRow[] = [];
  for (const row of rows) {
    if (query.kind !== "" && row.kind !== query.kind) continue;
    if (query.health !== "" && row.health !== query.health) continue;
    if (words.length > 0) {
      const text =
        `${row.kind} ${row.namespace ?? ""}/${row.name} ${row.state} ${row.target ?? ""} ${row.health} ${row.message}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) continue;
    }
    found.push(row);
  }
  const sign = query.descending ? -1 : 1;
  return found.sort(
    (a, b) => sign * compare(keyOf(a, query.sort), keyOf(b, query.sort)) || compare(nameOf(a), nameOf(b)),
  );
}

function keyOf(row: BoardRow, sort: SortKey): string {
  return sort === "name" ? nameOf(row) : (row[sort] ?? "");
}

/** `namespace/name`. */
export function nameOf({ namespace, name }: Pick<BoardRow, "namespace" | "name">): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
