// Finds the object literals given to `createMachine(…)` and to the functions that declare an operator in a source text, and
// where each of their keys stands. A scanner, no parser: it follows braces and skips what it does not understand. Pure.
import { keyPath } from "../../machine-file/place-of-problem.ts";

/** The functions whose options are looked for (`setupLifecycle().extend({…})` too), and the option that names what each makes. */
const named = {
  setupLifecycle: "",
  createMachine: "id",
  defineKind: "kind",
  defineController: "",
  jobTask: "",
  defineOperator: "name",
} as const;

/** One of the functions whose options are found. */
export type Declarer = keyof typeof named;

/** One object of options as it is written. */
export interface WrittenOptions {
  readonly by: Declarer;
  /** The value of the option that names it, when that is a literal; of a controller the name of its kind's variable. */
  readonly id?: string;
  /** Offset of the call. */
  readonly offset: number;
  /** Offset by path (`keyPath`). */
  readonly keys: ReadonlyMap<string, number>;
}

/** The objects of options in a source text, in order. Never throws. */
export function writtenOptions(source: string): readonly WrittenOptions[] {
  const calls = new RegExp(
    String.raw`\b(${Object.keys(named).join("|")})\s*(?:<[^()<>]*>\s*)?(?:\(\s*\)\s*\.\s*extend\s*)?\(\s*(?:([\w$]+)\s*,\s*)?(?=\{)`,
    "g",
  );
  return [...source.matchAll(calls)].map((match) => {
    const by = match[1] as Declarer;
    const scanner = new Scanner(source, match.index + match[0].length);
    const keys = new Map<string, number>();
    scanner.object([], keys);
    const id = named[by] === "" ? match[2] : scanner.texts.get(named[by]);
    return { by, ...(id === undefined ? {} : { id }), offset: match.index, keys };
  });
}

/** Line and column of an offset, as editors count them. */
export function lineOf(source: string, offset: number): string {
  const before = source.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

class Scanner {
  /** Values that are literal texts, by path. */
  readonly texts = new Map<string, string>();
  readonly #source: string;
  #at: number;

  constructor(source: string, at: number) {
    this.#source = source;
    this.#at = at;
  }

  /** An object literal from its opening brace; the first of two equal keys counts. */
  object(path: readonly string[], keys: Map<string, number>): void {
    this.#at += 1;
    while (this.#at < this.#source.length) {
      this.#space();
      if (this.#next() === "}") {
        this.#at += 1;
        return;
      }
      const start = this.#at;
      const name = this.#key();
      this.#space();
      const inner = [...path, name ?? ""];
      const key = keyPath(...inner);
      // Also `observe() {…}`, and `observe` that stands for itself.
      if (name !== undefined && !keys.has(key)) keys.set(key, start);
      if (name !== undefined && this.#next() === ":") {
        this.#at += 1;
        this.#space();
        this.#value(inner, keys);
      }
      this.#skipToComma();
      if (this.#next() === ",") this.#at += 1;
      else if (this.#next() !== "}") return;
    }
  }

  #value(path: readonly string[], keys: Map<string, number>): void {
    const next = this.#next();
    if (next === "{") return this.object(path, keys);
    if (next === "[") {
      // The objects of a list stand for the list: `invoke: [{…}, {…}]`. The list is passed over afterwards, as a whole.
      const start = this.#at;
      do {
        this.#at += 1;
        this.#space();
        if (this.#next() === "{") this.object(path, keys);
        this.#skipToComma();
      } while (this.#next() === ",");
      this.#at = start;
      return;
    }
    const text = this.#text();
    if (text !== undefined) this.texts.set(keyPath(...path), text);
  }

  #key(): string | undefined {
    const text = this.#text();
    if (text !== undefined) return text;
    const [word = ""] = /^[\w$]+/.exec(this.#source.slice(this.#at, this.#at + 256)) ?? [];
    this.#at += word.length;
    return word === "" ? undefined : word;
  }

  /** A quoted text, or a template without expressions. */
  #text(): string | undefined {
    const quote = this.#next();
    if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
    const start = this.#at + 1;
    this.#skipText(quote);
    return this.#source.slice(start, this.#at - 1).replaceAll(/\\(.)/g, "$1");
  }

  /** To the comma, brace or bracket that ends an entry. */
  #skipToComma(): void {
    let depth = 0;
    while (this.#at < this.#source.length) {
      this.#space();
      const next = this.#next();
      if (depth === 0 && (next === "," || next === "}" || next === "]")) return;
      if (next === '"' || next === "'" || next === "`") this.#skipText(next);
      else {
        if ("([{".includes(next)) depth += 1;
        else if (")]}".includes(next)) depth -= 1;
        this.#at += 1;
      }
    }
  }

  #skipText(quote: string): void {
    this.#at += 1;
    while (this.#at < this.#source.length && this.#next() !== quote)
      this.#at += this.#next() === "\\" ? 2 : 1;
    this.#at += 1;
  }

  /** White space and comments. */
  #space(): void {
    const space = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
    space.lastIndex = this.#at;
    if (space.test(this.#source)) this.#at = space.lastIndex;
  }

  #next(): string {
    return this.#source.charAt(this.#at);
  }
}
