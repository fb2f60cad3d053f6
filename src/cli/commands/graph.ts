// `graph`: draws a machine, or the lifecycle of a kind or operator.
import { Command, Option } from "commander";
import { examplesText } from "../examples-text.ts";
import { toDot } from "../../diagram/dot.ts";
import { chooseMachine, declaredMachines } from "../graph/declared-machines.ts";
import { toMarkdown } from "../../diagram/markdown.ts";
import { toMermaid } from "../../diagram/mermaid.ts";
import { loadModule } from "../load-module.ts";
import type { Terminal } from "../terminal.ts";
import type { MachineGraph } from "../../statechart/graph.ts";

const renderers = {
  mermaid: toMermaid,
  dot: toDot,
  markdown: toMarkdown,
  json: (graph: MachineGraph): string => `${JSON.stringify(graph, null, 2)}\n`,
} as const;

interface GraphOptions {
  readonly format: keyof typeof renderers;
  readonly machine?: string;
}

/** The command `graph`. */
export function graphCommand(terminal: Terminal): Command {
  return new Command("graph")
    .description("Draw the statechart of a machine, of a kind, or of an operator's application.")
    .argument("<module>", "module that exports a machine, a kind, or an operator")
    .addOption(
      new Option("-f, --format <format>", "how to draw it")
        .choices(Object.keys(renderers))
        .default("mermaid"),
    )
    .option("--machine <name>", "which one, by export name, kind or machine id, when there are several")
    .addHelpText(
      "after",
      examplesText(
        "graph machines/reconciliation-machine.ts",
        "graph operator.ts --format markdown > docs/lifecycle.md",
        "graph operator.ts --format dot | dot -Tsvg -o lifecycle.svg",
      ),
    )
    .action(async (path: string, { format, machine }: GraphOptions) => {
      const module = await loadModule(terminal.path(path));
      terminal.out(renderers[format](chooseMachine(declaredMachines(module), module.file, machine).graph));
    });
}
