// An operator that is a file: read as a whole, with everything that is wrong with it, each with its place.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineOperator, type OperatorDefinition } from "../../controller/declaration/define-operator.ts";
import { problemsByPath } from "../../options/option-problems.ts";
import { isOperatorError, messageOf, OperatorError } from "../../ports/operator-error.ts";
import { refuseErrors, type Problem } from "../../ports/problem.ts";
import type { OperatorForm } from "../form/file-form.ts";
import { operatorForm } from "../form/form-schemas.ts";
import { FileReader, type WrittenObject } from "../file/file-reader.ts";
import { KnownTypes } from "./known-types.ts";
import { readController } from "./read-controller.ts";
import { findKind, readKind } from "./read-kind.ts";
import type { WrittenKind } from "../written/written-kind.ts";

/** A file, as far as it can be read. */
export interface ReadOperator {
  /** Undefined when there are errors. */
  readonly operator?: OperatorDefinition;
  readonly problems: readonly Problem[];
  /** Paths of the files that it names, and that those name. */
  readonly files: readonly string[];
  /** The objects that it writes, with expressions; not those that a tool makes. */
  readonly objects: readonly WrittenObject[];
  /** Programs that it runs: they have to be on the path. */
  readonly programs: readonly string[];
  /** What is written: the file as a whole, and its kinds. Undefined when there are errors. */
  readonly written?: WrittenOperator;
}

/** The forms of a file and of its kinds. */
export interface WrittenOperator {
  readonly form: OperatorForm;
  readonly kinds: readonly WrittenKind[];
}

/**
 * The operator of a file.
 *
 * **Guarantees**: what it returns is what `defineOperator` returns of the same operator in TypeScript; nothing in the file is code.
 * **Caveats**: reads the file, and those that it names, synchronously. A path is relative to the current folder: give
 * `new URL("../operator.yaml", import.meta.url)`.
 * **Errors**: `OPERATOR_FILE_MISSING`; `OPERATOR_FILE_INVALID` with all findings in the field `problems`, each with file, line and column.
 *
 * @example
 * const operator = readOperator(new URL("../operator.yaml", import.meta.url));
 */
export function readOperator(file: string | URL): OperatorDefinition {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  const { operator, problems } = readOperatorText(textOf(path), path);
  refuseErrors(problems, {
    code: "OPERATOR_FILE_INVALID",
    subject: `the operator in ${path}`,
    fields: {},
    remedy: "Correct each line.",
  });
  return operator as OperatorDefinition;
}

/** Reads a text; of the file the name is used, and its folder for the files that it names. Never throws. */
export function readOperatorText(text: string, file: string): ReadOperator {
  const reader = new FileReader(text, file);
  const { problems } = reader;
  const { operator, written } = reader.value === undefined ? {} : readForm(reader);
  const isWrong = problems.some(({ severity }) => severity === "error");
  return {
    ...(operator === undefined || written === undefined || isWrong ? {} : { operator, written }),
    problems,
    files: [...reader.named],
    objects: reader.objects,
    programs: [...reader.programs],
  };
}

function readForm(reader: FileReader): Pick<ReadOperator, "operator" | "written"> {
  if (!reader.hasFields("operator: <name>, and kinds: [{ group, version, kind, spec, … }]")) return {};
  const found = problemsByPath(operatorForm, reader.value, "the operator");
  for (const { path, problem } of found) reader.report({ ...problem, path: path.map(String) });
  if (found.length > 0) return {};
  const form = reader.value as OperatorForm;
  const types = new KnownTypes(form);
  const kinds = form.kinds.flatMap((entry, index) => {
    const written = findKind(reader, ["kinds", String(index)], entry);
    const read = written === undefined ? undefined : readKind(written);
    if (written === undefined || read === undefined) return [];
    types.add(read.kind);
    return [{ written, read }];
  });
  // A child may be of a kind that is declared further down.
  const controllers = kinds.flatMap(
    ({ written, read }) => readController(written, read, types, form.operator) ?? [],
  );
  if (reader.problems.some(({ severity }) => severity === "error")) return {};
  const { operator: name, formerNames } = form;
  try {
    return {
      operator: defineOperator({ name, controllers, ...(formerNames === undefined ? {} : { formerNames }) }),
      written: { form, kinds: kinds.map(({ written }) => written) },
    };
  } catch (error: unknown) {
    if (!isOperatorError(error)) throw error;
    const { code, message, remedy = "Correct it." } = error;
    reader.report({
      code,
      path: [/two controllers|no controller/.test(message) ? "kinds" : "operator"],
      message,
      remedy,
    });
    return {};
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error: unknown) {
    throw new OperatorError("OPERATOR_FILE_MISSING", `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
      remedy: 'Check the path; beside a module it is new URL("../operator.yaml", import.meta.url).',
    });
  }
}
