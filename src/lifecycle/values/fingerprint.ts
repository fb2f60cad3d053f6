// A short, stable hash of text and of JSON: for task keys and for detecting damage. Not against forgery: whoever may write
// the status may write the hash too.

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

/** The texts of parts that did not change since. */
const partTexts = new WeakMap<object, string>();

/** The same of a record whose parts are never changed: most are those of the cycle before, and what they come to is known. */
export function fingerprintOfParts(parts: Readonly<Record<string, object | undefined>>): string {
  return fingerprint(
    joined(parts, (part) => {
      if (part === undefined) return undefined;
      const text = partTexts.get(part) ?? textOf(part) ?? "null";
      partTexts.set(part, text);
      return text;
    }),
  );
}

/** Names in their order in an object that was made of them in order: numbers come first. Stored hashes depend on it. */
function namesOf(fields: object): readonly string[] {
  const names = Object.keys(fields).sort();
  const hasNumbers = names.some((name) => name >= "0" && name < ":");
  return hasNumbers ? Object.keys(Object.fromEntries(names.map((name) => [name, true]))) : names;
}

/** Texts that stand for nothing in a field. */
const emptyTexts: ReadonlySet<string | undefined> = new Set([undefined, "null", "{}", "[]"]);

/** The value as JSON, in one text for all ways of writing it; undefined for what is none. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (each) => textOf(each) ?? "null").join(",")}]`;
  return joined(value as Readonly<Record<string, unknown>>, textOf);
}

function joined<T>(
  fields: Readonly<Record<string, T>>,
  textOfField: (value: T) => string | undefined,
): string {
  let text = "";
  for (const name of namesOf(fields)) {
    const inner = textOfField(fields[name] as T);
    if (emptyTexts.has(inner)) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${inner}`;
  }
  return `{${text}}`;
}
