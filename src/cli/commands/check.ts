// `check`: finds what is wrong with the machines, kinds and controllers of a module before anything runs.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { checkModule, refusedDeclaration, type CheckedDeclaration } from "../check/check-module.ts";
import { countProblems, formatProblems, type PlacedProblem } from "../check/format-problems.ts";
import { problemPlaces } from "../check/problem-places.ts";
import { examplesText } from "../examples-text.ts";
import { ExitCode } from "../exit-code.ts";
import { loadModule } from "../load-module.ts";
import { moduleFile } from "../module-file.ts";
import { formatDocuments, textOrDataOption, type DataFormat } from "../output-format.ts";
import { checkDataFile } from "../check/check-data-file.ts";
import { checkOperatorFile } from "../check/check-operator-file.ts";
import { isOperatorFile } from "../operator-file.ts";
import type { Terminal } from "../terminal.ts";

interface CheckOptions {
  readonly strict?: boolean;
  readonly output?: DataFormat;
}

/** The command `check`; its exit code is 1 when there are errors. */
export function checkCommand(terminal: Terminal): Command {
  return new Command("check")
    .description("Check an operator, a kind or a machine: every option, state, edge, name and task.")
    .argument(
      "<module>",
      "module that exports a machine, a kind, a controller, or an operator; or a machine as JSON or YAML",
    )
    .option("--strict", "treat warnings as errors")
    .addOption(textOrDataOption())
    .addHelpText(
      "after",
      examplesText(
        "check operator.ts",
        "check machines/database-lifecycle.ts --strict",
        "check lifecycle.yaml",
        "check operator.ts -o json",
      ),
    )
    .action((module: string, options: CheckOptions) => check(terminal, terminal.path(module), options));
}

async function check(terminal: Terminal, path: string, options: CheckOptions): Promise<void> {
  const isData = /\.(json|ya?ml)$/i.test(path) && existsSync(path);
  const checked = isOperatorFile(path)
    ? await checkOperatorFile(path)
    : isData
      ? [checkDataFile(await readFile(path, "utf8"), path)]
      : await checkedDeclarations(path);
  const placeOf = isData ? (): undefined => undefined : problemPlaces(moduleFile(path));
  const problems = checked.flatMap(({ id, subject, problems: found, refusedAt }) =>
    found.map((problem): PlacedProblem => {
      const where = problem.where ?? placeOf(subject, problem) ?? refusedAt;
      return {
        machine: id,
        ...problem,
        ...(options.strict === true ? { severity: "error" } : {}),
        ...(where === undefined ? {} : { where }),
      };
    }),
  );
  const count = countProblems(problems);
  const machines = checked.map(({ id }) => id);
  const roles = checked.flatMap((each) => each.roles ?? []);
  terminal.out(
    options.output !== undefined
      ? formatDocuments([{ machines, ...count, problems, roles }], options.output)
      : formatProblems(problems, count, {
          machines,
          roles,
          color: terminal.outColor,
          folder: terminal.path("."),
          columns: terminal.screen()?.columns ?? Infinity,
        }),
  );
  if (count.errors > 0) throw new ExitCode(1);
}

/** A kind or a controller that refuses its options keeps the module from being loaded; its findings are reported all the same. */
async function checkedDeclarations(path: string): Promise<readonly CheckedDeclaration[]> {
  try {
    return await checkModule(await loadModule(path));
  } catch (error: unknown) {
    const refused = refusedDeclaration(error);
    if (refused === undefined) throw error;
    return [refused];
  }
}
