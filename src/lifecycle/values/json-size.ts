// How much room a value takes where it is stored: what budgets are held against.

/** Bytes that `status.lifecycle` may take unless the author sets another budget. */
export const defaultSnapshotBudget = 8_192;

/** Bytes of a value as JSON in UTF-8; infinite when it cannot be written as JSON. */
export function sizeOf(value: unknown): number {
  const text = textOf(value);
  return text === undefined ? Number.POSITIVE_INFINITY : new TextEncoder().encode(text).length;
}

/** Whether a value takes more bytes than that. */
export function isLarger(value: unknown, budget: number): boolean {
  const text = textOf(value);
  // No character takes more than three bytes for each of its units: most texts need not be encoded to be known as small enough.
  return text === undefined || (text.length * 3 > budget && new TextEncoder().encode(text).length > budget);
}

/** The value as JSON; undefined for a circle or a BigInt, to which too big for any budget is the right answer. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return undefined;
  }
}
