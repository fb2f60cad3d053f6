// What of a page fits on a screen: of what matters first as much as there is room for, of the rest what then fits. Pure.

/** Lines that belong together; the first one is their title. */
interface PagePart {
  readonly lines: readonly string[];
}

/**
 * At most `room` lines of the parts, in their order. Of the first `vital` ones the first is shown as a whole and the others
 * share what is left, so that none pushes another out. What is left out is said, after `reset`, which ends a colour.
 */
export function fitParts(
  parts: readonly PagePart[],
  room: number,
  { vital, reset = "" }: { readonly vital: number; readonly reset?: string },
): readonly string[] {
  const airy = parts.flatMap(({ lines }, index) => (index === 0 ? lines : ["", ...lines]));
  if (airy.length <= room) return airy;
  const dense = parts.flatMap(({ lines }) => lines);
  if (dense.length <= room) return dense;
  const shares = sharesOf(
    parts.map(({ lines }) => lines.length),
    room - 1,
    vital,
  );
  const shown = parts.flatMap(({ lines }, index) => {
    const share = shares[index] ?? 0;
    const left = lines.length - share;
    if (left <= 0) return lines;
    return share === 0 ? [] : [...lines.slice(0, share - 1), `${reset}  … ${left + 1} more lines`];
  });
  const missing = shares.filter((share) => share === 0).length;
  const end = missing === 0 ? [] : [`… ${missing} more ${missing === 1 ? "section" : "sections"}`];
  return [...shown, ...end].slice(0, Math.max(1, room));
}

/** A title alone says nothing: a part gets two lines, or none. */
const least = 2;

function sharesOf(lengths: readonly number[], room: number, vital: number): readonly number[] {
  const [first = 0, ...others] = lengths.slice(0, vital);
  const shares = [Math.min(first, room)];
  const total = (level: number): number =>
    others.reduce((sum, length) => sum + Math.min(length, level), shares[0] ?? 0);
  let level = 0;
  while (level < room && total(level + 1) <= room) level += 1;
  let rest = room - total(level);
  const more = (desired: number, given: number): number => {
    const extra = Math.min(desired - given, rest);
    const share = given + extra < Math.min(least, desired) ? 0 : given + extra;
    rest -= share - given;
    return share;
  };
  for (const length of others) shares.push(more(length, Math.min(length, level)));
  for (const length of lengths.slice(vital)) shares.push(more(length, 0));
  return shares;
}
