// The string functions of Kubernetes' CEL that the evaluator lacks: replacing, characters, regular expressions, URLs.
// https://kubernetes.io/docs/reference/using-api/cel/
import type { Environment } from "@marcbachmann/cel-js";
import { findIn, isFound } from "../regular-expression.ts";

/** Adds replace, charAt, find, findAll, matches, isURL, url and its getters. */
export function registerStringFunctions(environment: Environment): void {
  environment.registerFunction(
    "string.replace(string, string): string",
    (text: string, from: string, to: string) => text.replaceAll(from, () => to),
  );
  environment.registerFunction("string.replace(string, string, int): string", replaceSome);
  environment.registerFunction("string.charAt(int): string", (text: string, index: bigint) => {
    const characters = Array.from(text);
    const place = Number(index);
    if (place < 0 || place > characters.length) throw new Error(`index out of range: ${place}`);
    return characters[place] ?? "";
  });
  environment.registerFunction(
    "string.find(string): string",
    (text: string, pattern: string) => findIn(pattern, text).next().value ?? "",
  );
  environment.registerFunction("string.findAll(string): list<string>", (text: string, pattern: string) => [
    ...findIn(pattern, text),
  ]);
  environment.registerFunction(
    "string.findAll(string, int): list<string>",
    (text: string, pattern: string, limit: bigint) => [
      ...findIn(pattern, text, limit < 0n ? Infinity : Number(limit)),
    ],
  );
  environment.registerFunction(`string.${replaced("matches")}(string): bool`, matches);
  environment.registerFunction(`${replaced("matches")}(string, string): bool`, matches);
  registerPlaces(environment);
  const ascii = (text: string, from: RegExp, to: (letter: string) => string): string =>
    text.replace(from, to);
  environment.registerFunction(`string.${replaced("lowerAscii")}(): string`, (text: string) =>
    ascii(text, /[A-Z]/g, (letter) => letter.toLowerCase()),
  );
  environment.registerFunction(`string.${replaced("upperAscii")}(): string`, (text: string) =>
    ascii(text, /[a-z]/g, (letter) => letter.toUpperCase()),
  );
  registerUrlFunctions(environment);
}

/** Functions that the evaluator has otherwise than Kubernetes; its own cannot be replaced, so that calls of them are renamed. */
const replacedNames: ReadonlySet<string> = new Set([
  "duration",
  "matches",
  "indexOf",
  "lastIndexOf",
  "substring",
  "lowerAscii",
  "upperAscii",
]);

/** What a call of a function is renamed to. */
export function replaced(name: string): string {
  return replacedNames.has(name) ? `${name}__` : name;
}

/** A name, or a text that has names in it, without what {@link replaced} does. */
export function withoutReplaced(text: string): string {
  return text.replaceAll(/\b([a-zA-Z]+)__(?![a-zA-Z_])/g, (whole, name: string) =>
    replacedNames.has(name) ? name : whole,
  );
}

/** Places in a text are counted in characters, of which the evaluator makes two of some. */
function registerPlaces(environment: Environment): void {
  const outOfRange = (place: bigint): Error => new Error(`index out of range: ${place}`);
  const find = (text: string, part: string, from: bigint, step: 1 | -1): bigint => {
    const [all, wanted] = [Array.from(text), Array.from(part)];
    if (wanted.length === 0) return from;
    if (from < 0n) throw outOfRange(from);
    if (from >= BigInt(all.length)) return -1n;
    for (let at = Number(from); at >= 0 && at <= all.length; at += step) {
      if (wanted.every((character, index) => all[at + index] === character)) return BigInt(at);
    }
    return -1n;
  };
  environment.registerFunction(`string.${replaced("indexOf")}(string): int`, (text: string, part: string) =>
    find(text, part, 0n, 1),
  );
  environment.registerFunction(
    `string.${replaced("indexOf")}(string, int): int`,
    (text: string, part: string, from: bigint) => find(text, part, from, 1),
  );
  environment.registerFunction(
    `string.${replaced("lastIndexOf")}(string): int`,
    (text: string, part: string) => {
      const { length } = Array.from(text);
      return find(text, part, BigInt(part === "" ? length : Math.max(0, length - 1)), -1);
    },
  );
  environment.registerFunction(
    `string.${replaced("lastIndexOf")}(string, int): int`,
    (text: string, part: string, from: bigint) => find(text, part, from, -1),
  );
  const cut = (text: string, start: bigint, end: bigint): string => {
    const all = Array.from(text);
    if (start < 0n || start > BigInt(all.length)) throw outOfRange(start);
    if (end < 0n || end > BigInt(all.length)) throw outOfRange(end);
    if (end < start) throw new Error(`invalid substring range. start: ${start}, end: ${end}`);
    return all.slice(Number(start), Number(end)).join("");
  };
  environment.registerFunction(
    `string.${replaced("substring")}(int): string`,
    (text: string, start: bigint) => cut(text, start, BigInt(Array.from(text).length)),
  );
  environment.registerFunction(`string.${replaced("substring")}(int, int): string`, cut);
}

function matches(text: string, pattern: string): boolean {
  return isFound(pattern, text);
}

function replaceSome(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return text.replaceAll(from, () => to);
  let left = limit;
  return text.replaceAll(from, (match) => {
    if (left === 0n) return match;
    left -= 1n;
    return to;
  });
}

function registerUrlFunctions(environment: Environment): void {
  environment.registerFunction(
    "isURL(string): bool",
    (text: string) => URL.canParse(text) || text.startsWith("/"),
  );
  environment.registerType("kubernetes.URL", URL);
  environment.registerFunction("url(string): kubernetes.URL", (text: string) => {
    if (URL.canParse(text)) return new URL(text);
    const fault = text === "" ? "empty url" : "invalid URI for request";
    throw new Error(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${fault}`);
  });
  environment.registerOperator(
    "kubernetes.URL == kubernetes.URL",
    (left: URL, right: URL) => left.href === right.href,
  );
  const get = (name: string, read: (url: URL) => string): void => {
    environment.registerFunction(`kubernetes.URL.${name}(): string`, read);
  };
  get("getScheme", (url) => url.protocol.slice(0, -1));
  get("getHost", (url) => url.host);
  get("getHostname", (url) => url.hostname);
  get("getPort", (url) => url.port);
  get("getEscapedPath", (url) => url.pathname);
  environment.registerFunction(
    "kubernetes.URL.getQuery(): map<string, list<string>>",
    (url: URL) =>
      new Map([...new Set(url.searchParams.keys())].map((key) => [key, url.searchParams.getAll(key)])),
  );
}
