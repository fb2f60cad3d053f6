// Equality of values as rules hold them: JSON values, and what rules make of some (maps, timestamps, durations, messages).

/** Whether two values in a rule are equal. Fields of messages count by their own values, whatever they are named. */
export function celEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (left.constructor !== right.constructor) return false;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => celEqual(item, right[index]));
  }
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  const [mine, theirs] = [entriesOf(left), entriesOf(right)];
  return (
    mine.size === theirs.size &&
    [...mine].every(([key, value]) => theirs.has(key) && celEqual(value, theirs.get(key)))
  );
}

function entriesOf(value: object): ReadonlyMap<unknown, unknown> {
  return value instanceof Map ? value : new Map(Object.entries(value));
}
