// How deep a value may be nested that comes from outside: whoever walks it does so by calling itself.

/** Levels that a value may have; what people send has a handful. */
const deepest = 100;

/** Whether a value is nested deeper than it may be. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= deepest; depth += 1) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}
