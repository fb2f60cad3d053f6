// A command in a container of a pod, as `kubectl exec` asks for it: over the WebSocket protocol, to the pod runtime.
import { messageOf } from "../../../ports/operator-error.ts";
import type { PodExecRequest, PodExecResult } from "../../pods/pod-runtime.ts";
import { fieldsList, fieldsOf, type ApiObject } from "../api-object.ts";
import { isTrue } from "../options/list-options.ts";
import type { Exchange } from "../requests/exchange.ts";
import { badRequest, StatusError } from "../status-error.ts";
import { sendAnswer } from "./answer.ts";
import { execProtocols, openExecChannels, type ExecChannels } from "./exec-channels.ts";
import { chosenContainer } from "./pod-container.ts";
import { acceptWebSocket } from "./web-socket.ts";

/** Where commands are run. */
export interface PodExecSource {
  exec(request: PodExecRequest): Promise<PodExecResult>;
}

/**
 * Runs the command of a request, and resolves when it has ended. As on a kubelet it goes on when the client leaves.
 * Errors: 400 for a container that the pod does not have, and for a request without a command or another protocol.
 */
export async function serveExec(
  source: PodExecSource | undefined,
  exchange: Exchange,
  pod: ApiObject,
): Promise<void> {
  const { request, response, webSocketHead, query } = exchange;
  const { name, namespace = "" } = pod.metadata;
  const container = chosenContainer(pod, query);
  if (fieldsOf(pod["spec"])["nodeName"] === undefined || source === undefined) {
    throw badRequest(`pod ${name} does not have a host assigned`);
  }
  if (request.headers.upgrade === undefined) throw badRequest("Upgrade request required");
  const opened = (["stdin", "stdout", "stderr"] as const).filter((each) => isTrue(query.get(each)));
  if (opened.length === 0) {
    return refuse(exchange, 400, "you must specify at least 1 of stdin, stdout, stderr");
  }
  if (!isRunning(pod, container)) return refuse(exchange, 500, `container not found ("${container}")`);
  // SPDY, which older versions of kubectl ask for, and newer ones after a refusal.
  if (webSocketHead === undefined)
    return refuse(exchange, 400, "commands are run over the WebSocket protocol");
  const socket = acceptWebSocket(request, response, webSocketHead, execProtocols);
  if (socket === undefined) return;
  const streams = openExecChannels(socket, opened);
  const command = query.getAll("command");
  streams.end(
    await outcomeOf(
      () =>
        source.exec({
          namespace,
          name,
          container,
          command,
          ...(opened.includes("stdin") ? { stdin: streams.stdin } : {}),
          ...(opened.includes("stdout") ? { onStdout: outputTo(streams, "stdout") } : {}),
          ...(opened.includes("stderr") ? { onStderr: outputTo(streams, "stderr") } : {}),
        }),
      command,
    ),
  );
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
  return ["containerStatuses", "initContainerStatuses"].some((field) =>
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
    contentType: "text/plain; charset=utf-8",
    isText: true,
  });
}
