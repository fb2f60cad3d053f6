// `replay`: shows what `run --record` has kept, and tells where the present operator would act differently.
import { Command, Option } from "commander";
import { readRecording } from "../../recording/recording-reader.ts";
import { parsePort } from "../dashboard.ts";
import { examplesText } from "../examples-text.ts";
import { ExitCode } from "../exit-code.ts";
import { loadOperator } from "../load-operator.ts";
import { jsonView, showRecording, textView } from "../replay/show-recording.ts";
import { formatError } from "../report-error.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { visible } from "../visible-text.ts";

interface ReplayOptions {
  readonly output: "text" | "json";
  readonly dashboard?: number | true;
}

/** The command `replay`. */
export function replayCommand(terminal: Terminal): Command {
  return new Command("replay")
    .description(
      "Show a recording made by `run --record`, and where the current operator would act differently.",
    )
    .argument("<file>", "the recording")
    .argument(
      "[operator]",
      "module that default-exports an operator, or its folder: plans every recorded cycle again",
    )
    .addOption(new Option("-o, --output <format>", "output format").choices(["text", "json"]).default("text"))
    .option("--dashboard [port]", "show the recording on the dashboard, at any point in time", parsePort)
    .addHelpText(
      "after",
      `
A replay changes nothing: it contacts no cluster and starts no task.
Exit codes: 0 no difference, 1 a difference, 2 the recording (or a part of it) or the operator cannot be read.
${examplesText("replay incident.ndjson", "replay incident.ndjson operator.ts", "replay incident.ndjson --dashboard")}`,
    )
    .action(async (file: string, operator: string | undefined, options: ReplayOptions, command: Command) => {
      if (operator !== undefined && options.dashboard !== undefined) {
        throw new UsageError(
          "the dashboard shows the recording, not what an operator would do now",
          "Omit either the operator or --dashboard.",
        );
      }
      try {
        await replay(terminal, file, operator, options);
      } catch (error) {
        if (error instanceof ExitCode) throw error;
        const debug = command.optsWithGlobals()["debug"] === true;
        terminal.err(formatError(error, { color: terminal.color, debug }));
        throw new ExitCode(unreadable);
      }
    });
}

const different = 1;
const unreadable = 2;

async function replay(
  terminal: Terminal,
  file: string,
  module: string | undefined,
  { output, dashboard }: ReplayOptions,
): Promise<void> {
  const signal = terminal.stopSignal();
  const operator = module === undefined ? undefined : await loadOperator(terminal.path(module));
  const reader = await readRecording(terminal.path(file));
  try {
    if (dashboard !== undefined) {
      const { serveRecording } = await import("../replay/serve-recording.ts");
      const { createLogger } = await import("../../manager/pino-logger.ts");
      const port = dashboard === true ? 0 : dashboard;
      const log = createLogger({ level: "warn", destination: { write: terminal.err } });
      await serveRecording(terminal, { file, reader, port, log, signal });
      return;
    }
    const { presentKinds } = await import("../replay/present-kinds.ts");
    const present = operator === undefined ? undefined : presentKinds(operator);
    const write = (text: string): void => terminal.out(visible(text));
    const view = (output === "json" ? jsonView : textView)(file, reader, write);
    const replayed = await showRecording(reader, view, present, signal);
    if (replayed.some(({ verdict }) => (verdict?.different ?? 0) > 0)) throw new ExitCode(different);
    if (reader.damage.unreadable > 0) throw new ExitCode(unreadable);
  } finally {
    await reader.close();
  }
}
