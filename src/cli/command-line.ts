// The command line as a function: arguments in, exit code out. 0 done, 1 failed, 2 typed wrong.
import { Command, CommanderError } from "commander";
import { examplesText } from "./examples-text.ts";
import { ExitCode } from "./exit-code.ts";
import { describeUnits } from "./option-units.ts";
import { readPackage } from "./package-info.ts";
import { formatError } from "./report-error.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** The commands, in the order of the help. A start loads the one that it is asked for. */
const commands: Readonly<Record<string, () => Promise<(terminal: Terminal) => Command>>> = {
  init: async () => (await import("./commands/init.ts")).initCommand,
  create: async () => (await import("./commands/create.ts")).createCommand,
  run: async () => (await import("./commands/run.ts")).runCommand,
  generate: async () => (await import("./commands/generate.ts")).generateCommand,
  build: async () => (await import("./commands/build.ts")).buildCommand,
  install: async () => (await import("./commands/install.ts")).installCommand,
  uninstall: async () => (await import("./commands/uninstall.ts")).uninstallCommand,
  migrate: async () => (await import("./commands/migrate.ts")).migrateCommand,
  graph: async () => (await import("./commands/graph.ts")).graphCommand,
  check: async () => (await import("./commands/check.ts")).checkCommand,
  explain: async () => (await import("./commands/explain.ts")).explainCommand,
  test: async () => (await import("./commands/test.ts")).testCommand,
  watch: async () => (await import("./commands/watch.ts")).watchCommand,
  send: async () => (await import("./commands/send.ts")).sendCommand,
  replay: async () => (await import("./commands/replay.ts")).replayCommand,
  cluster: async () => (await import("./commands/cluster.ts")).clusterCommand,
  completion: async () => (await import("./commands/completion.ts")).completionCommand,
  tour: async () => (await import("./commands/tour.ts")).tourCommand,
  sidecar: async () => (await import("./commands/sidecar.ts")).sidecarCommand,
  version: async () => (await import("./commands/version.ts")).versionCommand,
};

/** Runs one command; resolves with the exit code and never rejects. */
export async function runCommandLine(typed: readonly string[], terminal: Terminal): Promise<number> {
  // `help run` is `run --help`.
  const args = typed[0] === "help" ? [...typed.slice(1), "--help"] : typed;
  try {
    const program = await createProgram(terminal, args);
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error: unknown) {
    // commander has printed its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof ExitCode) return error.code;
    const debug = args.includes("--debug");
    terminal.err(formatError(error, { color: terminal.color, debug }));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function createProgram(terminal: Terminal, args: readonly string[]): Promise<Command> {
  const program = new Command("xstate-operator")
    .description("Kubernetes operators whose pipeline and application lifecycle are XState machines.")
    .option("--debug", "print the stack of an error")
    .addHelpText(
      "after",
      examplesText("tour", "run operator.ts --embedded", "generate crd operator.ts | kubectl apply -f -"),
    );
  // A command may have an option of that name, which commander would take for this one.
  if (args.every((arg) => arg.startsWith("-"))) program.version(readPackage().version, "-V, --version");
  const makers = await Promise.all(needed(args).map((load) => load()));
  for (const make of makers) program.addCommand(make(terminal));
  for (const command of withSubcommands(program)) prepare(command, terminal);
  return program;
}

/** The command that was typed; all of them where what is said is made of all: the help, a command that there is not, a completion. */
function needed(args: readonly string[]): readonly (() => Promise<(terminal: Terminal) => Command>)[] {
  const name = args.find((arg) => !arg.startsWith("-")) ?? "";
  const command = name === "completion" || !Object.hasOwn(commands, name) ? undefined : commands[name];
  return command === undefined ? Object.values(commands) : [command];
}

/** What holds for every command. Nested commands do not inherit it once they are added. */
function prepare(command: Command, terminal: Terminal): void {
  describeUnits(command);
  // As wide as it reads well, or as the screen is.
  const width = (): number => Math.min(100, terminal.screen()?.columns ?? 100);
  command
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .showHelpAfterError(`Run \`${pathOf(command)} --help\` for usage.`)
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: width,
      getErrHelpWidth: width,
    })
    .helpCommand(false);
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
