// Names in their order. Those of an object that a server has written are in it most often: looking is cheaper than sorting.

/** Whether the names are sorted by their UTF-16 units. */
export function isAscending(names: readonly string[]): boolean {
  return names.every((name, at) => at === 0 || (names[at - 1] ?? "") <= name);
}

/** The names sorted in this way; the list itself. */
export function ascending(names: string[]): readonly string[] {
  return isAscending(names) ? names : names.sort();
}
