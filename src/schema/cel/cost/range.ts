// Ranges of sizes and costs, from least to most, as cel-go estimates with: what exceeds 64 bits counts as the largest number.
// https://github.com/google/cel-go/blob/master/checker/cost.go

/** From least to most. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The largest size or cost; also what an unknown one may come to. */
export const largest = 2 ** 64;

/** Exactly so much. */
export function exactly(amount: number): Range {
  return { min: amount, max: amount };
}

/** Anything. */
export const unknown: Range = { min: 0, max: largest };

/** The sum. */
export function plus(...ranges: readonly Range[]): Range {
  let [min, max] = [0, 0];
  for (const range of ranges) {
    min = capped(min + range.min);
    max = capped(max + range.max);
  }
  return { min, max };
}

/** The product. */
export function times(left: Range, right: Range): Range {
  return { min: capped(left.min * right.min), max: capped(left.max * right.max) };
}

/** So many times a factor, rounded up. */
export function scaled(range: Range, factor: number): Range {
  return { min: capped(Math.ceil(range.min * factor)), max: capped(Math.ceil(range.max * factor)) };
}

/** What holds both. */
export function union(left: Range, right: Range): Range {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}

function capped(amount: number): number {
  return Math.min(amount, largest);
}
