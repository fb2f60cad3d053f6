// Which part of the dashboard an address shows: `#/` and `#/?…` the board, `#/Kind/namespace/name` one resource. Pure.
import type { BoardRow } from "../board-row.ts";

/** A resource as an address names it. */
export type Address = Pick<BoardRow, "kind" | "namespace" | "name">;

/** The address of a resource's page. */
export function addressOf({ kind, namespace, name }: Address): string {
  return `#/${[kind, namespace ?? "", name].map(encodeURIComponent).join("/")}`;
}

/** The resource that an address names; undefined for the board. */
export function readAddress(hash: string): Address | undefined {
  const [path = ""] = hash.split("?");
  const [, kind = "", namespace = "", name = ""] = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return "";
    }
  });
  if (kind === "" || name === "") return undefined;
  return namespace === "" ? { kind, name } : { kind, namespace, name };
}
