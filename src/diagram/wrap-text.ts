// Breaks names and labels into lines that fit: at spaces, else where names of programs have joints, else anywhere. Pure.
import { textWidth, type Face } from "./text-width.ts";

/** Where and how a text is broken. */
export interface Wrapping {
  readonly face: Face;
  /** Pixels. */
  readonly width: number;
  /** What is more than that ends with an ellipsis. */
  readonly lines: number;
}

/** The lines of a text, at least one; none is wider than was asked for. White space is one space. */
export function wrapText(text: string, { face, width, lines: most }: Wrapping): readonly string[] {
  const fits: Fits = (more) => textWidth(more.trimEnd(), face) <= width;
  const words = visible(text).split(/(?<= )/);
  const pieces = words.flatMap((word) => (fits(word) ? [word] : fill(partsOf(word), fits)));
  const lines = fill(pieces, fits).map((line) => line.trimEnd());
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), ended(lines[most - 1] ?? "", fits)];
}

type Fits = (text: string) => boolean;

/** As many pieces in each line as fit; a piece that is too long for a line of its own is cut. */
function fill(pieces: readonly string[], fits: Fits): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of pieces.flatMap((each) => (fits(each) ? [each] : charactersOf(each)))) {
    if (line !== "" && !fits(line + piece)) {
      lines.push(line);
      line = "";
    }
    line += piece;
  }
  return [...lines, line];
}

function ended(line: string, fits: Fits): string {
  let characters = charactersOf(line);
  while (characters.length > 0 && !fits(`${characters.join("")}…`)) characters = characters.slice(0, -1);
  return `${characters.join("")}…`;
}

/** White space is one space; what has no shape, or turns the direction of what follows, is shown as a box. */
function visible(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, (character) =>
      character === "\u200D" ? character : "\u25A1",
    );
}

/** The pieces of a word between which it may be broken: after a joint, before a capital. */
function partsOf(word: string): readonly string[] {
  return word.split(/(?<=[./:_,(-])|(?<=\p{Ll})(?=\p{Lu})/u);
}

/** As people count them, so that none is broken. */
function charactersOf(text: string): readonly string[] {
  return Array.from(new Intl.Segmenter("en").segment(text), ({ segment }) => segment);
}
