// Operators as processes of their own, run from the sources, so that they can be killed without warning.
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const flags = ["--disable-warning=ExperimentalWarning", "--conditions=xstate-operator-source"];

/** A process that was started. */
export interface OperatorProcess {
  readonly child: ChildProcess;
  /** What it has written so far, to both streams. */
  output(): string;
  /** Its exit code, once it is gone and all that it wrote was read; null when a signal has ended it. */
  readonly exit: Promise<number | null>;
  /** Ends it wherever it is, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Options of {@link startProcess}. */
export interface ProcessOptions {
  /** What it finds in its environment besides this process's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Characters of its output that are kept, the last ones; default all. */
  readonly keep?: number;
  /** It may send messages to this process. */
  readonly messages?: boolean;
}

/** Runs a module. */
export function startProcess(
  module: string,
  args: readonly string[] = [],
  { env = {}, keep = Number.MAX_SAFE_INTEGER, messages = false }: ProcessOptions = {},
): OperatorProcess {
  const child = spawn(process.execPath, [...flags, module, ...args], {
    env: { ...process.env, NODE_OPTIONS: "", ...env },
    stdio: ["ignore", "pipe", "pipe", ...(messages ? (["ipc"] as const) : [])],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (more: string) => (output = `${output}${more}`.slice(-keep)));
  }
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    child,
    output: () => output,
    exit,
    kill: async () => {
      child.kill("SIGKILL");
      await exit;
    },
  };
}

/** Runs the command line. */
export function startCommand(args: readonly string[], options?: ProcessOptions): OperatorProcess {
  return startProcess(join(root, "src/cli/main.ts"), args, options);
}
