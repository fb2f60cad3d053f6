// What an operator that was built into one file begins with: the flags of `run`, and the operator that is in the same file.
import { Command, CommanderError } from "commander";
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { packedParts } from "../ports/packed-parts.ts";
import { ExitCode } from "./exit-code.ts";
import { describeUnits } from "./option-units.ts";
import { formatError } from "./report-error.ts";
import { runWithFlags, withRunFlags, type RunFlags } from "./run-flags.ts";
import { processTerminal, type ProcessTerminal, type Terminal } from "./terminal.ts";
import { guardProcess } from "./uncaught.ts";
import { UsageError } from "./usage-error.ts";

/** Runs the operator as the process's arguments say. */
export function runBuiltOperator(operator: OperatorDefinition): void {
  const args = process.argv.slice(2);
  const terminal = processTerminal();
  const debug = args.includes("--debug");
  void guardProcess(
    { process, terminal, debug, after: (milliseconds, task) => void setTimeout(task, milliseconds).unref() },
    runArguments(args, operator, { terminal, debug }),
  );
}

async function runArguments(
  args: readonly string[],
  operator: OperatorDefinition,
  { terminal, debug }: { readonly terminal: ProcessTerminal; readonly debug: boolean },
): Promise<number> {
  const command = builtCommand(terminal, operator)
    .option("--debug", "print the stack of an error")
    .version(
      `${operator.name}, built with xstate-operator ${packedParts()?.version ?? ""}`.trim(),
      "-V, --version",
    )
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  try {
    await command.parseAsync(args, { from: "user" });
    return 0;
  } catch (error: unknown) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof ExitCode) return error.code;
    terminal.err(formatError(error, { color: terminal.color, debug }));
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The command that the operator is; its cluster is another one. */
function builtCommand(terminal: Terminal, operator: OperatorDefinition): Command {
  const command = withRunFlags(new Command(operator.name)).description(
    "Run the operator in this process until SIGINT or SIGTERM.",
  );
  describeUnits(command);
  return command.action((_options: unknown, typed: Command) =>
    runWithFlags(terminal, Promise.resolve(operator), typed.optsWithGlobals<RunFlags>()),
  );
}
