// Reads YAML as an API server does: the first document, in Go's YAML 1.1 (yes is true, 017 is 15, 2020-01-01 is text), as JSON.
// Bounded in depth and in what aliases may repeat, by the rule of Go's reader, so that a few lines cannot fill the memory.
import {
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  FAILSAFE_SCHEMA,
  load,
  mergeTag,
  NOT_RESOLVED,
  omapTag,
  realMapTag,
  seqTag,
  YAMLException,
} from "js-yaml";
import { isJsonObject, maxNesting, setField } from "../../../schema/json-value.ts";
import { UnreadableText } from "./json-text.ts";
import { repeatedKeysIn } from "./repeated-fields.ts";

const prefix = "tag:yaml.org,2002:";
const truths = new Set("y Y yes Yes YES true True TRUE on On ON".split(" "));
const falsehoods = new Set("n N no No NO false False FALSE off Off OFF".split(" "));
const nulls = new Set(["", "~", "null", "Null", "NULL"]);
const infinities: Readonly<Record<string, string>> = { "": "+Inf", "+": "+Inf", "-": "-Inf" };

/** A number that JSON has no word for. */
class NoJsonNumber {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

function scalar(name: string, resolve: (text: string) => unknown): ReturnType<typeof defineScalarTag> {
  return defineScalarTag(`${prefix}${name}`, { implicit: true, resolve, identify: () => false });
}

const number = (text: string): unknown => {
  const plain = text.replaceAll("_", "");
  if (!/^[-+.\d]/.test(text)) return NOT_RESOLVED;
  const sign = plain.startsWith("-") ? -1 : 1;
  const digits = plain.replace(/^[-+]/, "");
  if (/^0[xX][\dA-Fa-f]+$|^0[oO][0-7]+$|^0[bB][01]+$/.test(digits))
    return sign * Number(digits.toLowerCase());
  if (/^0[0-7]+$/.test(digits)) return sign * Number.parseInt(digits, 8);
  if (/^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(digits)) {
    const value = sign * Number(digits);
    return Number.isFinite(value) ? value : NOT_RESOLVED;
  }
  const infinity = /^([-+]?)\.(?:inf|Inf|INF)$/.exec(text);
  if (infinity !== null) return new NoJsonNumber(infinities[infinity[1] ?? ""] ?? "+Inf");
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? new NoJsonNumber("NaN") : NOT_RESOLVED;
};

const schema = FAILSAFE_SCHEMA.withTags(
  realMapTag,
  mergeTag,
  omapTag,
  scalar("null", (text) => (nulls.has(text) ? null : NOT_RESOLVED)),
  scalar("bool", (text) => (truths.has(text) ? true : falsehoods.has(text) ? false : NOT_RESOLVED)),
  scalar("int", number),
  scalar("float", number),
  defineScalarTag(`${prefix}binary`, {
    resolve: (text) => Buffer.from(text, "base64").toString("utf8"),
    identify: () => false,
  }),
  // Any other tag is passed over.
  ...["!", "tag:"].flatMap((tag) => [
    defineScalarTag(tag, { matchByTagPrefix: true, resolve: (text) => text, identify: () => false }),
    defineSequenceTag(tag, { ...seqTag, matchByTagPrefix: true }),
    defineMappingTag(tag, { ...realMapTag, matchByTagPrefix: true }),
  ]),
);

/**
 * The first document of a YAML text as JSON. What is said of keys that occur twice is added to `repeated`; of those the last one counts.
 * Errors: {@link UnreadableText}.
 */
export function readYaml(text: string, repeated: string[] = []): unknown {
  return readPlainJson(text) ?? new JsonOf().convert(loadFirst(text, repeated), 0);
}

/** In JSON, what YAML may read in another way: numbers that are no plain integers, merge keys, special characters, long keys. */
const ambiguous =
  /[:[,]\s*-?(?:\d+[.eE]|\d{16})|[:[,]\s*-0|"<<"|\\u[dD][89a-fA-F]|[\t\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|"[^"]{1000}|"\s+:/;

/** Most clients send JSON where YAML is read, and that is read ten times as fast. Undefined for what may mean something else in YAML. */
function readPlainJson(text: string): object | undefined {
  if (!text.startsWith("{") || ambiguous.test(text)) return undefined;
  if (mayBeTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    // YAML, or nothing: the other reader says what is wrong with it.
    return undefined;
  }
}

/** Whether a text opens more maps and lists than there may be one in another. */
function mayBeTooDeep(text: string): boolean {
  let opened = 0;
  for (let at = 0; at < text.length && opened <= maxNesting; at += 1) {
    const character = text.charAt(at);
    if (character === "{" || character === "[") opened += 1;
  }
  return opened > maxNesting;
}

/** An escape, where it is one, of half a character or of what is beyond all characters. */
const noCharacter =
  /\\u[dD][89a-fA-F][\da-fA-F]{2}|\\U(?:0000[dD][89a-fA-F][\da-fA-F]{2}|(?!000|0010)[\da-fA-F]{8})/g;

/** Put in the place of such an escape, it shows whether the reader takes it for one: in most texts it is plain. */
const mark = { character: "\ufdd0", short: "\\ufdd0", long: "\\U0000fdd0" } as const;

function hasMark(value: unknown, seen = new Set<object>()): boolean {
  if (typeof value === "string") return value.includes(mark.character);
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  const parts = value instanceof Map ? [...value].flat() : [...Object.keys(value), ...Object.values(value)];
  return parts.some((part) => hasMark(part, seen));
}

/** Of a longer document one key is named that occurs twice. */
const longestSearched = 16_384;

function loadFirst(text: string, repeated: string[]): unknown {
  // What stands before the first marker is no document unless it says something.
  const begun = text.replace(/^\uFEFF/, "").replace(/^(?:[ \t]*(?:#.*)?\r?\n)*---(?=\s|$)/, "");
  const first = begun.split(/^(?:---|\.\.\.)(?=\s|$)/m, 1)[0] ?? "";
  if (first.replaceAll(/^[ \t]*#.*$/gm, "").trim() === "") return null;
  const read = (text: string, json = true): unknown => load(text, { schema, json, maxDepth: maxNesting });
  const readOnce = (): unknown => {
    try {
      return read(first, false);
    } catch (error) {
      if (!(error instanceof YAMLException) || !error.message.includes("duplicated mapping key")) throw error;
      const above = text.slice(0, text.indexOf(first)).split("\n").length - 1;
      const value = read(first);
      const line = (error.mark?.line ?? 0) + above + 1;
      // The reader that finds them all takes ten times as long.
      if (first.length > longestSearched) repeated.push(`line ${line}: a key is already set in map`);
      else repeated.push(...repeatedKeysIn(first, above));
      return value;
    }
  };
  try {
    const value = readOnce();
    const marked = first.replaceAll(noCharacter, (escape) =>
      escape.startsWith("\\U") ? mark.long : mark.short,
    );
    if (marked !== first && !first.includes(mark.character) && hasMark(read(marked))) {
      throw new UnreadableText("yaml: found invalid Unicode character escape code");
    }
    return value;
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new UnreadableText(`yaml: ${error.message.split("\n")[0] ?? ""}`);
  }
}

/** Makes JSON of what the reader made: maps become objects, and what aliases repeat is counted. */
class JsonOf {
  readonly #seen = new Set<object>();
  readonly #inside = new Set<object>();
  #count = 0;
  #repeated = 0;
  #aliases = 0;

  convert(value: unknown, depth: number): unknown {
    this.#count += 1;
    if (this.#aliases > 0) this.#repeated += 1;
    if (isExcessive(this.#repeated, this.#count)) {
      throw new UnreadableText("yaml: document contains excessive aliasing");
    }
    if (value instanceof NoJsonNumber) throw new UnreadableText(`json: unsupported value: ${value.name}`);
    if (typeof value === "string") return value.toWellFormed();
    if (typeof value !== "object" || value === null) return value;
    if (depth > maxNesting) throw new UnreadableText(`yaml: exceeded max depth of ${maxNesting}`);
    if (this.#inside.has(value)) throw new UnreadableText("yaml: an anchor's value contains itself");
    const isRepeated = this.#seen.has(value);
    this.#seen.add(value);
    this.#inside.add(value);
    if (isRepeated) this.#aliases += 1;
    const converted = this.#convertContents(value, depth);
    if (isRepeated) this.#aliases -= 1;
    this.#inside.delete(value);
    return converted;
  }

  #convertContents(value: object, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item) => this.convert(item, depth + 1));
    const fields: Record<string, unknown> = {};
    const entries = value instanceof Map ? value : new Map<unknown, unknown>(Object.entries(value));
    for (const [key, item] of entries) {
      // Keys are text in JSON: an unquoted y is read as true first.
      if (key === null) throw new UnreadableText("unsupported map key of type: %!s(<nil>), key: <nil>");
      if (typeof key === "object") throw new UnreadableText(`yaml: invalid map key: ${kindOf(key)}`);
      setField(fields, Object.is(key, -0) ? "0" : String(key).toWellFormed(), this.convert(item, depth + 1));
    }
    return fields;
  }
}

/** The rule of Go's reader: the more there is in all, the less of it may be repetition. */
function isExcessive(repeated: number, count: number): boolean {
  if (repeated <= 100 || count <= 1_000) return false;
  const allowed = 0.99 - 0.89 * Math.min(1, Math.max(0, (count - 400_000) / 3_600_000));
  return repeated / count > allowed;
}

function kindOf(key: object): string {
  return isJsonObject(key) ? "map[interface {}]interface {}" : "[]interface {}";
}
