// What is said of an object that is not as expected: for each place what is expected (`-`) and what is there (`+`). Pure.
import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import type { Mismatch } from "./subset.ts";

/** Places that are shown; of an object that is quite another one the first say enough. */
const mostPlaces = 12;
/** Characters of a value that are shown. */
const longestValue = 240;

/** The lines of a difference. */
export function describeMismatches(mismatches: readonly Mismatch[]): readonly string[] {
  const shown = mismatches.slice(0, mostPlaces).flatMap(({ path, expected, actual }) => {
    const place = formatPath(path);
    return [
      `- ${place}: ${formatValue(expected)}`,
      `+ ${place}${actual === undefined ? " is not there" : `: ${formatValue(actual)}${countNote(expected, actual)}`}`,
    ];
  });
  const more = mismatches.length - mostPlaces;
  return more > 0 ? [...shown, `  … and ${more} more`] : shown;
}

/** Lists of different lengths look much alike. */
function countNote(expected: unknown, actual: unknown): string {
  if (!isJsonArray(expected) || !isJsonArray(actual)) return "";
  return ` (${actual.length} items, ${expected.length} expected)`;
}

function formatPath(path: Mismatch["path"]): string {
  if (path.length === 0) return "the object";
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (!/^[\w-]+$/.test(part)) return `${text}[${JSON.stringify(part)}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** As in YAML on one line, as far as that is unambiguous. */
function formatValue(value: unknown): string {
  const text = inline(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function inline(value: unknown): string {
  if (isJsonArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (isJsonObject(value)) {
    const fields = Object.entries(value).map(([name, each]) => `${name}: ${inline(each)}`);
    return `{${fields.join(", ")}}`;
  }
  const isPlain = typeof value === "string" && /^[A-Za-z][\w./:@-]*$/.test(value);
  const isWord = isPlain && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return isWord ? value : JSON.stringify(value ?? null);
}
