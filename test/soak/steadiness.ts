// Whether a quantity stays as it is while time passes: the last quarter of its measures against the second one, as the
// first one is the start. Pure.

/** The median of the last quarter over that of the second one; 1 is flat. NaN without measures. */
export function growth(measures: readonly number[]): number {
  const [second, last] = medians(measures);
  return last / second;
}

/** How much more the median of the last quarter is than that of the second one. NaN without measures. */
export function gain(measures: readonly number[]): number {
  const [second, last] = medians(measures);
  return last - second;
}

function medians(measures: readonly number[]): readonly [second: number, last: number] {
  const quarter = measures.length / 4;
  const second = measures.slice(Math.floor(quarter), Math.floor(2 * quarter));
  return [median(second), median(measures.slice(Math.floor(3 * quarter)))];
}

/** The middle one by size; NaN without measures. */
export function median(measures: readonly number[]): number {
  return measures.toSorted((one, other) => one - other)[Math.floor(measures.length / 2)] ?? Number.NaN;
}

/** How measures began, lay and ended, for people. */
export function formatMeasures(measures: readonly number[]): string {
  const [least, most] = [Math.min(...measures), Math.max(...measures)];
  const told = [least, median(measures), most].map((each) => each.toFixed(1)).join(" / ");
  return `${told}, last quarter ${growth(measures).toFixed(3)} of the second`;
}
