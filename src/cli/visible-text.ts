// Text for a terminal. What comes from a cluster, a recording or a module may hold characters that move the cursor, clear the
// screen, name the window or turn text around: they are shown as the escapes that JSON has for them, so that JSON stays the same.

const esc = "\u001B";

/** Control characters but line breaks and tabs; and what overrides, embeds or isolates the direction of text. */
const hidden = String.raw`(?!\n|\t|\r\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]`;
const everyHidden = new RegExp(hidden, "gu");

/** What painters begin and end their colours with: bold, faint, a colour of the letters, one of the background. */
const colours = `${esc}\\[(?:0|1|2|22|3[0-79]|4[0-79])m`;
/**
 * What a page that is drawn in its place, or a line that is replaced, is made of: at the beginning and at the end of what is
 * written, or where a line ends, so that what is shown within cannot use it.
 */
const moves = `^${esc}\\[(?:\\?7[lh]|\\d+A\\r)|^\\r${esc}\\[2K|${esc}\\[K(?=\\n)|${esc}\\[J$`;

/** What of a text is the command's own. */
export interface OwnSequences {
  /** It may have colours. */
  readonly color: boolean;
  /** It may move the cursor. */
  readonly moves: boolean;
}

/** The text with all that is hidden in it shown. */
export function visible(text: string): string {
  return text.replace(everyHidden, toEscape);
}

/** The same for every text of a value. */
export function visibleIn<T>(value: T): T {
  if (typeof value === "string") return visible(value) as T & string;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(visibleIn) as T & unknown[];
  return Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => [visible(name), visibleIn(each)]),
  ) as T & object;
}

/** Makes texts visible but for what is the command's own. */
export function visibleBut(own: OwnSequences): (text: string) => string {
  const kept = [...(own.color ? [colours] : []), ...(own.moves ? [moves] : [])];
  if (kept.length === 0) return visible;
  const parts = new RegExp(`${kept.join("|")}|(${hidden})`, "gu");
  return (text) =>
    text.replace(parts, (part: string, found: string | undefined) =>
      found === undefined ? part : toEscape(found),
    );
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
