// Runs one command line in the test's own process, without a terminal.
import { resolve } from "node:path";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { Screen } from "../../src/cli/terminal.ts";

/** How a command ended. */
export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What was written that is not a text, if any. */
  readonly bytes?: readonly Uint8Array[];
}

/** What surrounds a command. */
export interface CommandSurroundings {
  /** Standard input. */
  readonly input?: string;
  /** What a person answers to each question; undefined: they leave. Without it there is nobody to ask. */
  readonly answers?: readonly (string | undefined)[];
  /** Where it is run; default this process's folder. */
  readonly folder?: string;
  /** The user's signal to stop. */
  readonly signal?: AbortSignal;
  /** A screen that a person watches. */
  readonly screen?: Screen;
  /** Told of every piece that is written. */
  readonly onOut?: (text: string) => void;
  /** The same for what is no output. */
  readonly onErr?: (text: string) => void;
}

/** Runs it; `env` is all that it sees of the environment. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  {
    input = "",
    signal = new AbortController().signal,
    screen,
    answers,
    folder = process.cwd(),
    onOut,
    onErr,
  }: CommandSurroundings = {},
): Promise<CommandOutcome> {
  let [out, err] = ["", ""];
  const given = answers?.values();
  const bytes: Uint8Array[] = [];
  const code = await runCommandLine(args, {
    out: (more) => {
      if (typeof more === "string") out += more;
      else bytes.push(more);
      if (typeof more === "string") onOut?.(more);
    },
    err: (more) => {
      err += more;
      onErr?.(more);
    },
    interactive: false,
    color: false,
    outColor: false,
    screen: () => screen,
    ...(given === undefined
      ? {}
      : {
          ask: (question: string) => {
            err += `${question}\n`;
            return Promise.resolve(given.next().value);
          },
        }),
    readIn: () => Promise.resolve(input),
    env,
    path: (typed) => resolve(folder, typed),
    stopSignal: () => signal,
  });
  return { code, out, err, ...(bytes.length === 0 ? {} : { bytes }) };
}
