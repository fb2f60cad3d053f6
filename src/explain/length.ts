// Lengths of time for people: two units at most.

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** Milliseconds as `3d 4h`, `12m 5s` or `8s`; less than a second is `0s`, and a negative one has a minus sign. */
export function formatLength(milliseconds: number): string {
  const length = Math.abs(milliseconds);
  const first = units.findIndex(([, size]) => length >= size);
  if (first < 0) return "0s";
  const parts: string[] = [];
  let rest = length;
  for (const [unit, size] of units.slice(first, first + 2)) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount}${unit}`);
  }
  return `${milliseconds < 0 ? "-" : ""}${parts.join(" ")}`;
}
