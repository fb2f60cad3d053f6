// What a real API server asks of a node when a command is to be run in a pod: a kubelet's exec endpoint over TLS, which runs the
// command as a local process. Registered as a node, with one pod whose container it says is running.
import { spawn } from "node:child_process";
import { createServer } from "node:https";
import { ServerResponse, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { execProtocols, openExecChannels } from "../../src/cluster/api/http/exec-channels.ts";
import { createServerCertificate } from "../../src/cluster/api/http/tls.ts";
import { acceptWebSocket } from "../../src/cluster/api/http/web-socket.ts";

/** A kubelet that runs. */
export interface FakeKubelet {
  /** Name of its node. */
  readonly node: string;
  /** The subprotocols that were spoken, one for each command. */
  readonly spoken: readonly string[];
  stop(): Promise<void>;
}

/** Starts one, and registers its node. */
export async function startFakeKubelet(client: KubeClient, node = "fake"): Promise<FakeKubelet> {
  const { key, certificate } = await createServerCertificate(Date.now());
  const spoken: string[] = [];
  const server = createServer({ key, cert: certificate, shouldUpgradeCallback: () => true });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    response.on("finish", () => socket.end());
    serve(request, response, head, spoken);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    // Without it the API server would speak SPDY to the node.
    declaredFeatures: ["ExtendWebSocketsToKubelet"],
  };
  await client.request({
    method: "POST",
    path: "/api/v1/nodes",
    body: { apiVersion: "v1", kind: "Node", metadata: { name: node } },
  });
  await client.request({
    method: "PATCH",
    path: `/api/v1/nodes/${node}/status`,
    contentType: "application/merge-patch+json",
    body: { status },
  });
  return {
    node,
    spoken,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function serve(request: IncomingMessage, response: ServerResponse, head: Buffer, spoken: string[]): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://node");
  const container = pathname.split("/").at(-1) ?? "";
  if (container === "missing") {
    response.writeHead(500).end(`container not found ("${container}")\n`);
    return;
  }
  const socket = acceptWebSocket(request, response, head, execProtocols);
  if (socket === undefined) return;
  spoken.push(socket.protocol);
  const isAsked = (name: string): boolean => searchParams.get(name) === "1";
  const streams = openExecChannels(socket, [
    ...(isAsked("input") ? (["stdin"] as const) : []),
    ...(isAsked("output") ? (["stdout"] as const) : []),
    ...(isAsked("error") ? (["stderr"] as const) : []),
  ]);
  const [command = "", ...args] = searchParams.getAll("command");
  const child = spawn(command, args, { stdio: [isAsked("input") ? "pipe" : "ignore", "pipe", "pipe"] });
  child.stdin?.on("error", () => undefined);
  if (child.stdin !== null) void feed(streams.stdin, child.stdin);
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.on("data", (chunk: Buffer) => {
      const busy = streams.write(stream, chunk);
      if (busy === undefined) return;
      child[stream]?.pause();
      void busy.then(() => child[stream]?.resume());
    });
  }
  child.once("error", (error) =>
    streams.end({
      metadata: {},
      status: "Failure",
      reason: "InternalError",
      message: error.message,
      code: 500,
    }),
  );
  child.once("close", (code, signal) => {
    const exitCode = code ?? 128 + (signal === "SIGKILL" ? 9 : 15);
    streams.end(
      exitCode === 0
        ? { metadata: {}, status: "Success" }
        : {
            metadata: {},
            status: "Failure",
            reason: "NonZeroExitCode",
            message: `command terminated with non-zero exit code: exit code ${exitCode}`,
            details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
          },
    );
  });
}

async function feed(input: AsyncIterable<Uint8Array>, stdin: NodeJS.WritableStream): Promise<void> {
  for await (const chunk of input) stdin.write(chunk);
  stdin.end();
}
