// Patterns of schemas and of CEL, as the API server reads them: RE2, whose matching takes a time that grows with the text
// alone, whatever the pattern is. Syntax: https://github.com/google/re2/wiki/Syntax
import { RE2JS } from "re2js";
import { BoundedMap } from "../collections/bounded-map.ts";

/** Patterns that are remembered. */
const remembered = 1_000;
const known = new BoundedMap<string, RE2JS>(remembered);

/** The compiled pattern. Errors: what Go says of one that is not valid, `error parsing regexp: …`. */
export function regularExpression(pattern: string): RE2JS {
  const found = known.get(pattern) ?? RE2JS.compile(pattern);
  known.set(pattern, found);
  return found;
}

/** Whether a pattern is found anywhere in a text. Errors: as for {@link regularExpression}. */
export function isFound(pattern: string, text: string): boolean {
  return regularExpression(pattern).test(text);
}

/** What a pattern finds in a text, from the first place on, each after the one before; so many at most. */
export function* findIn(pattern: string, text: string, most = Infinity): Generator<string, undefined> {
  const matcher = regularExpression(pattern).matcher(text);
  for (let found = 0; found < most && matcher.find(); found += 1) yield matcher.group() ?? "";
}
