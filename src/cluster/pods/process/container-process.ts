// One instance of a container as a local child process in a process group of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { type Clock, sleep } from "../../../ports/clock.ts";
import type { ContainerExit } from "../container-backend.ts";
import { ContainerStartError } from "../container-backend.ts";
import { beginningOf } from "./confined-folder.ts";
import { containerMarker, exitCodeOf, killGroup, killMarked, signalGroup } from "./process-group.ts";
import type { Reaper } from "./reaper.ts";

/** What is run, where and as whom. */
export interface ProcessSpec {
  /** Absolute path of the executable. */
  readonly path: string;
  readonly args: readonly string[];
  /** What the process sees as its own name. */
  readonly argv0: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** What {@link startProcess} needs. */
export interface ProcessOptions {
  readonly spec: ProcessSpec;
  readonly clock: Clock;
  readonly reaper: Reaper;
  /** Takes output; while what it returns is pending, no more of that stream is read. */
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => Promise<void> | void;
  /** A file whose text, if any, is shown as the reason of the end. */
  readonly messageFile?: string;
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Ends every process with this mark once this one has ended: the container ends with its first process. */
  readonly mark?: string;
}

/** A process that runs. */
export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the process has ended, its group is gone and its output is read. */
  readonly exited: Promise<ContainerExit>;
  terminate(): void;
  kill(): void;
}

/** Bytes of a termination log that are shown. https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/ */
const longestMessage = 4_096;
/** Milliseconds for which output is still read after the process has ended. */
const outputGrace = 1_000;

/** Starts a process. Errors: `ContainerStartError` (StartError) when the system refuses. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const { spec, reaper } = options;
  const child = spawn(spec.path, spec.args, {
    argv0: spec.argv0,
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    ...(spec.uid === undefined ? {} : { uid: spec.uid }),
    ...(spec.gid === undefined ? {} : { gid: spec.gid }),
  });
  // At once, so that a cluster killed right now still takes the process with it.
  if (child.pid !== undefined) reaper.add(child.pid);
  const exited = whenExited(child, options);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => {
      reject(
        new ContainerStartError("StartError", `exec: "${spec.path}" in ${spec.cwd}: ${error.message}`, {
          cause: error,
          remedy: "Check that the executable and the working folder can be reached by the container's user.",
        }),
      );
    });
  });
  if (options.stdin !== undefined) void feed(child, options.stdin);
  const pid = child.pid ?? 0;
  return { pid, exited, terminate: () => signalGroup(pid, "SIGTERM"), kill: () => killGroup(pid) };
}

function whenExited(child: ChildProcess, options: ProcessOptions): Promise<ContainerExit> {
  const { clock, reaper, onOutput } = options;
  let busy = 0;
  const isBusy = (): boolean => busy > 0;
  for (const stream of ["stdout", "stderr"] as const) {
    const output = child[stream];
    output?.on("data", (chunk: Uint8Array) => {
      const taken = onOutput(stream, chunk);
      if (taken === undefined) return;
      busy += 1;
      output.pause();
      void taken.finally(() => {
        busy -= 1;
        output.resume();
      });
    });
  }
  const closed = new AbortController();
  child.once("close", () => closed.abort());
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      void (async () => {
        const pid = child.pid ?? 0;
        // Whatever it has started ends with it.
        signalGroup(pid, "SIGKILL");
        if (options.mark !== undefined) killMarked(containerMarker, options.mark);
        reaper.remove(pid);
        do await sleep(clock, outputGrace, closed.signal);
        while (isBusy() && !closed.signal.aborted);
        child.stdout?.destroy();
        child.stderr?.destroy();
        const { messageFile } = options;
        const message = messageFile === undefined ? "" : await beginningOf(messageFile, longestMessage);
        resolve({ ...exitCodeOf(code, signal), ...(message === "" ? {} : { message }) });
      })();
    });
  });
}

async function feed(child: ChildProcess, input: AsyncIterable<Uint8Array>): Promise<void> {
  // A process that ends before it has read its input is not an error.
  child.stdin?.on("error", () => undefined);
  for await (const chunk of input) {
    if (child.stdin?.destroyed !== false) return;
    if (!child.stdin.write(chunk)) await roomIn(child);
  }
  child.stdin?.end();
}

/** Resolves when the process has read what it was given, or reads no more. */
function roomIn({ stdin }: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stdin?.off("drain", done);
      stdin?.off("close", done);
      resolve();
    };
    stdin?.once("drain", done);
    stdin?.once("close", done);
  });
}
