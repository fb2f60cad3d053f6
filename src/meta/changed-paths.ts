// Which fields differ between two states of one object, in the words of a person: the detail of a cause.

/** Bookkeeping of the server that changes with every write and says nothing by itself. */
const bookkeeping = new Set(["metadata.resourceVersion", "metadata.managedFields", "metadata.generation"]);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Dotted paths at which two objects differ, down to `depth` levels (default 2: `spec.size`, `metadata.labels`), sorted.
 * The server's bookkeeping (resourceVersion, managedFields, generation) is left out.
 */
export function changedPaths(before: object, after: object, depth = 2): string[] {
  const paths: string[] = [];
  const walk = (left: unknown, right: unknown, path: string, level: number): void => {
    if (Object.is(left, right) || bookkeeping.has(path)) return;
    if (level < depth && (isRecord(left) || left === undefined) && (isRecord(right) || right === undefined)) {
      const names = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})]);
      for (const name of names)
        walk(left?.[name], right?.[name], path === "" ? name : `${path}.${name}`, level + 1);
      return;
    }
    if (!isEqualJson(left, right)) paths.push(path);
  };
  walk(before, after, "", 0);
  return paths.sort();
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
