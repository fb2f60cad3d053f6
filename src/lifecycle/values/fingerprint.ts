// A short, stable hash of text and of JSON: for task keys and for detecting damage. Not against forgery: whoever may write
// the status may write the hash too.

import { ascending } from "../../collections/ascending.ts";

/** 16 hexadecimal digits: FNV-1a twice over 32 bits, see http://www.isthe.com/chongo/tech/comp/fnv/ */
export function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + at), 0x85ebca6b);
  }
  // The last bits of a product are weak: each half is mixed with the other.
  const mixed = [low ^ (high >>> 15), high ^ (low >>> 13)];
  return mixed.map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/**
 * The hash of a JSON value. The order of fields does not count, and neither do fields that are null or empty: ways of
 * writing differ in what they keep of those (a merge patch takes null as a removal).
 */
export function fingerprintOfJson(value: unknown): string {
  return fingerprint(textOf(value) ?? "");
}

/** Names in their order in an object that was made of them in order: numbers come first. Stored hashes depend on it. */
function namesOf(fields: object): readonly string[] {
  const names = ascending(Object.keys(fields));
  const hasNumbers = names.some((name) => name >= "0" && name < ":");
  return hasNumbers ? Object.keys(Object.fromEntries(names.map((name) => [name, true]))) : names;
}

/** Texts that stand for nothing in a field. */
const emptyTexts: ReadonlySet<string | undefined> = new Set([undefined, "null", "{}", "[]"]);

/** What JSON writes otherwise than it is: quotes, backslashes, and what is no character that is shown. */
const escaped = /["\\]|[^\u0020-\ud7ff\ue000-\uffff]/;

/** As JSON; most texts are only put in quotes, which costs a third. */
function quoted(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The value as JSON, in one text for all ways of writing it; undefined for what is none. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (each) => textOf(each) ?? "null").join(",")}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = "";
  for (const name of namesOf(fields)) {
    const inner = textOf(fields[name]);
    if (emptyTexts.has(inner)) continue;
    text += `${text === "" ? "" : ","}${quoted(name)}:${inner}`;
  }
  return `{${text}}`;
}
