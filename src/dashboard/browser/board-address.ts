// What is looked for on the board, as a part of its address: it is there again after a reload, on the way back, and for
// everyone who opens the address. Pure.
import { everyRow, isSortKey, type RowQuery } from "./board-rows.ts";

/** The board's address: `#/`, with what is looked for. */
export function boardAddressOf({ text, kind, health, sort, descending }: RowQuery): string {
  const order = descending ? `-${sort}` : sort;
  const asked = new URLSearchParams();
  if (text !== "") asked.set("search", text);
  if (kind !== "") asked.set("kind", kind);
  if (health !== "") asked.set("health", health);
  if (order !== everyRow.sort) asked.set("sort", order);
  return asked.size === 0 ? "#/" : `#/?${asked.toString()}`;
}

/** What an address looks for: every row, by name, when it does not say. */
export function readBoardAddress(hash: string): RowQuery {
  const start = hash.indexOf("?");
  const asked = new URLSearchParams(start < 0 ? "" : hash.slice(start));
  const [, sign, sort = ""] = /^(-?)(.*)$/.exec(asked.get("sort") ?? "") ?? [];
  return {
    text: asked.get("search") ?? "",
    kind: asked.get("kind") ?? "",
    health: asked.get("health") ?? "",
    ...(isSortKey(sort)
      ? { sort, descending: sign === "-" }
      : { sort: everyRow.sort, descending: everyRow.descending }),
  };
}
