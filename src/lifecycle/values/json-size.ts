// How much room a value takes where it is stored: what budgets are held against.

/** Bytes that `status.lifecycle` may take unless the author sets another budget. */
export const defaultSnapshotBudget = 8_192;

/** Bytes of a value as JSON in UTF-8; infinite when it cannot be written as JSON. */
export function sizeOf(value: unknown): number {
  try {
    return new TextEncoder().encode(JSON.stringify(value) ?? "").length;
  } catch {
    // A circle or a BigInt: too big for any budget is the right answer to both.
    return Number.POSITIVE_INFINITY;
  }
}
