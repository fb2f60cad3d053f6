// Which fields differ between two states of one object, in the words of a person: the detail of a cause.

/** Bookkeeping of the server that changes with every write and says nothing by itself. */
const bookkeeping = new Set(["metadata.resourceVersion", "metadata.managedFields", "metadata.generation"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isRecordOrAbsent = (value: unknown): value is Readonly<Record<string, unknown>> | undefined =>
  value === undefined || isRecord(value);

/**
 * Dotted paths at which two objects differ, down to `depth` levels (default 2: `spec.size`, `metadata.labels`), sorted.
 * The server's bookkeeping (resourceVersion, managedFields, generation) is left out.
 */
export function changedPaths(before: object, after: object, depth = 2): string[] {
  return changedFields(before, after, depth).map(dotted).sort();
}

/** The same as {@link changedPaths}, each path as the names on it: those may have dots in them. In no order. */
export function changedFields(before: object, after: object, depth: number): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const walk = (left: unknown, right: unknown, path: readonly string[]): void => {
    if (Object.is(left, right) || (path.length === 2 && bookkeeping.has(dotted(path)))) return;
    if (path.length < depth && isRecordOrAbsent(left) && isRecordOrAbsent(right)) {
      const names = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})]);
      for (const name of names) walk(left?.[name], right?.[name], [...path, name]);
      if (names.size > 0) return;
    }
    if (!isEqualJson(left, right)) found.push(path);
  };
  walk(before, after, []);
  return found;
}

/** A path as people read it. */
export function dotted(path: readonly string[]): string {
  return path.join(".");
}

/** Whether two JSON values are equal; an absent field equals one that is undefined. */
export function isEqualJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((each, index) => isEqualJson(each, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const name of names) if (!isEqualJson(left[name], right[name])) return false;
  return true;
}
