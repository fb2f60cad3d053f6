// Parts of a text: finding every place of another one, and replacing parts that may overlap. Pure.

/** A part of a text: from one character to before another. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Every place at which a text has another one, also where they overlap. */
export function* placesOf(part: string, text: string): Generator<Span> {
  if (part === "") return;
  for (let start = text.indexOf(part); start !== -1; start = text.indexOf(part, start + 1)) {
    yield { start, end: start + part.length };
  }
}

/** The text with something else in the place of the parts: once for all of those that overlap. */
export function replaceSpans(text: string, spans: readonly Span[], instead: string): string {
  const ordered = spans.toSorted((one, other) => one.start - other.start);
  let [result, from] = ["", 0];
  for (const { start, end } of ordered) {
    if (end <= from) continue;
    result += start < from ? "" : `${text.slice(from, start)}${instead}`;
    from = end;
  }
  return result + text.slice(from);
}
