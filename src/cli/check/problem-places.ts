// Where in the user's files a finding is: the module and what it imports by relative path are searched for the machine, or
// for the options, as they are written.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { keyPath, offsetOfProblem } from "../../machine-file/place-of-problem.ts";
import { readMachineText } from "../../machine-file/read-machine.ts";
import type { Problem } from "../../ports/problem.ts";
import { lineOf, writtenOptions, type Declarer, type WrittenOptions } from "./source-keys.ts";

/** Reads a file; undefined when it cannot be read. */
export type ReadSource = (file: string) => string | undefined;

/** What a finding is about; each is looked for where it is known. */
export interface ProblemSubject {
  /** The machine's id. */
  readonly machine?: string;
  readonly kind?: string;
  /** The operator's name. */
  readonly operator?: string;
  /** The function that was given it, where it belongs to nothing that has a name yet. */
  readonly by?: string;
}

/** `file:line:column` of a finding; undefined when what it is about is not found in the files. */
export type PlaceOf = (
  subject: ProblemSubject,
  problem: Pick<Problem, "state" | "event" | "code" | "option">,
) => string | undefined;

/** Files read at most: what a module imports may be large. */
const mostFiles = 300;

interface FoundOptions {
  readonly file: string;
  readonly source: string;
  readonly options: WrittenOptions;
}

/** The places of what a module declares or imports. */
export function problemPlaces(file: string, read: ReadSource = readSource): PlaceOf {
  const written = filesOf(file, read).flatMap(([name, source]) =>
    optionsIn(name, source).map((options): FoundOptions => ({ file: name, source, options })),
  );
  return (subject, problem) => {
    const isOfMachine = problem.option === undefined || keyCode.test(problem.code);
    const found =
      isOfMachine && subject.by === undefined
        ? inMachine(chosen(written, ["createMachine"], subject.machine), problem)
        : inOptions(written, subject, problem.option ?? "");
    return found === undefined ? undefined : `${found.file}:${lineOf(found.source, found.offset)}`;
  };
}

/** A finding about a name in a state, or in its edges, invokes and meta: an option of the machine. */
const keyCode = /^(STATE|EDGE|INVOKE|META)_KEY_UNKNOWN$/;

/** Of a file of data that is a machine: what createMachine is given. */
function optionsIn(file: string, source: string): readonly WrittenOptions[] {
  if (!dataFile.test(file)) return writtenOptions(source);
  const { config, offsets } = readMachineText(source, file);
  const { id } = (config ?? {}) as { readonly id?: unknown };
  return typeof id === "string" ? [{ by: "createMachine", id, offset: 0, keys: offsets }] : [];
}

const dataFile = /\.(json|ya?ml)$/i;

interface Place {
  readonly file: string;
  readonly source: string;
  readonly offset: number;
}

/** Those made by one of the functions under this name; else the only one whose name is not written out. */
function chosen(
  written: readonly FoundOptions[],
  by: readonly Declarer[],
  id: string | undefined,
): readonly FoundOptions[] {
  const all = written.filter(({ options }) => by.includes(options.by));
  const known = all.filter(({ options }) => options.id === id && id !== undefined);
  const unnamed = all.filter(({ options }) => options.id === undefined);
  return known.length > 0 ? known : unnamed.length === 1 ? unnamed : [];
}

function inMachine(machines: readonly FoundOptions[], problem: Parameters<PlaceOf>[1]): Place | undefined {
  const [machine] = machines;
  return machine === undefined
    ? undefined
    : { ...machine, offset: offsetOfProblem(machine.options.keys, problem) ?? machine.options.offset };
}

/** The option that is written out furthest; the call itself when none of its names is. */
function inOptions(
  written: readonly FoundOptions[],
  { kind, operator, by }: ProblemSubject,
  option: string,
): Place | undefined {
  if (by !== undefined) return inUnnamed(written, by, option);
  const controllers = written.filter(({ options }) => options.by === "defineController");
  const found =
    operator === undefined
      ? [
          ...chosen(written, ["defineKind"], kind),
          ...(controllers.length === 1 ? controllers : chosen(controllers, ["defineController"], kind)),
        ]
      : chosen(written, ["defineOperator"], operator);
  return deepest(found, option)[0];
}

/** The option of the only call that writes it out so far: they have no names. */
function inUnnamed(written: readonly FoundOptions[], by: string, option: string): Place | undefined {
  const [first, second] = deepest(
    written.filter(({ options }) => options.by === by),
    option,
  );
  return first?.depth === second?.depth ? undefined : first;
}

/** Where the option is in each, as far as its names are written out; the furthest first. */
function deepest(
  found: readonly FoundOptions[],
  option: string,
): readonly (Place & { readonly depth: number })[] {
  const names = option.replaceAll(/\[\d+\]/g, "").split(".");
  const places = found.map(({ options, ...place }) => {
    const depth = names.findLastIndex((_, at) => options.keys.has(keyPath(...names.slice(0, at + 1))));
    const offset = options.keys.get(keyPath(...names.slice(0, depth + 1))) ?? options.offset;
    return { ...place, depth, offset };
  });
  return places.toSorted((a, b) => b.depth - a.depth);
}

function filesOf(file: string, read: ReadSource): readonly (readonly [file: string, source: string])[] {
  const files = new Map<string, string>();
  const queue = [file];
  for (let next = queue.shift(); next !== undefined && files.size < mostFiles; next = queue.shift()) {
    const source = files.has(next) ? undefined : read(next);
    if (source === undefined) continue;
    files.set(next, source);
    if (dataFile.test(next)) continue;
    for (const [, specifier = ""] of source.matchAll(/(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)) {
      queue.push(resolve(dirname(next), specifier));
    }
    // What is read at run time: readMachine(new URL("./machine.yaml", import.meta.url)).
    for (const [, name = ""] of source.matchAll(/["']([^"'\n]+\.(?:json|ya?ml))["']/gi)) {
      queue.push(resolve(dirname(next), name));
    }
  }
  return [...files];
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A folder, or a file that is gone: nothing to look for.
    return undefined;
  }
}
