// A program of others that runs beside a cluster, and what it says.
import { spawn, type ChildProcess } from "node:child_process";

/** A program that runs. */
export interface RunningProgram {
  /** The end of what it has said. */
  said(): string;
  stop(): Promise<void>;
}

/** Starts a program. */
export function startProgram(program: string, args: readonly string[]): RunningProgram {
  const child: ChildProcess = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (more: string) => (said = `${said}${more}`.slice(-4_000)));
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    said: () => said,
    async stop() {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(late);
    },
  };
}
