// `version`: which command line this is and what it runs on.
import { Command } from "commander";
import { examplesText } from "../examples-text.ts";
import { dataOption, formatDocuments, type DataFormat } from "../output-format.ts";
import { readPackage } from "../package-info.ts";
import type { Terminal } from "../terminal.ts";

/** The command `version`. */
export function versionCommand(terminal: Terminal): Command {
  return new Command("version")
    .description("Print the versions of xstate-operator and Node.")
    .addOption(dataOption("yaml"))
    .addHelpText("after", examplesText("version -o json"))
    .action(({ output }: { output: DataFormat }) => {
      const version = { version: readPackage().version, node: process.versions.node };
      terminal.out(formatDocuments([version], output));
    });
}
