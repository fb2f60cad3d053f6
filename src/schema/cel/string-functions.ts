// The string functions of Kubernetes' CEL that the evaluator lacks: replacing, characters, regular expressions, URLs.
// https://kubernetes.io/docs/reference/using-api/cel/
import type { Environment } from "@marcbachmann/cel-js";
import { findIn, isFound } from "../regular-expression.ts";

/** Adds replace, charAt, reverse, find, findAll, matches, isURL, url and its getters. */
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
  environment.registerFunction("string.reverse(): string", (text: string) =>
    Array.from(text).reverse().join(""),
  );
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
  environment.registerFunction(`string.${linearMatches}(string): bool`, matches);
  environment.registerFunction(`${linearMatches}(string, string): bool`, matches);
  registerUrlFunctions(environment);
}

/** `matches` on a linear engine; the evaluator's own cannot be replaced, so that calls of it are renamed to this. */
export const linearMatches = "re2Matches";

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
  environment.registerFunction("url(string): kubernetes.URL", (text: string) => new URL(text));
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
