// A table that is no wider than a screen: cells are cut off, and columns left out that have no room. Pure.
import { columnsOf, cutTo } from "../wrap-line.ts";

/** A column of a table. */
export interface TableColumn {
  readonly title: string;
  /** Columns of the screen without which it is left out, or, if it cannot be, to which it is cut off. */
  readonly least: number;
  /** To how many it is cut off before another column is left out; default not at all. */
  readonly fair?: number;
  /** What is left out first when there is no room has the highest number; 0 stays. */
  readonly spare: number;
}

const gap = 2;

/** The lines, the titles first. */
export function fitTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const natural = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => columnsOf(row[index] ?? ""))),
  );
  const widths = fitWidths(columns, natural, width);
  const line = (cells: readonly string[]): string =>
    widths
      .flatMap((room, index) => (room === 0 ? [] : [fitCell(cells[index] ?? "", room)]))
      .join(" ".repeat(gap))
      .trimEnd();
  return [columns.map(({ title }) => title), ...rows].map(line);
}

/** Widths of the columns, 0 for one that is left out. */
function fitWidths(
  columns: readonly TableColumn[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const indexes = [...columns.keys()];
  const spare = indexes
    .filter((index) => (columns[index]?.spare ?? 0) > 0)
    .toSorted((one, other) => (columns[other]?.spare ?? 0) - (columns[one]?.spare ?? 0));
  const floorOf = (index: number): number => columns[index]?.least ?? 0;
  const fairOf = (index: number): number => columns[index]?.fair ?? natural[index] ?? 0;
  // What is long gives way first; then columns that could be left out, as much as they can; then whole columns; then everything.
  for (let left = 0; left <= spare.length; left += 1) {
    const out = new Set(spare.slice(0, left));
    const whole = natural.map((each, index) => (out.has(index) ? 0 : each));
    const present = indexes.filter((index) => !out.has(index));
    const some = shrunk(whole, present, fairOf, width);
    const givingWay = present.filter((index) => spare.includes(index));
    const more = shrunk(some, givingWay, floorOf, width);
    if (totalOf(more) <= width) return more;
    if (left === spare.length) return shrunk(more, present, floorOf, width);
  }
  return natural;
}

function totalOf(widths: readonly number[]): number {
  const present = widths.filter((each) => each > 0);
  return present.reduce((sum, each) => sum + each, 0) + gap * Math.max(0, present.length - 1);
}

/** What is too much is taken from the widest of these columns, none of which gets narrower than its floor. */
function shrunk(
  widths: readonly number[],
  indexes: readonly number[],
  floorOf: (index: number) => number,
  width: number,
): readonly number[] {
  const next = [...widths];
  for (;;) {
    const tooMuch = totalOf(next) - width;
    const wide = indexes.filter((index) => (next[index] ?? 0) > floorOf(index));
    const [widest] = wide.toSorted((one, other) => (next[other] ?? 0) - (next[one] ?? 0));
    if (tooMuch <= 0 || widest === undefined) return next;
    const room = (next[widest] ?? 0) - floorOf(widest);
    next[widest] = (next[widest] ?? 0) - Math.min(room, Math.max(1, Math.ceil(tooMuch / wide.length)));
  }
}

/** A text in so many columns: filled up, or cut off with an ellipsis. */
function fitCell(text: string, room: number): string {
  const cell = cutTo(text, room);
  return cell + " ".repeat(Math.max(0, room - columnsOf(cell)));
}
