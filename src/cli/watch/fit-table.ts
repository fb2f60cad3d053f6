// A table that is no wider than a screen: cells are cut off, and columns left out that have no room. Pure.
import { columnsOf } from "../wrap-line.ts";

/** A column of a table. */
export interface TableColumn {
  readonly title: string;
  /** Columns of the screen without which it is left out, or, if it cannot be, to which it is cut off. */
  readonly least: number;
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

function fitWidths(
  columns: readonly TableColumn[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const widths = [...natural];
  const total = (): number => {
    const present = widths.filter((each) => each > 0);
    return present.reduce((sum, each) => sum + each, 0) + gap * Math.max(0, present.length - 1);
  };
  /** Takes what is too much from the widest, which keeps its least; whether it fits then. */
  const shrink = (indexes: readonly number[]): boolean => {
    for (;;) {
      const tooMuch = total() - width;
      if (tooMuch <= 0) return true;
      const wide = indexes.filter((index) => (widths[index] ?? 0) > (columns[index]?.least ?? 0));
      const [widest] = wide.toSorted((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0));
      if (widest === undefined) return false;
      const room = (widths[widest] ?? 0) - (columns[widest]?.least ?? 0);
      widths[widest] = (widths[widest] ?? 0) - Math.min(room, Math.max(1, Math.ceil(tooMuch / wide.length)));
    }
  };
  const indexes = [...columns.keys()];
  const spare = indexes
    .filter((index) => (columns[index]?.spare ?? 0) > 0)
    .toSorted((one, other) => (columns[other]?.spare ?? 0) - (columns[one]?.spare ?? 0));
  // The message first, as much as it can spare; then whole columns; then the names.
  for (const index of spare) {
    if (shrink([index])) return widths;
    widths[index] = 0;
  }
  shrink(indexes.filter((index) => (widths[index] ?? 0) > 0));
  return widths;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A text in so many columns: filled up, or cut off with an ellipsis. */
function fitCell(text: string, room: number): string {
  const width = columnsOf(text);
  if (width <= room) return text + " ".repeat(room - width);
  let [cut, used] = ["", 0];
  for (const { segment } of graphemes.segment(text)) {
    const more = columnsOf(segment);
    if (used + more > room - 1) break;
    cut += segment;
    used += more;
  }
  return `${cut}…${" ".repeat(Math.max(0, room - used - 1))}`;
}
