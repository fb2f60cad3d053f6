// Which fields differ between two states of one object, in the words of a person: the detail of a cause.

/** Metadata that the server changes with every write, and that says nothing by itself. */
const bookkeeping = new Set(["resourceVersion", "managedFields", "generation"]);

/** The names that lead to a field. */
type Path = readonly string[];

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Dotted paths at which two objects differ, down to `depth` levels (default 2: `spec.size`, `metadata.labels`), sorted.
 * The server's bookkeeping (resourceVersion, managedFields, generation) is left out.
 */
export function changedPaths(before: object, after: object, depth = 2): string[] {
  return changedFields(before, after, depth).map(dotted).sort();
}

/** The same as {@link changedPaths}, each path as the names on it: those may have dots in them. In no order. */
export function changedFields(before: object, after: object, depth: number): readonly Path[] {
  const found: Path[] = [];
  collect(before, after, depth, [], found);
  return found;
}

/** Adds the paths below this one, or itself, at which two values differ. */
function collect(left: unknown, right: unknown, depth: number, path: Path, found: Path[]): void {
  const goesOn =
    path.length < depth && (left === undefined || isRecord(left)) && (right === undefined || isRecord(right));
  let isEmpty = true;
  if (goesOn) {
    const isMetadata = path.length === 1 && path[0] === "metadata";
    const collectField = (name: string): void => {
      isEmpty = false;
      const [before, after] = [left?.[name], right?.[name]];
      if (Object.is(before, after) || (isMetadata && bookkeeping.has(name))) return;
      collect(before, after, depth, [...path, name], found);
    };
    for (const name in left) collectField(name);
    for (const name in right) if (left === undefined || !Object.hasOwn(left, name)) collectField(name);
  }
  if (isEmpty && !isEqualJson(left, right)) found.push(path);
}

/** A path as people read it. */
export function dotted(path: Path): string {
  return path.join(".");
}

/** Whether two JSON values are equal; an absent field equals one that is undefined. */
export function isEqualJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((each, index) => isEqualJson(each, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  for (const name in left) if (!isEqualJson(left[name], right[name])) return false;
  for (const name in right) if (right[name] !== undefined && !Object.hasOwn(left, name)) return false;
  return true;
}
