// A command in a container of a pod, or the container itself that is joined, as `kubectl exec` and `kubectl attach` ask for it: over
// WebSocket or SPDY, to the pod runtime.
import { messageOf } from "../../../ports/operator-error.ts";
import type {
  PodAttachRequest,
  PodConnectRequest,
  PodExecRequest,
  PodExecResult,
} from "../../pods/pod-runtime.ts";
import type { Duplex } from "node:stream";
import { fieldsList, fieldsOf, type ApiObject } from "../api-object.ts";
import { isTrue } from "../options/list-options.ts";
import type { Exchange } from "../requests/exchange.ts";
import { badRequest, StatusError } from "../status-error.ts";
import { plainText, sendAnswer } from "./answer.ts";
import { execProtocols, openExecChannels, type ExecChannels, type StandardStream } from "./exec-channels.ts";
import { chosenContainer } from "./pod-container.ts";
import { openSpdyChannels, spdyExecProtocols } from "./spdy/spdy-exec.ts";
import { acceptSpdy, isSpdyRequest } from "./spdy/spdy-upgrade.ts";
import { acceptWebSocket } from "./web-socket.ts";

/** Where commands are run, containers joined and ports reached. */
export interface PodStreamSource {
  exec(request: PodExecRequest): Promise<PodExecResult>;
  attach(request: PodAttachRequest): Promise<void>;
  connect(request: PodConnectRequest): Promise<Duplex>;
}

/**
 * Runs the command of a request, and resolves when it has ended. As on a kubelet it goes on when the client leaves.
 * Errors: 400 for a container that the pod does not have, and for a request without a command or another protocol.
 */
export function serveExec(
  source: PodStreamSource | undefined,
  exchange: Exchange,
  pod: ApiObject,
): Promise<void> {
  const command = exchange.query.getAll("command");
  return serveStreams(source, exchange, pod, async (runtime, target, streams) => {
    const outcome = (): Promise<PodExecResult> => runtime.exec({ ...target, ...streams.given, command });
    streams.channels.end(await outcomeOf(outcome, command));
  });
}

/**
 * Joins the container of a request, and resolves when that has ended or the client has left.
 * Errors: 400 for a container that the pod does not have, and for a request for another protocol.
 */
export function serveAttach(
  source: PodStreamSource | undefined,
  exchange: Exchange,
  pod: ApiObject,
): Promise<void> {
  return serveStreams(source, exchange, pod, async (runtime, target, { given, channels }) => {
    const joined = (): Promise<void> => runtime.attach({ ...target, ...given, signal: channels.gone });
    channels.end(
      await outcomeOf(async () => {
        await joined();
        return { exitCode: 0 };
      }, []),
    );
  });
}

/** Refuses what is not asked of a pod that a node runs. Errors: 400. */
export function assertOnNode(pod: ApiObject, source: unknown): void {
  if (fieldsOf(pod["spec"])["nodeName"] === undefined || source === undefined) {
    throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  }
}

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
}

/** The streams that a client has opened. */
interface OpenStreams {
  readonly channels: ExecChannels;
  /** In the form that the pod runtime is given them. */
  readonly given: Pick<PodExecRequest, "stdin" | "onStdout" | "onStderr">;
}

async function serveStreams(
  source: PodStreamSource | undefined,
  exchange: Exchange,
  pod: ApiObject,
  serve: (runtime: PodStreamSource, target: Target, streams: OpenStreams) => Promise<void>,
): Promise<void> {
  const { request, query } = exchange;
  const { name, namespace = "" } = pod.metadata;
  const container = chosenContainer(pod, query);
  assertOnNode(pod, source);
  if (source === undefined) return;
  if (request.headers.upgrade === undefined) throw badRequest("Upgrade request required");
  // On a terminal both outputs are one.
  const asked = isTrue(query.get("tty")) ? (["stdin", "stdout"] as const) : standardStreams;
  const opened = asked.filter((each) => isTrue(query.get(each)));
  if (opened.length === 0) {
    return refuse(exchange, 400, "you must specify at least 1 of stdin, stdout, stderr");
  }
  if (!isRunning(pod, container)) return refuse(exchange, 500, `container not found ("${container}")`);
  const channels = await openChannels(exchange, opened);
  if (channels === undefined) return;
  const isTerminal = isTrue(query.get("tty"));
  await serve(
    source,
    { namespace, name, container },
    {
      channels,
      given: {
        ...(opened.includes("stdin") ? { stdin: channels.stdin } : {}),
        ...(opened.includes("stdout") ? { onStdout: outputTo(channels, "stdout") } : {}),
        ...(isTerminal && opened.includes("stdout")
          ? { onStderr: outputTo(channels, "stdout") }
          : opened.includes("stderr")
            ? { onStderr: outputTo(channels, "stderr") }
            : {}),
      },
    },
  );
}

const standardStreams = ["stdin", "stdout", "stderr"] as const;

async function openChannels(
  exchange: Exchange,
  opened: readonly StandardStream[],
): Promise<ExecChannels | undefined> {
  const { request, response, upgradeHead } = exchange;
  if (upgradeHead === undefined) {
    refuse(exchange, 400, `unable to upgrade: unsupported protocol ${request.headers.upgrade ?? ""}`);
    return undefined;
  }
  if (isSpdyRequest(request)) {
    const transport = acceptSpdy(request, response, upgradeHead, spdyExecProtocols);
    return transport === undefined ? undefined : openSpdyChannels(transport, opened);
  }
  const socket = acceptWebSocket(request, response, upgradeHead, execProtocols);
  return socket === undefined ? undefined : openExecChannels(socket, opened);
}

type Take = (chunk: Uint8Array) => Promise<void> | undefined;

function outputTo(streams: ExecChannels, stream: "stdout" | "stderr"): Take {
  return (chunk) => streams.write(stream, chunk);
}

/** What the client receives at the end, in the words of containerd and the kubelet. */
async function outcomeOf(run: () => Promise<PodExecResult>, command: readonly string[]): Promise<object> {
  try {
    const { exitCode } = await run();
    if (exitCode === 0) return { metadata: {}, status: "Success" };
    return {
      metadata: {},
      status: "Failure",
      message: `command terminated with non-zero exit code: error executing command [${command.join(" ")}], exit code ${exitCode}`,
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
    };
  } catch (error) {
    const { status } = new StatusError(
      500,
      "InternalError",
      `Internal error occurred: error executing command in container: ${messageOf(error)}`,
    );
    return { ...status, details: { causes: [{ message: messageOf(error) }] } };
  }
}

function isRunning(pod: ApiObject, container: string): boolean {
  const status = fieldsOf(pod["status"]);
  return ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"].some((field) =>
    fieldsList(status[field]).some(
      (each) => each["name"] === container && fieldsOf(each["state"])["running"] !== undefined,
    ),
  );
}

/** The kubelet's own refusals, which the API server passes on as they are. */
function refuse({ request, response }: Exchange, status: number, message: string): void {
  sendAnswer(request, response, {
    status,
    body: `${message}\n`,
    contentType: plainText,
    isText: true,
  });
}
