// The last resort of the command: what the user's code throws where nobody can catch it, and a process that it ends
// itself or leaves without anything to wait for. All of it becomes a sentence and an exit code that is not 0.
import { OperatorError } from "../ports/operator-error.ts";
import { formatError } from "./report-error.ts";
import { sourceLineOf } from "./source-line.ts";
import type { ProcessTerminal } from "./terminal.ts";

/** How long the command may take to end in order after an uncaught error. Milliseconds. */
const patience = 10_000;

/** How long what is still open may take to close once the command has ended; a hook that was aborted may never do so. */
const lastPatience = 1_000;

/** What of the process is watched. */
export interface WatchedProcess {
  on(event: "uncaughtException", listener: (error: unknown) => void): unknown;
  on(event: "exit", listener: (code: number) => void): unknown;
  exit(code: number): void;
  exitCode?: number | string | null | undefined;
}

/** Options of {@link guardProcess}. */
export interface GuardOptions {
  readonly process: WatchedProcess;
  readonly terminal: Pick<ProcessTerminal, "color" | "err" | "stop" | "stopping">;
  readonly debug: boolean;
  /** Runs `task` after so many milliseconds, without keeping the process alive for it. */
  readonly after: (milliseconds: number, task: () => void) => void;
}

/**
 * Waits for a command, and sets the exit code of the process.
 *
 * **Guarantees**: an uncaught error or rejection is reported once, asks the command to end in order, and makes the exit code
 * 1; ten seconds later the process ends in any case, as it does a second after its command has ended. A process that ends
 * before its command has ended, and was not asked to, says so and has an exit code other than 0.
 */
export async function guardProcess(options: GuardOptions, command: Promise<number>): Promise<void> {
  const { process, terminal, debug, after } = options;
  const watched: { state: "running" | "failed" | "ended" } = { state: "running" };
  const tell = (error: OperatorError): void =>
    terminal.err(formatError(error, { color: terminal.color, debug }));
  process.on("uncaughtException", (error) => {
    tell(uncaught(error));
    if (watched.state === "ended") return void (process.exitCode = 1);
    if (watched.state === "failed") return;
    watched.state = "failed";
    if (!terminal.stop("an uncaught error")) return process.exit(1);
    after(patience, () => process.exit(1));
  });
  process.on("exit", (code) => {
    if (watched.state !== "running" || terminal.stopping) return;
    tell(endedEarly(code));
    if (code === 0) process.exitCode = 1;
  });
  const code = await command;
  const exitCode = watched.state === "failed" ? 1 : code;
  process.exitCode = exitCode;
  watched.state = "ended";
  // When nothing is open, the process has ended long before.
  after(lastPatience, () => process.exit(exitCode));
}

function uncaught(error: unknown): OperatorError {
  const where = error instanceof Error ? sourceLineOf(error) : undefined;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new OperatorError("UNCAUGHT", `an uncaught error was thrown: ${message}`, {
    cause: error,
    remedy: `${
      where === undefined
        ? "Look for a call without await in your hooks, as no line of your code is known"
        : "Await or catch the failure at the line named above"
    }; the process cannot continue safely after it.`,
    ...(where === undefined ? {} : { fields: { where } }),
  });
}

function endedEarly(code: number): OperatorError {
  return code === 0
    ? new OperatorError("ENDED_EARLY", "the process ended before the command was done", {
        remedy: "Check the module for a call to process.exit, or an await that never settles.",
      })
    : new OperatorError("ENDED_EARLY", `the process ended with exit code ${code}`, {
        remedy: "Check the module for a call to process.exit, and throw an error instead.",
      });
}
