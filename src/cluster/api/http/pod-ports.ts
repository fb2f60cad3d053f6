// Connections to the ports of a pod, as `kubectl port-forward` asks for them: pairs of streams over SPDY, by itself or in the messages
// of a WebSocket, and the older form, in which the ports stand in the request and have two channels of a WebSocket each.
// https://github.com/kubernetes/kubernetes/tree/v1.36.1/staging/src/k8s.io/cri-streaming/pkg/streaming/portforward
import { PassThrough, type Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createWebSocketStream, type RawData, type WebSocket } from "ws";
import { messageOf } from "../../../ports/operator-error.ts";
import { fieldsOf, type ApiObject } from "../api-object.ts";
import type { Exchange } from "../requests/exchange.ts";
import { badRequest } from "../status-error.ts";
import { sendAnswer } from "./answer.ts";
import { bytesOf } from "./exec-channels.ts";
import { assertOnNode, type PodStreamSource } from "./pod-streams.ts";
import { SpdyConnection, type SpdyStream } from "./spdy/spdy-connection.ts";
import { acceptSpdy, isSpdyRequest } from "./spdy/spdy-upgrade.ts";
import { acceptWebSocket } from "./web-socket.ts";
import { protocolsOf } from "../requests/web-socket-request.ts";

const streamProtocol = "portforward.k8s.io";
const tunnelProtocol = `SPDY/3.1+${streamProtocol}`;
const channelProtocol = "v4.channel.k8s.io";

/** Serves connections to a pod until the client leaves. Errors: 400 for a pod that does not run, or for another protocol. */
export async function servePorts(
  source: PodStreamSource | undefined,
  exchange: Exchange,
  pod: ApiObject,
): Promise<void> {
  const { request, response, upgradeHead } = exchange;
  const { name, namespace = "" } = pod.metadata;
  assertOnNode(pod, source);
  if (source === undefined) return;
  if (request.headers.upgrade === undefined) throw badRequest("Upgrade request required");
  const { phase } = fieldsOf(pod["status"]);
  if (phase !== "Running") {
    const body = `unable to forward port because pod is not running. Current status=${String(phase)}\n`;
    sendAnswer(request, response, { status: 500, body, contentType: "text/plain", isText: true });
    return;
  }
  if (upgradeHead === undefined) throw badRequest("Upgrade request required");
  const connect = (port: number): Promise<Duplex> => source.connect({ namespace, name, port });
  if (isSpdyRequest(request)) {
    const transport = acceptSpdy(request, response, upgradeHead, [streamProtocol]);
    if (transport !== undefined) await forwardStreams(transport, connect, name);
    return;
  }
  const isTunnel = protocolsOf(request).includes(tunnelProtocol);
  const ports = exchange.query.getAll("ports").flatMap((each) => each.split(",").map(Number));
  if (!isTunnel && (ports.length === 0 || !ports.every((each) => each > 0 && each < 65_536))) {
    throw badRequest('query parameter "ports" is required, with numbers from 1 to 65535');
  }
  const socket = acceptWebSocket(request, response, upgradeHead, [tunnelProtocol, channelProtocol]);
  if (socket === undefined) return;
  if (isTunnel) await forwardStreams(createWebSocketStream(socket), connect, name);
  else await forwardChannels(socket, ports, connect, name);
}

type Connect = (port: number) => Promise<Duplex>;

/** One connection through a port: its bytes, and where it is said what went wrong. */
interface Forwarded {
  readonly data: Duplex;
  readonly error: Pick<Duplex, "end">;
}

/** Each connection is two streams of one request: one for data, one for errors. */
async function forwardStreams(transport: Duplex, connect: Connect, pod: string): Promise<void> {
  const incomplete = new Map<string, SpdyStream>();
  const connection = new SpdyConnection(transport, (stream) => {
    const request = stream.headers.get("requestid") ?? stream.headers.get("port") ?? "";
    const type = stream.headers.get("streamtype");
    const other = incomplete.get(request);
    if (other === undefined) {
      incomplete.set(request, stream);
      return;
    }
    incomplete.delete(request);
    const [data, error] = type === "data" ? [stream, other] : [other, stream];
    void forward({ data, error }, Number(data.headers.get("port")), connect, pod);
  });
  await connection.closed;
}

async function forward(
  { data, error }: Forwarded,
  port: number,
  connect: Connect,
  pod: string,
): Promise<void> {
  let target: Duplex | undefined;
  try {
    target = await connect(port);
    // A client resets the stream as soon as the pod has said all, and one that leaves does so, too: neither went wrong.
    const unlessReset = (cause: unknown): void => {
      if (!data.destroyed || data.errored !== null) throw cause;
      target?.destroy();
    };
    await Promise.all([pipeline(data, target).catch(unlessReset), pipeline(target, data).catch(unlessReset)]);
    error.end();
  } catch (cause) {
    target?.destroy();
    error.end(`error forwarding port ${port} to pod ${pod}, uid : ${messageOf(cause)}`);
    data.end();
  }
}

/** Each port has an even channel for data and the next one for errors; both begin with the port's number. */
function forwardChannels(
  socket: WebSocket,
  ports: readonly number[],
  connect: Connect,
  pod: string,
): Promise<void> {
  const send = (channel: number, bytes: Uint8Array, sent?: () => void): void =>
    socket.send(Buffer.concat([Buffer.of(channel), bytes]), { binary: true }, sent);
  const forwarded: Promise<void>[] = [];
  const inputs = ports.map((port, index) => {
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    send(index * 2, number);
    send(index * 2 + 1, number);
    const input = new PassThrough();
    const sendError = (text: string): void => send(index * 2 + 1, Buffer.from(text));
    forwarded.push(
      connectChannel({
        socket,
        input,
        pod,
        connect,
        port,
        sendError,
        send: (chunk, sent) => send(index * 2, chunk, sent),
      }),
    );
    return input;
  });
  // A channel cannot be closed: the client learns that nothing more comes when the last one has ended.
  void Promise.all(forwarded).then(() => socket.close(1_000));
  socket.on("message", (data: RawData) => {
    const message = bytesOf(data);
    const input = inputs[(message[0] ?? 0) >> 1];
    if (input === undefined || ((message[0] ?? 0) & 1) === 1 || message.length < 2) return;
    if (input.write(message.subarray(1))) return;
    socket.pause();
    input.once("drain", () => socket.resume());
  });
  socket.on("error", () => socket.terminate());
  return new Promise((resolve) => {
    socket.once("close", () => {
      for (const input of inputs) input.end();
      resolve();
    });
  });
}

/** One port of a connection whose ports have channels. */
interface ForwardedChannel {
  readonly socket: WebSocket;
  readonly input: PassThrough;
  readonly pod: string;
  readonly port: number;
  readonly connect: Connect;
  readonly send: (chunk: Uint8Array, sent: () => void) => void;
  readonly sendError: (text: string) => void;
}

async function connectChannel({
  socket,
  input,
  pod,
  port,
  connect,
  ...out
}: ForwardedChannel): Promise<void> {
  try {
    const target = await connect(port);
    socket.once("close", () => target.destroy());
    input.pipe(target);
    for await (const chunk of target as AsyncIterable<Buffer>) {
      await new Promise<void>((resolve) => out.send(chunk, resolve));
    }
  } catch (error) {
    out.sendError(`error forwarding port ${port} to pod ${pod}, uid : ${messageOf(error)}`);
  }
}
