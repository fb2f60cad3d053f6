// Values that nobody can change any more: all readers of the cache share them, and what is large need not be copied or looked through
// again to know that it is as it was.

/** Entries from which a value is worth being remembered. */
const many = 64;

/** Maps and lists of many texts, numbers and booleans, which are frozen: each has one content for ever. */
const unchangeable = new WeakSet();

/** Freezes a JSON value in depth and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  const inner: readonly unknown[] = Object.values(value);
  let isFlat = true;
  for (const each of inner) {
    if (typeof each !== "object" || each === null) continue;
    isFlat = false;
    deepFreeze(each);
  }
  if (isFlat && inner.length >= many) unchangeable.add(value);
  return value;
}

/** Whether a value is known to be the same for ever, so that it may be shared in place of a copy. */
export function isUnchangeable(value: object): boolean {
  return unchangeable.has(value);
}
