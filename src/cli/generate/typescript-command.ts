// `generate typescript`: an operator that is a file of YAML as a project in TypeScript, for an author who outgrows the file.
import { cp, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { readPlacedText } from "../../machine-file/placed-text.ts";
import { readOperatorText } from "../../operator-file/parts/read-operator.ts";
import { refuseErrors } from "../../ports/problem.ts";
import { writeFiles } from "../../scaffold/write-files.ts";
import { nextLines, packageSpecFor, refuseFull } from "../new-project-folder.ts";
import { examplesText } from "../examples-text.ts";
import { moduleFile } from "../module-file.ts";
import { isOperatorFile } from "../operator-file.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { typeScriptProject, type SourceKind } from "./typescript-project.ts";

/** The command `generate typescript`. */
export function typescriptCommand(terminal: Terminal): Command {
  return new Command("typescript")
    .description(
      "Write an operator that is a file of YAML as a project in TypeScript, which behaves the same.",
    )
    .argument("<operator>", "a file of YAML that is an operator, or its folder")
    .requiredOption("--out <folder>", "folder of the project; it must be empty or not exist")
    .addHelpText("after", examplesText("generate typescript operator.yaml --out redis-operator"))
    .action((path: string, { out }: { readonly out: string }) => generate(terminal, path, out));
}

async function generate(terminal: Terminal, path: string, out: string): Promise<void> {
  const file = moduleFile(terminal.path(path));
  if (!isOperatorFile(file)) {
    throw new UsageError(`${path} is a module already`, "Name a file of YAML that declares an operator.");
  }
  const folder = terminal.path(out);
  refuseFull(folder);
  const { written, problems } = readOperatorText(await readFile(file, "utf8"), file);
  refuseErrors(problems, {
    code: "OPERATOR_FILE_INVALID",
    subject: `the operator in ${path}`,
    fields: {},
    remedy: "Correct each line.",
  });
  if (written === undefined) return;
  const kinds: SourceKind[] = [];
  for (const { form, reader } of written.kinds) {
    const { lifecycle, ...rest } = form;
    const machine =
      typeof lifecycle === "string" ? await machineIn(resolve(dirname(reader.file), lifecycle)) : lifecycle;
    kinds.push({ form: machine === undefined ? rest : { ...rest, lifecycle: machine }, file: reader.file });
  }
  const { files, copies } = typeScriptProject({
    form: written.form,
    kinds,
    packageSpec: packageSpecFor(folder),
  });
  await writeFiles([...files].map(([name, text]) => ({ path: join(folder, name), text })));
  for (const { from, to } of copies) await cp(from, join(folder, to), { recursive: true });
  for (const name of [...files.keys(), ...copies.map(({ to }) => to)])
    terminal.out(`written ${join(out, name)}\n`);
  terminal.err(nextLines(out, "npm install", "npm run check", "npm test"));
}

async function machineIn(file: string): Promise<object> {
  return readPlacedText(await readFile(file, "utf8"), file).value as object;
}
