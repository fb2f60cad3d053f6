// Lines of a terminal: how wide they are, and how they are broken where they are wider than it. Pure.
import { stripVTControlCharacters } from "node:util";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const wide = /\p{Emoji_Presentation}|[\p{Script=Han}\p{Script=Hangul}\u3000-\u30FF\uFF01-\uFF60]/u;

/** The columns that a text takes: none for its colours, two for a wide character. */
export function columnsOf(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  return [...graphemes.segment(plain)].reduce((columns, { segment }) => columns + columnsOfOne(segment), 0);
}

function columnsOfOne(grapheme: string): number {
  if (/^[\p{M}\p{Cf}\p{Cc}]+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** The text, cut off with an ellipsis where it is wider than so many columns. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let [cut, used] = ["", 0];
  for (const { segment } of graphemes.segment(text)) {
    const more = columnsOf(segment);
    if (used + more > columns - 1) break;
    cut += segment;
    used += more;
  }
  return `${cut}…`;
}

/**
 * A line as lines of at most so many columns: broken between words, and within those that are wider. All after the first
 * are indented, as far as that leaves them half of the columns. A colour goes on over the end of a line.
 */
export function wrapLine(line: string, columns: number, indent: number): readonly string[] {
  if (columnsOf(line) <= columns) return [line];
  const margin = " ".repeat(Math.min(indent, Math.floor(columns / 2)));
  const lines: string[] = [];
  let [current, width] = ["", 0];
  /** Spaces and colours before the next word. */
  let before = "";
  const breakLine = (): void => {
    lines.push(current);
    [current, width] = [margin, margin.length];
    before = before.replaceAll(/\s+/g, "");
  };
  for (const [token] of line.matchAll(/\p{Cc}\[[0-9;]*m|\s+|[^\s\p{Cc}]+|\p{Cc}/gu)) {
    if (/^[\s\p{Cc}]/u.test(token)) {
      before += token;
      continue;
    }
    const isBegun = width > margin.length || (lines.length === 0 && width > 0);
    if (isBegun && width + columnsOf(before + token) > columns) breakLine();
    for (const part of partsOf(before + token, columns, width)) {
      if (width + columnsOf(part) > columns && width > margin.length) breakLine();
      current += part;
      width += columnsOf(part);
    }
    before = "";
  }
  return [...lines, current + before.trimEnd()];
}

/** The word, or its characters where it does not fit in one line. */
function partsOf(word: string, columns: number, width: number): readonly string[] {
  if (width + columnsOf(word) <= columns) return [word];
  return word
    .split(/(\p{Cc}\[[0-9;]*m)/u)
    .flatMap((part) =>
      part.startsWith("\u001B") ? [part] : [...graphemes.segment(part)].map(({ segment }) => segment),
    );
}
