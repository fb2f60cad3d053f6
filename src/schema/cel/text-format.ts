// `format` of CEL's strings: clauses such as `%s` and `%.2f`, filled with the items of a list.
// https://pkg.go.dev/github.com/google/cel-go/ext#Strings
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { typeOfNode } from "./cost/checked-node.ts";
import { toJson } from "./cel-json.ts";

/** Adds format, and `strings.quote`. */
export function registerTextFormat(environment: Environment): void {
  environment.registerFunction("string.format(list<dyn>): string", formatted);
  environment.registerType("kubernetes.Strings", Strings);
  environment.registerConstant("strings", "kubernetes.Strings", new Strings());
  environment.registerFunction("kubernetes.Strings.quote(string): string", (strings: Strings, text: string) =>
    strings.quote(text),
  );
}

/** The namespace `strings`. */
class Strings {
  quote(text: string): string {
    return quoted(text);
  }
}

interface Clause {
  readonly letter: string;
  readonly precision: number | undefined;
}

/** The texts of a format and the clauses between them. Errors: for a clause that does not exist. */
function readFormat(text: string): readonly (string | Clause)[] {
  const parts: (string | Clause)[] = [];
  for (const [part] of text.matchAll(/%%|%(?:\.\d*)?[^]?|[^%]+/g)) {
    if (part === "%%") parts.push("%");
    else if (!part.startsWith("%")) parts.push(part);
    else {
      const [, digits, letter = ""] = /^%(?:\.(\d*))?([^]?)$/.exec(part) ?? [];
      if (letter === "") throw new Error("unexpected end of string");
      if (!"sdfebxXo".includes(letter)) {
        throw new Error(`could not parse formatting clause: unrecognized formatting clause "${letter}"`);
      }
      parts.push({ letter, precision: digits === undefined ? undefined : Number(digits) });
    }
  }
  return parts;
}

function formatted(text: string, items: readonly unknown[]): string {
  const parts = readFormat(text);
  let next = 0;
  const result = parts.map((part) => {
    if (typeof part === "string") return part;
    if (next >= items.length) throw new Error(`index ${next} out of range`);
    const item = items[next];
    next += 1;
    return fill(part, item);
  });
  if (next < items.length) throw new Error(tooMany(next, items.length));
  return result.join("");
}

function tooMany(expected: number, given: number): string {
  return `too many arguments supplied to string.format (expected ${expected}, got ${given})`;
}

function fill({ letter, precision }: Clause, item: unknown): string {
  const wrong = fault(letter, typeName(item));
  if (wrong !== undefined) throw new Error(wrong);
  switch (letter) {
    case "f":
      return isFiniteNumber(item) ? Number(item).toFixed(precision ?? 6) : print(item, false);
    case "e": {
      const [digits = "", power = ""] = Number(item)
        .toExponential(precision ?? 6)
        .split("e");
      const exponent = power.replace(/\d+/, (each) => each.padStart(2, "0")).replace("+", "");
      return `${digits}\u202f\u00d7\u202f10${Array.from(exponent, (each) => superscripts[each] ?? "").join("")}`;
    }
    case "b":
      return typeof item === "boolean" ? (item ? "1" : "0") : BigInt(item as bigint | number).toString(2);
    case "o":
      return BigInt(item as bigint | number).toString(8);
    case "x":
      return hexOf(item);
    case "X":
      return hexOf(item).toUpperCase();
    default:
      return print(item, false);
  }
}

const superscripts: Readonly<Record<string, string>> = {
  "-": "\u207b",
  "0": "\u2070",
  "1": "\u00b9",
  "2": "\u00b2",
  "3": "\u00b3",
  "4": "\u2074",
  "5": "\u2075",
  "6": "\u2076",
  "7": "\u2077",
  "8": "\u2078",
  "9": "\u2079",
};

function isFiniteNumber(item: unknown): boolean {
  return Number.isFinite(Number(item));
}

