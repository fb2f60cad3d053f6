// Reads JSON as an API server does: bounded in depth, refusing numbers that it cannot hold, with the fields that occur twice,
// which JSON.parse passes over in silence.
import { isJsonObject, maxNesting, setField } from "../../../schema/json-value.ts";
import { jsonFault } from "./json-fault.ts";

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
  } catch {
    throw new UnreadableText(jsonFault(text));
  }
  return { value: halfCharacter.test(text) ? wellFormed(value) : value, duplicateFields: scan(text) };
}

/** An escaped half of a character, which may be without the other half. */
const halfCharacter = /\\u[dD][89a-fA-F]/;

/** In place of half a character Go's reader puts one that says so: no text in a path or a file could hold the half. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  const fields: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) setField(fields, name.toWellFormed(), wellFormed(each));
  return fields;
}

/** The characters that structure a text, by their codes. */
const quotationMark = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const digits = { first: 0x30, last: 0x39 } as const;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Before anything is built: a parsed value that is nested too deep exhausts the stack of whatever looks at it. */
function assertShallow(text: string): void {
  if (text.length <= maxNesting) return;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quotationMark) at = endOfString(text, at);
    else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > maxNesting) {
        throw new UnreadableText(`invalid character '${text.charAt(at)}' exceeded max depth`);
      }
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
}

/** An object or list that the scan is inside of. */
interface Level {
  /** The names seen so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  /** The field that the scan is at. */
  name: string;
  /** The item that the scan is at. */
  index: number;
  awaitsName: boolean;
}

/** Walks over a text that is valid JSON. Errors: {@link UnreadableText} for a number that no double holds. */
function scan(text: string): readonly string[] {
  const duplicates = new Set<string>();
  const levels: Level[] = [];
  let level: Level | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    switch (code) {
      case openBrace:
      case openBracket:
        level = { names: code === openBrace ? new Set() : undefined, name: "", index: 0, awaitsName: true };
        levels.push(level);
        break;
      case closeBrace:
      case closeBracket:
        levels.pop();
        level = levels.at(-1);
        break;
      case comma:
        if (level !== undefined) {
          level.index += 1;
          level.awaitsName = true;
        }
        break;
      case quotationMark: {
        const end = endOfString(text, at);
        if (level?.names !== undefined && level.awaitsName) {
          const raw = text.slice(at + 1, end);
          level.name = raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
          level.awaitsName = false;
          if (level.names.has(level.name)) duplicates.add(pathOf(levels));
          else level.names.add(level.name);
        }
        at = end;
        break;
      }
      default:
        if (code === minus || (code >= digits.first && code <= digits.last)) at = endOfNumber(text, at);
    }
  }
  return [...duplicates];
}

function pathOf(levels: readonly Level[]): string {
  return levels.reduce((path, { names, name, index }) => {
    const step = names === undefined ? `[${index}]` : name;
    return path === "" || names === undefined ? `${path}${step}` : `${path}.${step}`;
  }, "");
}

/** The place of the last character of a number, which must be one that a double holds. */
function endOfNumber(text: string, start: number): number {
  numberPattern.lastIndex = start;
  const number = numberPattern.exec(text)?.[0] ?? "";
  // Only an exponent, or hundreds of digits, can be too much.
  if ((number.length > 300 || /e/i.test(number)) && !Number.isFinite(Number(number))) {
    throw new UnreadableText(`json: cannot unmarshal number ${number} into Go value of type float64`);
  }
  return start + number.length - 1;
}

const numberPattern = /[\d+.eE-]+/y;

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
