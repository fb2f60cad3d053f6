// A command in a container, over client-node's exec. What that lacks is here: a deadline, an end for the command itself, a
// limit for what it prints, and errors that say what happened.
import { randomUUID } from "node:crypto";
import { PassThrough, Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { callbackify } from "node:util";
import type { WebSocket } from "ws";
import { formatKey, type ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { monotonicNow, type Clock } from "../ports/clock.ts";
import { limitedSignal, untilAborted } from "../ports/deadline.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { ApiError } from "./api-error.ts";
import type { Authentication, Connection } from "./connection.ts";
import { toConnectionError } from "./connection-error.ts";
import { killCommand, markedCommand } from "./exec-kill.ts";
import { connectThroughProxy, openExecSocket } from "./exec-socket.ts";
import type { ExecOptions, ExecResult } from "./kube-client.ts";
import { namespaceFor } from "./request-path.ts";

/** Runs a command in a container of the pod. */
export type Exec = (pod: ObjectKey, options: ExecOptions) => Promise<ExecResult>;

/** What {@link createExec} needs. */
export interface ExecContext {
  readonly connection: Connection;
  readonly userAgent: string;
  readonly clock: Clock;
}

const defaults = { timeout: 30_000, maxOutput: 1_048_576, kill: 5_000 } as const;
/** Milliseconds for ending a command, besides its own grace. */
const killTime = 10_000;
/** Milliseconds of silence after which the server is asked for a sign of life, and those that it has for one. */
const silence = 20_000;

const pods: ResourceType = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };

/** What the server says of the end, in its own form. */
interface ExecStatus {
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

/** The commands of one connection. */
export function createExec({ connection, userAgent, clock }: ExecContext): Exec {
  async function exec(pod: ObjectKey, options: ExecOptions): Promise<ExecResult> {
    const { timeout = defaults.timeout, kill = defaults.kill } = options;
    const request = `exec in pod ${formatKey(pod)}`;
    if (options.command.length === 0) throw noCommand(request);
    const mark = kill === false ? undefined : randomUUID();
    const late = (): OperatorError =>
      new OperatorError("EXEC_TIMEOUT", `${request}: the command has not ended within ${timeout} ms`, {
        fields: { pod: formatKey(pod), timeout },
        remedy: "Increase timeout, or let the command work in the background and ask for its state.",
      });
    const limits = limitedSignal({ clock, signals: [options.signal], timeout, late });
    let progress: "asked" | "begun" | undefined;
    try {
      return await run(pod, {
        ...options,
        request,
        command: mark === undefined ? options.command : markedCommand(options.command, mark),
        signal: limits.signal,
        onProgress: (reached) => (progress = reached),
      });
    } catch (error) {
      const { aborted, reason } = limits.signal;
      const mayRun =
        progress === "begun" ? !(error instanceof CommandFailed) : progress === "asked" && aborted;
      if (mayRun && mark !== undefined && kill !== false) {
        await end(pod, options.container, killCommand(mark, kill), kill + killTime);
      }
      throw aborted ? reason : error;
    } finally {
      limits.release();
    }
  }

  /** Ends what a command has left behind; it may well be gone already, with its container. */
  async function end(
    pod: ObjectKey,
    container: string | undefined,
    command: readonly string[],
    timeout: number,
  ): Promise<void> {
    const limits = limitedSignal({ clock, timeout, late: () => new Error("not ended in time") });
    try {
      const request = `exec in pod ${formatKey(pod)}`;
      await run(pod, {
        command,
        request,
        signal: limits.signal,
        onProgress: () => undefined,
        ...(container === undefined ? {} : { container }),
      });
    } catch {
      // The error of the command itself says more.
    } finally {
      limits.release();
    }
  }

  interface Run extends Omit<ExecOptions, "signal" | "kill" | "timeout"> {
    readonly request: string;
    readonly signal: AbortSignal;
    /** Called when the server has been asked to run the command, and when it does. */
    readonly onProgress: (progress: "asked" | "begun") => void;
  }

  async function run(pod: ObjectKey, options: Run): Promise<ExecResult> {
    const { signal } = options;
    signal.throwIfAborted();
    const authentication = await untilAborted(connection.authenticate(monotonicNow(clock)), signal);
    try {
      return await runAs(authentication, pod, options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const renewed = await untilAborted(
        connection.authenticate(monotonicNow(clock), authentication),
        signal,
      );
      if (renewed === authentication) throw error;
      return runAs(renewed, pod, options);
    }
  }

  async function runAs(authentication: Authentication, pod: ObjectKey, options: Run): Promise<ExecResult> {
    const { request, signal, beforeSend, maxOutput = defaults.maxOutput } = options;
    const tunnel = await connectThroughProxy(connection, authentication, signal);
    const { Exec, WebSocketHandler } = await loadExec();
    let socket: WebSocket | undefined;
    const opened = (url: string, protocols: readonly string[]): WebSocket => {
      beforeSend?.();
      socket = openExecSocket({ connection, authentication, userAgent, url, protocols, tunnel, request });
      options.onProgress("asked");
      socket.once("open", () => options.onProgress("begun"));
      return socket;
    };
    const config = { getCurrentCluster: () => connection, applyToHTTPSOptions: () => Promise.resolve() };
    // Streams that a server closes are those of the process by default.
    const unused = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const handler = new WebSocketHandler(config as never, opened, unused);
    const out = new Output(request, maxOutput, options.onStdout, () => socket);
    const err = new Output(request, maxOutput, options.onStderr, () => socket);
    let rest: (() => void) | undefined;
    const ended = Promise.withResolvers<ExecStatus>();
    for (const { stream } of [out, err]) stream.once("error", ended.reject);
    const begin = async (): Promise<void> => {
      const stdin = options.stdin === undefined ? null : inputOf(options.stdin);
      stdin?.once("error", ended.reject);
      const [namespace, container] = [namespaceFor(pods, pod) ?? "", options.container as never];
      const command = [...options.command];
      const [stdout, stderr] = [out.stream, err.stream];
      try {
        const { name } = pod;
        const runs = new Exec(config as never, handler);
        await runs.exec(namespace, name, container, command, stdout, stderr, stdin, false, ended.resolve);
        if (socket === undefined) return;
        rest = keepAlive(socket, () => ended.reject(toConnectionError(silent(), connection, request)));
        socket.once("error", (error) => ended.reject(toConnectionError(error, connection, request)));
        socket.once("close", (code: number) => ended.reject(lost(request, code)));
      } catch (error) {
        ended.reject(refusal(error, request));
      }
    };
    try {
      void begin();
      const status = await untilAborted(ended.promise, signal);
      await untilAborted(Promise.all([finished(out.stream), finished(err.stream)]), signal);
      return { exitCode: exitCodeOf(status, request), stdout: out.kept(), stderr: err.kept() };
    } finally {
      rest?.();
      socket?.terminate();
      tunnel?.destroy();
    }
  }

  function refusal(error: unknown, request: string): unknown {
    // An event of the WebSocket says what happened.
    if (!(typeof error === "object" && error !== null && "error" in error)) return error;
    const met = error.error;
    return met instanceof OperatorError ? met : toConnectionError(met, connection, request);
  }

  /** Asks for a sign of life where nothing is heard, and calls back where none comes. Returns what ends that. */
  function keepAlive(socket: WebSocket, onSilence: () => void): () => void {
    let isAsked = false;
    let timer = clock.setTimeout(look, silence);
    function look(): void {
      if (isAsked) return onSilence();
      isAsked = !socket.isPaused;
      if (isAsked) socket.ping();
      timer = clock.setTimeout(look, silence);
    }
    for (const event of ["message", "pong"]) socket.on(event, () => (isAsked = false));
    return () => clock.clearTimeout(timer);
  }

  return exec;
}

/** What a command has printed. */
class Output {
  readonly stream: Writable;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    request: string,
    limit: number,
    take: ExecOptions["onStdout"],
    socket: () => WebSocket | undefined,
  ) {
    const keep = (chunk: Buffer): void => {
      this.#bytes += chunk.length;
      if (this.#bytes > limit) throw tooMuch(request, limit);
      this.#chunks.push(chunk);
    };
    const given = take ?? keep;
    const write = async (chunk: Buffer): Promise<void> => {
      const busy = given(chunk);
      if (busy === undefined) return;
      socket()?.pause();
      try {
        await busy;
      } finally {
        socket()?.resume();
      }
    };
    this.stream = new Writable({ write: callbackify((chunk: Buffer, _encoding: string) => write(chunk)) });
  }

  kept(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** The command could not be run at all. */
class CommandFailed extends OperatorError {}

/** The exit code. Errors: `EXEC_FAILED` where the command has not been run. */
function exitCodeOf({ status, reason, message, details }: ExecStatus, request: string): number {
  if (status === "Success") return 0;
  const code = details?.causes?.find((each) => each.reason === "ExitCode")?.message;
  if (reason === "NonZeroExitCode" && code !== undefined) return Number(code);
  throw new CommandFailed(
    "EXEC_FAILED",
    `${request}: the command was not run: ${message ?? "no reason given"}`,
    {
      fields: { reason },
      remedy:
        "Check that the program is in the container's image and that the container runs. In an image without `env`, write kill: false.",
    },
  );
}

function noCommand(request: string): OperatorError {
  return new OperatorError("EXEC_FAILED", `${request}: there is no command`, {
    remedy: 'Write the program and its arguments: command: ["pg_isready", "-q"].',
  });
}

function inputOf(stdin: Required<ExecOptions>["stdin"]): Readable {
  if (typeof stdin === "string" || stdin instanceof Uint8Array) return Readable.from([Buffer.from(stdin)]);
  return Readable.from(stdin);
}

function tooMuch(request: string, limit: number): OperatorError {
  return new OperatorError(
    "EXEC_OUTPUT_LIMIT",
    `${request}: the command has printed more than ${limit} bytes`,
    {
      fields: { limit },
      remedy: "Let it print less, increase maxOutput, or take its output by onStdout as it comes.",
    },
  );
}

function lost(request: string, code: number): OperatorError {
  return new OperatorError(
    "CONNECTION_FAILED",
    `${request}: the connection was closed (${code}) before the command has ended; what became of it is not known`,
    {
      fields: { request },
      remedy:
        "Check that the pod still exists: `kubectl describe pod`. What the command does must bear repeating.",
    },
  );
}

function silent(): Error {
  return new Error("nothing is heard from it any more");
}

/** Loaded when a command is run: few operators run any. */
async function loadExec() {
  const [{ Exec }, { WebSocketHandler }] = await Promise.all([
    import("@kubernetes/client-node/dist/exec.js"),
    import("@kubernetes/client-node/dist/web-socket-handler.js"),
  ]);
  return { Exec, WebSocketHandler };
}