function hexOf(item: unknown): string {
  if (typeof item === "string") return Buffer.from(item).toString("hex");
  return item instanceof Uint8Array
    ? Buffer.from(item).toString("hex")
    : BigInt(item as bigint | number).toString(16);
}

const takes: Readonly<Record<string, readonly [types: readonly string[], complaint: string]>> = {
  d: [["int", "uint"], "decimal clause can only be used on integers"],
  f: [["double"], "fixed-point clause can only be used on doubles"],
  e: [["double"], "scientific clause can only be used on doubles"],
  b: [["int", "uint", "bool"], "binary clause can only be used on integers and bools"],
  o: [["int", "uint"], "octal clause can only be used on integers"],
  x: [
    ["int", "uint", "string", "bytes"],
    "hex clause can only be used on integers, byte buffers, and strings",
  ],
  X: [
    ["int", "uint", "string", "bytes"],
    "hex clause can only be used on integers, byte buffers, and strings",
  ],
};

function fault(letter: string, type: string): string | undefined {
  const known = takes[letter];
  if (known === undefined || type === "dyn" || known[0].includes(type)) return undefined;
  return `error during formatting: ${known[1]}, was given ${type}`;
}

function typeName(item: unknown): string {
  if (typeof item === "bigint") return "int";
  if (typeof item === "number") return "double";
  if (typeof item === "boolean") return "bool";
  if (typeof item === "string") return "string";
  if (item === null) return "null_type";
  if (item instanceof Uint8Array) return "bytes";
  if (Array.isArray(item)) return "list";
  return item instanceof Map ? "map" : "dyn";
}

function print(item: unknown, isInside: boolean): string {
  if (typeof item === "string") return isInside ? quoted(item) : item;
  if (item === null) return "null";
  if (Array.isArray(item)) return `[${item.map((each) => print(each, true)).join(", ")}]`;
  if (item instanceof Uint8Array) return Buffer.from(item).toString();
  if (item instanceof Date) {
    const text = printTime(item);
    return isInside ? `timestamp("${text}")` : text;
  }
  const isMap = item instanceof Map || Object.getPrototypeOf(item) === Object.prototype;
  if (typeof item === "object" && isMap) {
    const entries = item instanceof Map ? [...(item as ReadonlyMap<unknown, unknown>)] : Object.entries(item);
    const pairs = entries.map(([key, value]) => `${print(key, true)}:${print(value, true)}`);
    return `{${pairs.toSorted().join(", ")}}`;
  }
  const json = toJson(item);
  return typeof json === "string" ? (isInside ? `duration("${json}")` : json) : String(json);
}

/** A time as RFC 3339, without the part of a second that is nothing. */
export function printTime(time: Date): string {
  return time.toISOString().replace(/\.?0+Z$/, "Z");
}

/** As a literal of a string. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** What is wrong with a format that is written out, by the types of what it is filled with; `at` undefined: with all of it. */
export function formatFault(
  text: string,
  items: readonly ASTNode[],
): { readonly message: string; readonly at: ASTNode | undefined } | undefined {
  let clauses: readonly Clause[];
  try {
    clauses = readFormat(text).filter((part) => typeof part !== "string");
  } catch (error) {
    return { message: error instanceof Error ? error.message : "", at: undefined };
  }
  if (clauses.length > items.length) return { message: `index ${items.length} out of range`, at: undefined };
  if (clauses.length < items.length) return { message: tooMany(clauses.length, items.length), at: undefined };
  for (const [index, { letter }] of clauses.entries()) {
    const at = items[index];
    const type = at === undefined ? undefined : typeOfNode(at)?.name;
    // A text may spell a number that is none, such as NaN: what it spells is found out when it is filled in.
    const isSpelled = type === "string" && (letter === "f" || letter === "e");
    const message = isSpelled ? undefined : fault(letter, type ?? "dyn");
    if (message !== undefined) return { message, at };
  }
  return undefined;
}
