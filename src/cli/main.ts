// The process of the command line: real streams, real signals, the exit code. Everything else takes what it needs.
import { processTerminal } from "./terminal.ts";
import { runCommandLine } from "./command-line.ts";

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
