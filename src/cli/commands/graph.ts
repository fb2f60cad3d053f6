// `graph`: draws a machine, the lifecycle of a kind or operator, or where one object of a cluster is in it.
import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Theme } from "../../diagram/palette.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { withClusterOptions } from "../cluster-object.ts";
import { examplesText } from "../examples-text.ts";
import {
  formatOf,
  graphEndings,
  graphFormats,
  renderGraph,
  type GraphFormat,
} from "../graph/graph-formats.ts";
import { readGraphSource, type GraphSourceOptions } from "../graph/graph-source.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

interface GraphOptions extends GraphSourceOptions {
  readonly output?: GraphFormat;
  readonly out?: string;
  readonly theme?: Theme;
  readonly scale: number;
}

/** The command `graph`. */
export function graphCommand(terminal: Terminal): Command {
  const command = new Command("graph")
    .description(
      "Draw the statechart of a machine, of a kind, of an operator's application, or of a live object.",
    )
    .argument(
      "<source>",
      "a module, a file with a machine or a CRD, - for standard input, or KIND/NAME or crd/KIND on a cluster",
    )
    .addOption(
      new Option(
        "-o, --output <format>",
        "output format; default by the extension of --out, otherwise mermaid",
      )
        .choices(graphFormats)
        .argParser(graphFormat),
    )
    .option("--out <file>", "write to this file instead of standard output")
    .option("--machine <name>", "which machine, by export name, kind or machine id, if there are several")
    .option(
      "--complete",
      "also draw the edges that every lifecycle has, dashed; of a module or a machine in a file",
    )
    .addOption(
      new Option(
        "--theme <theme>",
        "colours of svg and png; default auto, which follows the browser",
      ).choices(["auto", "light", "dark"]),
    )
    .option("--scale <factor>", "scale factor of png", scaleOption, 2);
  return withClusterOptions(command)
    .addHelpText(
      "after",
      examplesText(
        "graph machines/reconciliation-machine.ts",
        "graph operator.ts --out docs/lifecycle.svg",
        "graph crd.yaml --output png --out lifecycle.png",
        "graph database/orders -n shop --output svg --out now.svg",
        "graph operator.ts --output dot | dot -Tsvg -o lifecycle.svg",
      ),
    )
    .action(async (source: string, { output: asked, out, theme, scale, ...options }: GraphOptions) => {
      const format = asked ?? (out === undefined ? "mermaid" : formatFor(out));
      if (format === "png" && out === undefined && terminal.screen() !== undefined) {
        throw new UsageError("a PNG cannot be shown on a terminal", "Name a file with --out.");
      }
      const named = await readGraphSource(terminal, source, options);
      const drawn = await renderGraph(named, format, { scale, ...(theme === undefined ? {} : { theme }) });
      if (out === undefined || out === "-") terminal.out(drawn);
      else await write(terminal.path(out), drawn);
    });
}

function formatFor(file: string): GraphFormat {
  const ending = extname(file);
  const format = ending === "" ? "mermaid" : formatOf(file);
  if (format !== undefined) return format;
  throw new UsageError(
    `the file extension ${ending} is not supported`,
    `Name a file that ends in ${graphEndings.join(", ")}, or add --output.`,
  );
}

async function write(path: string, data: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, data);
  } catch (error: unknown) {
    throw new OperatorError("FILE_NOT_WRITTEN", `${path} cannot be written`, {
      cause: error,
      remedy: "Name a file in an existing, writable folder.",
    });
  }
}

function graphFormat(text: string): GraphFormat {
  const format = graphFormats.find((each) => each === text);
  if (format !== undefined) return format;
  const file = formatOf(text) === undefined ? "" : " A file is named by --out.";
  throw new InvalidArgumentError(`Allowed choices are ${graphFormats.join(", ")}.${file}`);
}

function scaleOption(text: string): number {
  const scale = Number(text);
  if (scale >= 0.1 && scale <= 10) return scale;
  throw new InvalidArgumentError("Write a number from 0.1 to 10.");
}
