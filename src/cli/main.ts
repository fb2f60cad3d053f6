// The process of the command line: real streams, real signals, the exit code. Everything else takes what it needs.
import { runCommandLine } from "./command-line.ts";
import { processTerminal } from "./terminal.ts";
import { guardProcess } from "./uncaught.ts";

const args = process.argv.slice(2);
const terminal = processTerminal();
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
