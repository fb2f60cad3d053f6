// What is wrong with options, as a compiler would say it, for authors who have none: all of it at once, each with its
// place, what is there, what must be there instead, and what was most likely meant.
import type { z } from "zod";
import { meantBy } from "../ports/misspelling.ts";
import { refuseErrors, type Problem } from "../ports/problem.ts";
import { shown } from "../ports/shown.ts";
import { hintOf } from "./option-schemas.ts";

type Path = readonly PropertyKey[];

/** Where a schema and a value are within the options. */
interface Place {
  /** The function that takes the options. */
  readonly owner: string;
  readonly path: Path;
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
}

/** What is wrong with the options of a function; an option that is undefined counts as left out. */
export function optionProblems(schema: z.ZodType, options: unknown, owner: string): readonly Problem[] {
  return problemsByPath(schema, options, owner).map(({ problem }) => problem);
}

/** The same, each with its path in the options: for what was read from a file. */
export function problemsByPath(schema: z.ZodType, options: unknown, owner: string): readonly FoundProblem[] {
  // Once or twice in a process: to make a function of a schema, as zod does, costs more than that saves.
  const { error } = schema.safeParse(options, { jitless: true });
  if (error === undefined) return [];
  const found = problemsOf(error.issues, { owner, path: [], schema, value: options });
  // Of a value that breaks several rules of its schema, the first one counts.
  return found.filter(
    ({ problem: { code, option } }, index) =>
      code === "OPTION_UNKNOWN" || found.findIndex(({ problem }) => problem.option === option) === index,
  );
}

/** Something wrong, and where: the names and positions that lead to it. */
export interface FoundProblem {
  readonly path: Path;
  readonly problem: Problem;
}

/**
 * Refuses what a public function was given when its form is wrong: an error with the function's code that lists everything.
 *
 * **Errors**: one of this code.
 */
export function refuseWrongOptions(schema: z.ZodType, options: unknown, owner: string, code: string): void {
  refuseErrors(optionProblems(schema, options, owner), {
    code,
    subject: `what ${owner} was given`,
    fields: { by: owner },
    remedy: "Correct each line.",
  });
}

function problemsOf(issues: readonly z.core.$ZodIssue[], from: Place): FoundProblem[] {
  return issues.flatMap((issue) => {
    const place = placeAt(from, issue.path);
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((name) => ({ path: [...place.path, name], problem: unknownOption(name, place) }));
    }
    const chosen = issue.code === "invalid_union" ? chosenBranch(issue.errors, place) : [];
    return chosen.length > 0 ? chosen : [{ path: place.path, problem: wrongValue(place) }];
  });
}

/** What is wrong inside the one alternative whose outer form a value has. */
function chosenBranch(branches: readonly (readonly z.core.$ZodIssue[])[], place: Place): FoundProblem[] {
  const { def } = (place.schema as z.core.$ZodTypes)._zod;
  const options = def.type === "union" ? def.options : [];
  const isInside = ({ path, code }: z.core.$ZodIssue): boolean =>
    path.length > 0 || code === "unrecognized_keys";
  const index = branches.findIndex((issues) => issues.every(isInside));
  const [issues, schema] = [branches[index], options[index]];
  return issues === undefined || schema === undefined ? [] : problemsOf(issues, { ...place, schema });
}

function placeAt(from: Place, path: Path): Place {
  return {
    owner: from.owner,
    path: [...from.path, ...path],
    schema: schemaAt(from.schema, path) ?? from.schema,
    value: path.reduce<unknown>(
      (value, name) => (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[name],
      from.value,
    ),
  };
}

/** The schema of what is at a path, without what makes it optional. */
function schemaAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "optional") return schemaAt(def.innerType, path);
  const [name, ...rest] = path;
  if (name === undefined) return schema;
  if (def.type === "array") return schemaAt(def.element, rest);
  if (def.type === "record") return schemaAt(def.valueType, rest);
  if (def.type === "union") {
    return def.options.map((option) => schemaAt(option, path)).find((found) => found !== undefined);
  }
  const inner = def.type === "object" ? def.shape[String(name)] : undefined;
  return inner === undefined ? undefined : schemaAt(inner, rest);
}

function unknownOption(name: string, { owner, path, schema }: Place): Problem {
  const known = namesIn(schema);
  const meant = meantBy(name, known);
  return {
    code: "OPTION_UNKNOWN",
    severity: "error",
    option: optionAt([...path, name]),
    message: `${path.length === 0 ? owner : optionAt(path)} has no option "${name}", so it would be ignored`,
    remedy: `${meant === undefined ? "Leave it out." : `Did you mean "${meant}"?`} Known are: ${known.join(", ")}.`,
  };
}

function namesIn(schema: z.core.$ZodType): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "union") return def.options.flatMap(namesIn);
  return def.type === "object" ? Object.keys(def.shape) : [];
}

function wrongValue({ owner, path, schema, value }: Place): Problem {
  const { expected = "something else", remedy, missing, code = "OPTION_INVALID" } = hintOf(schema);
  const must = `${shown(value)}, but must be ${expected}`;
  if (path.length === 0) {
    const message = `the options of ${owner} are ${must}`;
    return { code, severity: "error", message, remedy: remedy ?? `Write ${owner}({ … }).` };
  }
  const option = optionAt(path);
  if (value === undefined) {
    const message = `${option} is missing`;
    const write = missing ?? "Give it a value, or leave it out.";
    return { code: "OPTION_MISSING", severity: "error", option, message, remedy: write };
  }
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const words = def.type === "enum" ? Object.values(def.entries).map(String) : [];
  const meant = typeof value === "string" ? meantBy(value, words) : undefined;
  return {
    code,
    severity: "error",
    option,
    message: `${option} is ${must}`,
    remedy:
      meant !== undefined
        ? `Write "${meant}".`
        : def.type === "array" && typeof value === "string"
          ? `Write a list: [${value.trim().split(/\s+/).join(", ")}].`
          : (remedy ?? `Write ${expected}.`),
  };
}

/** A path as an author would write it: `watches[0].mapTo`. */
function optionAt(path: Path): string {
  return path
    .map((name, index) =>
      typeof name === "number" ? `[${name}]` : `${index === 0 ? "" : "."}${String(name)}`,
    )
    .join("");
}
