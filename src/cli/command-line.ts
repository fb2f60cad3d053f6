// The command line as a function: arguments in, exit code out. 0 done, 1 failed, 2 typed wrong.
import { Command, CommanderError } from "commander";
import { examplesText } from "./examples-text.ts";
import { buildCommand } from "./commands/build.ts";
import { checkCommand } from "./commands/check.ts";
import { clusterCommand } from "./commands/cluster.ts";
import { completionCommand } from "./commands/completion.ts";
import { createCommand } from "./commands/create.ts";
import { explainCommand } from "./commands/explain.ts";
import { generateCommand } from "./commands/generate.ts";
import { graphCommand } from "./commands/graph.ts";
import { initCommand } from "./commands/init.ts";
import { installCommand } from "./commands/install.ts";
import { replayCommand } from "./commands/replay.ts";
import { runCommand } from "./commands/run.ts";
import { sendCommand } from "./commands/send.ts";
import { tourCommand } from "./commands/tour.ts";
import { uninstallCommand } from "./commands/uninstall.ts";
import { versionCommand } from "./commands/version.ts";
import { watchCommand } from "./commands/watch.ts";
import { ExitCode } from "./exit-code.ts";
import { readPackage } from "./package-info.ts";
import { formatError } from "./report-error.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** Runs one command; resolves with the exit code and never rejects. */
export async function runCommandLine(typed: readonly string[], terminal: Terminal): Promise<number> {
  // `help run` is `run --help`.
  const args = typed[0] === "help" ? [...typed.slice(1), "--help"] : typed;
  const program = createProgram(terminal, args);
  try {
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error: unknown) {
    // commander has printed its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof ExitCode) return error.code;
    const debug = program.opts()["debug"] === true;
    terminal.err(formatError(error, { color: terminal.color, debug }));
    return error instanceof UsageError ? 2 : 1;
  }
}

function createProgram(terminal: Terminal, args: readonly string[]): Command {
  const program = new Command("xstate-operator")
    .description("Kubernetes operators whose pipeline and application lifecycle are XState machines.")
    .option("--debug", "print the stack of an error")
    .addHelpText(
      "after",
      examplesText("tour", "run operator.ts --embedded", "generate crd operator.ts | kubectl apply -f -"),
    );
  // A command may have an option of that name, which commander would take for this one.
  if (args.every((arg) => arg.startsWith("-"))) program.version(readPackage().version, "-V, --version");
  for (const command of [
    initCommand(terminal),
    createCommand(terminal),
    runCommand(terminal),
    generateCommand(terminal),
    buildCommand(terminal),
    installCommand(terminal),
    uninstallCommand(terminal),
    graphCommand(terminal),
    checkCommand(terminal),
    explainCommand(terminal),
    watchCommand(terminal),
    sendCommand(terminal),
    replayCommand(terminal),
    clusterCommand(terminal),
    completionCommand(terminal),
    tourCommand(terminal),
    versionCommand(terminal),
  ]) {
    program.addCommand(command);
  }
  for (const command of withSubcommands(program)) prepare(command, terminal);
  return program;
}

/** What holds for every command. Nested commands do not inherit it once they are added. */
function prepare(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .showHelpAfterError(`Run \`${pathOf(command)} --help\` for usage.`)
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    })
    .helpCommand(false);
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
