// One file that is being read: its value, the places of its parts, and everything that is wrong with it so far.
import { existsSync, readFileSync } from "node:fs";
import { keyPath } from "../../machine-file/place-of-problem.ts";
import { readPlacedText, type PlacedText } from "../../machine-file/placed-text.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { Problem } from "../../ports/problem.ts";
import { shown } from "../../ports/shown.ts";
import { isJsonObject } from "../../schema/json-value.ts";
import { inFileWords } from "./file-words.ts";

/** Names and positions from the top of a file. */
export type Path = readonly string[];

/** Something wrong with a part of a file. */
export interface Fault {
  readonly code: string;
  readonly path: Path;
  readonly message: string;
  readonly remedy: string;
  /** A part of the value's text, and a position in it: where exactly it is wrong. */
  readonly inside?: { readonly text: string; readonly at: number };
  readonly severity?: "error" | "warning";
}

/** An object that the operator writes, as it is written in a file: with expressions. */
export interface WrittenObject {
  readonly type: ResourceType;
  readonly value: Readonly<Record<string, unknown>>;
  readonly reader: FileReader;
  readonly path: Path;
}

/** A file of YAML or JSON. */
export class FileReader {
  readonly file: string;
  readonly value: unknown;
  /** What is wrong, of all files of the operator. */
  readonly problems: Problem[];
  /** Paths of the files that are named in the operator's files. */
  readonly named: Set<string>;
  /** Programs that the operator runs. */
  readonly programs: Set<string>;
  /** Objects that the operator writes, of all its files. */
  readonly objects: WrittenObject[];
  /** CEL's types of the values that are one expression, by their paths in this file. */
  readonly expressionTypes = new Map<string, string>();
  readonly #text: string;
  readonly #placed: PlacedText;

  /** `from` is a file of the same operator, if there is one before. */
  constructor(text: string, file: string, from?: FileReader) {
    this.file = file;
    this.problems = from?.problems ?? [];
    this.named = from?.named ?? new Set();
    this.programs = from?.programs ?? new Set();
    this.objects = from?.objects ?? [];
    this.#text = text;
    this.#placed = readPlacedText(text, file);
    this.value = this.#placed.value;
    // After the first thing that is no YAML nothing is what it seems.
    const broken = this.#placed.problems.find(({ code }) => code === "TEXT_INVALID");
    this.add(...(broken === undefined ? this.#placed.problems : [broken]));
  }

  /** Whether the file is an object with fields; else that is reported. `needed` are those that it must have. */
  hasFields(needed: string): boolean {
    if (isJsonObject(this.value)) return true;
    const is = this.value === null ? "empty" : shown(this.value);
    const message = `the file is ${is}, but must be an object with fields`;
    this.report({ code: "OPTION_MISSING", path: [], message, remedy: `Write ${needed}.` });
    return false;
  }

  /** Where the keys of a part begin, by their path below it. */
  offsetsBelow(path: Path): ReadonlyMap<string, number> {
    const prefix = path.length === 0 ? "" : `${keyPath(...path)}\u0000`;
    return new Map(
      [...this.#placed.offsets].flatMap(([key, offset]) =>
        key.startsWith(prefix) ? [[key.slice(prefix.length), offset] as const] : [],
      ),
    );
  }

  /** `file:line:column` of a part, or of the innermost part around it that is written. */
  placeOf(path: Path, inside?: Fault["inside"]): string {
    const { offsets, ranges, placeAt } = this.#placed;
    const range = ranges.get(keyPath(...path));
    if (inside !== undefined && range !== undefined) {
      const found = this.#text.slice(...range).indexOf(inside.text);
      return placeAt(range[0] + Math.max(found, 0) + (found < 0 ? 0 : inside.at));
    }
    for (let length = path.length; length > 0; length -= 1) {
      const found = offsets.get(keyPath(...path.slice(0, length)));
      if (found !== undefined) return placeAt(found);
    }
    return placeAt(0);
  }

  /** `file:line:column` of an offset in the text. */
  placeAtOffset(offset: number): string {
    return this.#placed.placeAt(offset);
  }

  report({ path, inside, severity = "error", ...finding }: Fault): void {
    this.add({ ...finding, severity, where: this.placeOf(path, inside) });
  }

  /** Adds findings that have their places, each once. */
  add(...problems: readonly Problem[]): void {
    for (const problem of problems.map(inFileWords)) {
      const { code, message, where } = problem;
      const isKnown = this.problems.some(
        (each) => each.where === where && each.code === code && each.message === message,
      );
      if (!isKnown) this.problems.push(problem);
    }
  }
}

/** Reads a file that another one names. What is wrong is reported there. */
export function readNamedFile(from: FileReader, path: Path, file: string): string | undefined {
  from.named.add(file);
  try {
    return readFileSync(file, "utf8");
  } catch (error: unknown) {
    from.report({
      code: "FILE_MISSING",
      path,
      message: existsSync(file) ? `${file} cannot be read: ${messageOf(error)}` : `there is no file ${file}`,
      remedy: "Check the path; it is relative to the file that names it.",
    });
    return undefined;
  }
}

/** Whether a text is meant to be an operator. */
export function isOperatorText(text: string, file: string): boolean {
  const { value } = new FileReader(text, file);
  if (value === undefined) return /^operator\s*:/m.test(text) && /^kinds\s*:/m.test(text);
  return isJsonObject(value) && !("apiVersion" in value) && ("operator" in value || "kinds" in value);
}
