// What the board's entry in the browser's history keeps: what is looked for in its address, and how far it is scrolled.
import { useEffect, useState } from "preact/hooks";
import { boardAddressOf, readBoardAddress } from "./board-address.ts";
import type { RowQuery } from "./board-rows.ts";

/** What is looked for, and what changes a part of it. */
export function useRowQuery(): readonly [query: RowQuery, change: (part: Partial<RowQuery>) => void] {
  const [query, setQuery] = useState(() => readBoardAddress(location.hash));
  useEffect(() => {
    const follow = (): void => setQuery(readBoardAddress(location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  const change = (part: Partial<RowQuery>): void => {
    const next = { ...query, ...part };
    history.replaceState(null, "", boardAddressOf(next));
    setQuery(next);
  };
  return [query, change];
}

/** Pixels that the list was scrolled by when this entry was left. */
export function keptTop(): number {
  const state: unknown = history.state;
  if (typeof state !== "object" || state === null || !("top" in state)) return 0;
  return typeof state.top === "number" ? state.top : 0;
}

/** Has this entry keep it. */
export function keepTop(top: number): void {
  history.replaceState({ top }, "");
}
