// A command or a script of a test: where it runs, what it is given, how long it may take, and what it says.
import { runCommand, type CommandEnd } from "../../sidecar/run-command.ts";
import type { Clock } from "../../ports/clock.ts";
import { limitedSignal } from "../../ports/deadline.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { expandVariables, splitCommandLine, type Variables } from "../files/expand-variables.ts";
import type { TestCommand } from "../files/test-forms.ts";

/** What surrounds the commands of a step, or of the suite. */
export interface CommandPlace {
  readonly folder: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  /** Milliseconds that a command may take which says nothing of it; 0: no limit. */
  readonly timeout: number;
  /** The environment of the process, in which `bin` of the current folder comes first in `PATH`. */
  readonly variables: Variables;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** Milliseconds between SIGTERM and SIGKILL. */
const grace = 2_000;
/** Bytes that are kept of what a command prints. */
const mostOutput = 256 * 1_024;

/**
 * Runs it to its end; what it prints is logged.
 *
 * **Errors**: `TEST_COMMAND_FAILED`, `TEST_COMMAND_INVALID`; the reason of the signal.
 */
export async function runTestCommand(command: TestCommand, place: CommandPlace): Promise<void> {
  const words = wordsOf(command, place);
  const seconds = command.timeout ?? 0;
  const timeout = seconds < 0 ? 0 : seconds > 0 ? seconds * 1_000 : place.timeout;
  const { signal, clock, log } = place;
  const limited = limitedSignal({
    clock,
    signals: [signal],
    ...(timeout === 0 ? {} : { timeout, late: () => new Error("its time is over") }),
  });
  log(`running ${shownCommand(command)}`);
  const end = await runCommand({
    command: words,
    folder: place.folder,
    env: variablesOf(place),
    signal: limited.signal,
    grace,
    clock,
    maxOutput: mostOutput,
  });
  const isLate = limited.signal.aborted && !signal.aborted;
  limited.release();
  signal.throwIfAborted();
  if (command.skipLogOutput !== true) logOutput(end, log);
  if (isLate) throw failed(command, `took longer than ${timeout / 1_000} s`, end);
  if (end.exitCode !== 0 && command.ignoreFailure !== true) {
    throw failed(command, `ended with exit code ${end.exitCode}`, end);
  }
}

/** Runs it until the returned function is called; that resolves when it has ended. */
export function beginTestCommand(command: TestCommand, place: CommandPlace): () => Promise<void> {
  const stop = new AbortController();
  place.log(`running ${shownCommand(command)} in the background`);
  const ended = runCommand({
    command: wordsOf(command, place),
    folder: place.folder,
    env: variablesOf(place),
    signal: stop.signal,
    grace,
    clock: place.clock,
    maxOutput: mostOutput,
  });
  return async () => {
    stop.abort();
    const end = await ended;
    if (command.skipLogOutput !== true) logOutput(end, place.log);
  };
}

function wordsOf(command: TestCommand, place: CommandPlace): readonly string[] {
  const { command: line, script, namespaced = false } = command;
  if ((line === undefined) === (script === undefined)) {
    throw new OperatorError("TEST_COMMAND_INVALID", "a command needs either command or script", {
      remedy: "Write one of the two: command for a program and its arguments, script for a shell.",
    });
  }
  if (script !== undefined) return ["sh", "-c", script];
  const words = splitCommandLine(expandVariables(line ?? "", variablesOf(place)));
  const isGiven = words.some((word) => /^(?:-n|--namespace)(?:=|$)/.test(word));
  return namespaced && !isGiven ? [...words, "--namespace", place.namespace] : words;
}

/** What a command is given besides the environment of this process. */
function variablesOf({ variables, namespace, kubeconfig }: CommandPlace): Record<string, string> {
  const entries = Object.entries(variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { ...Object.fromEntries(entries), NAMESPACE: namespace, KUBECONFIG: kubeconfig };
}

/** A command in one line. */
function shownCommand({ command, script = "" }: TestCommand): string {
  const [first = "", ...more] = (command ?? script).trim().split("\n");
  return more.length === 0 ? first : `${first} …`;
}

function logOutput({ stdout, stderr }: CommandEnd, log: (line: string) => void): void {
  for (const text of [stdout, stderr]) {
    if (text !== "") for (const line of text.replace(/\n$/, "").split("\n")) log(`  ${line}`);
  }
}

function failed(command: TestCommand, what: string, { exitCode, stderr }: CommandEnd): OperatorError {
  const remedy =
    exitCode === 127
      ? `Install the program, or put its folder into PATH: ${stderr.trim()}`
      : "Read what it says in the log of the test, or run it by hand.";
  return new OperatorError("TEST_COMMAND_FAILED", `the command ${what}: ${shownCommand(command)}`, {
    remedy,
  });
}
