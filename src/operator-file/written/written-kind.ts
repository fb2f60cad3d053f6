// A kind as it is written, and the refusals of what it is defined by as findings with their places.
import { isOperatorError } from "../../ports/operator-error.ts";
import type { Problem } from "../../ports/problem.ts";
import type { KindForm } from "../form/file-form.ts";
import type { FileReader, Path } from "../file/file-reader.ts";

/** A kind of which the form is right, and where it is written. */
export interface WrittenKind {
  readonly reader: FileReader;
  readonly path: Path;
  readonly form: KindForm;
}

/** What a definition refuses becomes findings with their places. */
export function placed<T>(
  reader: FileReader,
  path: Path,
  define: () => T,
  placeInLifecycle: (problem: Problem) => Problem = (problem) => problem,
): T | undefined {
  try {
    return define();
  } catch (error: unknown) {
    if (!isOperatorError(error)) throw error;
    const {
      problems,
      option,
      path: part = option,
    } = error.fields as {
      readonly problems?: readonly Problem[];
      readonly option?: string;
      readonly path?: string;
    };
    const { code, message, remedy = "Correct it." } = error;
    const itself: Problem = {
      code,
      severity: "error",
      message,
      remedy,
      ...(part === undefined ? {} : { option: part }),
    };
    for (const problem of problems ?? [itself]) {
      const found = problem.option === undefined ? placeInLifecycle(problem) : problem;
      if (found.where === undefined)
        reader.report({ ...problem, path: [...path, ...pathOfOption(problem.option ?? "")] });
      else reader.add(found);
    }
    return undefined;
  }
}

/** `printerColumns[0].type`, or a field of a schema: `status.endpoint`. */
function pathOfOption(option: string): Path {
  const [first = "", ...rest] = option.split(/[.[\]]+/).filter((name) => name !== "");
  if (first === "") return [];
  const isField = rest.length > 0 && ["spec", "status"].includes(first);
  return isField ? [first, "properties", ...rest] : [first, ...rest];
}
