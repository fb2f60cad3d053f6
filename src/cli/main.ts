// The process of the command line: real streams, real signals, the exit code. Everything else takes what it needs.
import { processTerminal } from "./terminal.ts";

const args = process.argv.slice(2);
const terminal = processTerminal();
// Before anything else is loaded: the first process of a container has no other end than the one that it chooses itself.
if (args[0] === "run") terminal.stopSignal();
const { guardProcess } = await import("./uncaught.ts");
const { runCommandLine } = await import("./command-line.ts");
// Not awaited: Node would warn of a module that hangs in its own words.
void guardProcess(
  {
    process,
    terminal,
    debug: args.includes("--debug"),
    after: (milliseconds, task) => void setTimeout(task, milliseconds).unref(),
  },
  runCommandLine(args, terminal),
);
