// Reads JSON as an API server does: bounded in depth, refusing numbers that it cannot hold, with the fields that occur twice,
// which JSON.parse passes over in silence.
import { maxNesting } from "../../../schema/json-value.ts";
import { messageOf } from "../../../ports/operator-error.ts";

/** A text that cannot be read; the message says why, in the words of Go's decoders. */
export class UnreadableText extends Error {}

/** What a JSON text holds. */
export interface JsonText {
  readonly value: unknown;
  /** Paths of the fields that occur more than once in their object, such as `data.a`. */
  readonly duplicateFields: readonly string[];
}

/** Reads a JSON text. Errors: {@link UnreadableText}. */
export function readJson(text: string): JsonText {
  assertShallow(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableText(goFault(text, error));
  }
  return { value, duplicateFields: scan(text) };
}

/** Before anything is built: a parsed value that is nested too deep exhausts the stack of whatever looks at it. */
function assertShallow(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") {
      depth += 1;
      if (depth > maxNesting) throw new UnreadableText(`invalid character '${character}' exceeded max depth`);
    } else if (character === "}" || character === "]") depth -= 1;
  }
}

/** An object or list that the scan is inside of. */
interface Level {
  /** The names seen so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  /** The field or the item that the scan is at. */
  step: string;
  index: number;
  awaitsName: boolean;
}

/** Walks over a text that is valid JSON. Errors: {@link UnreadableText} for a number that no double holds. */
function scan(text: string): readonly string[] {
  const duplicates = new Set<string>();
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1);
    const character = text.charAt(at);
    switch (character) {
      case "{":
        levels.push({ names: new Set(), step: "", index: 0, awaitsName: true });
        break;
      case "[":
        levels.push({ names: undefined, step: "[0]", index: 0, awaitsName: false });
        break;
      case "}":
      case "]":
        levels.pop();
        break;
      case ",":
        if (level?.names === undefined) moveOn(level);
        else level.awaitsName = true;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (level?.awaitsName === true) {
          const raw = text.slice(at + 1, end);
          level.step = raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
          level.awaitsName = false;
          if (level.names?.has(level.step) === true) duplicates.add(pathOf(levels));
          level.names?.add(level.step);
        }
        at = end;
        break;
      }
      case "-":
      case "0":
      case "1":
      case "2":
      case "3":
      case "4":
      case "5":
      case "6":
      case "7":
      case "8":
      case "9": {
        const start = at;
        while (/[\d+.eE-]/.test(text[at + 1] ?? "")) at += 1;
        const number = text.slice(start, at + 1);
        if (!Number.isFinite(Number(number))) {
          throw new UnreadableText(`json: cannot unmarshal number ${number} into Go value of type float64`);
        }
        break;
      }
      default:
    }
  }
  return [...duplicates];
}

function moveOn(list: Level | undefined): void {
  if (list === undefined) return;
  list.index += 1;
  list.step = `[${list.index}]`;
}

function pathOf(levels: readonly Level[]): string {
  return levels.reduce(
    (path, { names, step }) => (path === "" || names === undefined ? `${path}${step}` : `${path}.${step}`),
    "",
  );
}

/** The place of the quotation mark that ends the string; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

function goFault(text: string, error: unknown): string {
  if (text.trim() === "") return "unexpected end of JSON input";
  const at = /position (\d+)/.exec(messageOf(error))?.[1];
  const character = at === undefined ? undefined : text[Number(at)];
  return character === undefined
    ? "unexpected end of JSON input"
    : `invalid character '${character}' looking for beginning of ${text.trimStart().startsWith("{") && Number(at) <= 2 ? "object key string" : "value"}`;
}
