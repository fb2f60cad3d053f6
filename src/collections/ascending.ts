// Names in their order. Those of an object that a server has written are in it most often: looking is cheaper than sorting.

/** The names sorted by their UTF-16 units; the list itself. */
export function ascending(names: string[]): readonly string[] {
  for (let at = 1; at < names.length; at += 1) {
    if ((names[at - 1] ?? "") > (names[at] ?? "")) return names.sort();
  }
  return names;
}
