// `generate`: files that follow from an operator's declarations.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { examplesText } from "../examples-text.ts";
import { makeFolder } from "../../cluster/make-folder.ts";
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { declaredKinds } from "../declared-kinds.ts";
import { loadModule } from "../load-module.ts";
import { formatDocuments, outputOption, type OutputFormat } from "../output-format.ts";
import type { Terminal } from "../terminal.ts";

interface CrdOptions {
  readonly output: OutputFormat;
  readonly out?: string;
}

/** The command `generate` with its parts. */
export function generateCommand(terminal: Terminal): Command {
  const generate = new Command("generate")
    .description("Generate manifests from an operator's declarations.")
    .addHelpText("after", examplesText("generate crd examples/database/operator.ts"));
  generate.addCommand(
    new Command("crd")
      .description("Print the CustomResourceDefinition of every kind of an operator.")
      .argument("<operator>", "module that default-exports an operator, or exports kinds")
      .addOption(outputOption("yaml"))
      .option("--out <folder>", "write one file per kind to this folder")
      .addHelpText(
        "after",
        examplesText(
          "generate crd operator.ts | kubectl apply --server-side -f -",
          "generate crd operator.ts --out config/crd",
        ),
      )
      .action((operator: string, options: CrdOptions) => generateCrds(terminal, operator, options)),
  );
  return generate;
}

async function generateCrds(
  terminal: Terminal,
  operator: string,
  { output, out }: CrdOptions,
): Promise<void> {
  const { crdOf } = await import("../../kinds/crd.ts");
  const crds = declaredKinds(await loadModule(terminal.path(operator))).map(crdOf);
  if (out === undefined) return terminal.out(formatDocuments(crds, output));
  const folder = terminal.path(out);
  for (const crd of crds) {
    const file = join(folder, `${crd.metadata.name}.${output}`);
    try {
      await makeFolder(folder);
      await writeFile(file, formatDocuments([crd], output));
    } catch (error: unknown) {
      throw new OperatorError("FILE_NOT_WRITTEN", `${file} cannot be written: ${messageOf(error)}`, {
        cause: error,
        remedy: "Choose a writable folder.",
      });
    }
    terminal.out(`${file}\n`);
  }
}
