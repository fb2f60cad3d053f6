// What simulated pods answer to who talks to them: to commands that are run in their containers, and to connections to their ports.
// Declared by tests and by scripts, asked by the simulated backend.
import type { Duplex } from "node:stream";
import type { Pod } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import type { PodExecRequest, PodExecResult } from "../pod-runtime.ts";
import { openPort } from "../open-port.ts";
import { isMatch, type SimulatedMatch } from "./simulated-behaviour.ts";

/** A command that is run in a simulated container. */
export interface SimulatedCommand {
  /** The pod as it is now. */
  readonly pod: Pod;
  /** Name of the container. */
  readonly container: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Reads what is written to the command's standard input to its end; empty when it has none. */
  readonly stdin: () => Promise<Uint8Array>;
}

/** What a command comes to. */
export interface SimulatedOutput {
  /** Default nothing. */
  readonly stdout?: string | Uint8Array;
  /** Default nothing. */
  readonly stderr?: string | Uint8Array;
  /** Default 0. */
  readonly exitCode?: number;
}

/** What pods answer; whatever is left out is asked of older answers. */
export interface SimulatedAnswers {
  /** Runs a command; undefined: somebody else shall answer. */
  readonly exec?: (
    command: SimulatedCommand,
  ) => SimulatedOutput | undefined | Promise<SimulatedOutput | undefined>;
  /** Opens a port: a number is a port of this machine (127.0.0.1); undefined: somebody else shall answer. */
  readonly connect?: (port: number, pod: Pod) => number | Duplex | undefined;
}

/** One entry of the answers. */
export interface AnswerRule {
  readonly match: SimulatedMatch;
  readonly answers: SimulatedAnswers;
}

/** Runs a command by the newest answer. Errors: `EXEC_UNSUPPORTED` when there is none. */
export async function answerCommand(
  rules: readonly AnswerRule[],
  pod: Pod,
  container: Container,
  request: PodExecRequest,
): Promise<PodExecResult> {
  let input: Promise<Uint8Array> | undefined;
  const command: SimulatedCommand = {
    pod,
    container: container.name,
    command: request.command,
    stdin: () => (input ??= readAll(request.stdin)),
  };
  for (const { match, answers } of rules.toReversed()) {
    const output = isMatch(match, pod, container) ? await answers.exec?.(command) : undefined;
    if (output === undefined) continue;
    if (output.stdout !== undefined) await request.onStdout?.(Buffer.from(output.stdout));
    if (output.stderr !== undefined) await request.onStderr?.(Buffer.from(output.stderr));
    return { exitCode: output.exitCode ?? 0 };
  }
  const { namespace, name } = pod.metadata;
  throw new OperatorError(
    "EXEC_UNSUPPORTED",
    `pod ${namespace}/${name} is simulated, and nothing answers ${JSON.stringify(request.command[0] ?? "")} in container ${container.name}`,
    {
      remedy:
        'Give it an answer (`answer` of createSimulatedPods, `exec` in a script of pods), or use pods: "process".',
    },
  );
}

/** Opens a port by the newest answer. Errors: `POD_PORT_CLOSED` when there is none. */
export async function answerPort(rules: readonly AnswerRule[], pod: Pod, port: number): Promise<Duplex> {
  for (const { match, answers } of rules.toReversed()) {
    const isMeant = pod.spec.containers.some((container) => isMatch(match, pod, container));
    const opened = isMeant ? answers.connect?.(port, pod) : undefined;
    if (typeof opened === "number") return openPort(opened, "127.0.0.1");
    if (opened !== undefined) return opened;
  }
  const { namespace, name } = pod.metadata;
  throw new OperatorError(
    "POD_PORT_CLOSED",
    `nothing listens on port ${port} of pod ${namespace}/${name}, which is simulated`,
    {
      remedy:
        'Give it an answer (`answer` of createSimulatedPods, `ports` in a script of pods), or use pods: "process".',
    },
  );
}

async function readAll(input: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}
