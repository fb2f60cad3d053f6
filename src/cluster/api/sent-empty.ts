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
  const value = (struct as Readonly<Record<string, unknown>>)[field];
  // What has got a default since is not empty any more.
  return ((struct as Marked)[mark]?.has(field) === true && isNothing(value)) || hasSentEmpty(value);
}

/** Whether anything within the value was sent empty. */
export function hasSentEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  if ([...((value as Marked)[mark] ?? [])].some((field) => isNothing(fields[field]))) return true;
  return Object.values(value).some((each) => hasSentEmpty(each));
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
