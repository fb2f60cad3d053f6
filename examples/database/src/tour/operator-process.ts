// The operator as a process of its own, as it runs on a cluster, so that the tour can kill it.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { commandLine, operatorModule } from "./command-line.ts";
import type { DashboardPlace } from "./dashboard-place.ts";

/** The operator's place: at most one process at a time. */
export interface OperatorProcess {
  /** The process that runs now; 0 when there is none. */
  readonly pid: number;
  /** Starts it; the previous one must have ended. */
  start(): void;
  /** Ends it like a crash: no chance to finish anything. */
  crash(): Promise<void>;
  /** Asks it to end, and insists after some seconds. Idempotent. */
  stop(): Promise<void>;
}

/** Options of {@link createOperatorProcess}. */
export interface OperatorProcessOptions {
  readonly kubeconfig: string;
  /** The operator's output is appended to it. */
  readonly logFile: string;
  readonly dashboard: DashboardPlace;
  /** Called when the operator ends without having been asked to. */
  readonly onUnexpectedEnd: (error: Error) => void;
}

/** Prepares to run `xstate-operator run` on the example's operator. */
export function createOperatorProcess(options: OperatorProcessOptions): OperatorProcess {
  const { kubeconfig, dashboard } = options;
  const command = [
    "run",
    operatorModule,
    `--kubeconfig=${kubeconfig}`,
    "--install-crds",
    `--dashboard=${dashboard.port}`,
    "--allow-events",
  ];
  let child: ChildProcess | undefined;
  let asked = false;

  return {
    get pid() {
      return child?.pid ?? 0;
    },
    start() {
      asked = false;
      const started = spawn(process.execPath, commandLine(command), {
        // The operator notices the tour's end by the channel, however sudden.
        stdio: ["ignore", "pipe", "pipe", "ipc"],
        // In a group of its own: Ctrl-C is the tour's to hear, which then ends the operator in order.
        detached: true,
        env: { ...process.env, XSTATE_OPERATOR_TOKEN: dashboard.token },
      });
      child = started;
      const tail = record(started, options.logFile, (error) => {
        options.onUnexpectedEnd(new Error(`the operator's log cannot be written: ${error.message}`));
      });
      started.once("error", (error) => {
        options.onUnexpectedEnd(new Error(`the operator cannot be started: ${error.message}`));
      });
      started.once("close", (code, signal) => {
        if (asked) return;
        options.onUnexpectedEnd(
          new Error(`the operator has ended with ${signal ?? code}:\n${tail.join("")}`),
        );
      });
    },
    async crash() {
      asked = true;
      if (child !== undefined) await end(child, "SIGKILL", 0);
    },
    async stop() {
      asked = true;
      if (child !== undefined) await end(child, "SIGTERM", 10_000);
    },
  };
}

/** Appends the output to a file; the last pieces of it are in the returned list. */
function record(child: ChildProcess, logFile: string, onError: (error: Error) => void): readonly string[] {
  const log = createWriteStream(logFile, { flags: "a" });
  log.once("error", onError);
  const tail: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      log.write(chunk);
      tail.push(chunk);
      if (tail.length > 20) tail.shift();
    });
  }
  child.once("close", () => log.end());
  return tail;
}

async function end(child: ChildProcess, signal: NodeJS.Signals, patience: number): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  const insist = setTimeout(() => child.kill("SIGKILL"), patience);
  await exited;
  clearTimeout(insist);
}
