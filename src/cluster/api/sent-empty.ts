// What was sent empty, and is left out as nothing is written of it: Go tells an empty list or map from one that is not there, and some
// comparisons of the real server go by that, although both are read back as the same.
// Noted in the structs of an incoming object by shape-object.ts.
const mark = Symbol("sent empty");

interface Marked {
  [mark]?: ReadonlySet<string>;
}

/** Notes that a field of a struct was sent empty; copies of the struct know it, too. */
export function noteSentEmpty(struct: object, field: string): void {
  const marked = struct as Marked;
  marked[mark] = new Set([...(marked[mark] ?? []), field]);
}

/** Whether a field of the struct was sent empty, or anything within it. */
export function isSentEmpty(struct: object, field: string): boolean {
  return (
    (struct as Marked)[mark]?.has(field) === true ||
    hasSentEmpty((struct as Readonly<Record<string, unknown>>)[field])
  );
}

/** Whether anything within the value was sent empty. */
export function hasSentEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if ((value as Marked)[mark] !== undefined) return true;
  return Object.values(value).some((each) => hasSentEmpty(each));
}
