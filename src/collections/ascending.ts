// Names in their order. Those of an object that a server has written are in it most often: looking is cheaper than sorting.

/** Whether the names are sorted by their UTF-16 units. */
export function isAscending(names: readonly string[]): boolean {
  return names.every((name, at) => at === 0 || (names[at - 1] ?? "") <= name);
}

/** Up to so many names, putting each in its place costs less than the copies that a sort makes. */
const few = 16;

/** The names sorted in this way; the list itself. */
export function ascending(names: string[]): readonly string[] {
  if (names.length > few) return isAscending(names) ? names : names.sort();
  for (let at = 1; at < names.length; at += 1) {
    const name = names[at] ?? "";
    let before = at - 1;
    for (; before >= 0 && (names[before] ?? "") > name; before -= 1) names[before + 1] = names[before] ?? "";
    names[before + 1] = name;
  }
  return names;
}
