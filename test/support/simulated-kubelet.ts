// What a real API server asks of the node of simulated pods: commands, containers that are joined, ports and logs, over TLS as it asks
// a kubelet, and answered as the embedded cluster answers them. It also says what its containers use, as it tells metrics-server.
import { createServer } from "node:https";
import { ServerResponse, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { ApiObject } from "../../src/cluster/api/api-object.ts";
import { sendPodLog } from "../../src/cluster/api/http/pod-log.ts";
import { servePorts } from "../../src/cluster/api/http/pod-ports.ts";
import { serveAttach, serveExec } from "../../src/cluster/api/http/pod-streams.ts";
import { createServerCertificate } from "../../src/cluster/api/http/tls.ts";
import type { Exchange } from "../../src/cluster/api/requests/exchange.ts";
import { adminUser } from "../../src/cluster/api/requests/users.ts";
import { StatusError } from "../../src/cluster/api/status-error.ts";
import { Pod } from "../../src/kinds/builtin/core.ts";
import type { PodRuntime } from "../../src/cluster/pods/pod-runtime.ts";
import { messageOf } from "../../src/ports/operator-error.ts";

/** What a node is asked for, by the first part of the path. */
const served = { exec: serveExec, attach: serveAttach, portForward: servePorts, containerLogs: sendPodLog };

/** Since when the node is in use. */
const begun = Date.now();

/** Names of a kubelet's query that are others in the API. */
const namesInApi: Readonly<Record<string, string>> = {
  input: "stdin",
  output: "stdout",
  error: "stderr",
  port: "ports",
};

/** Answers for the pods of a node, and has the API server ask here. */
export async function serveNode(
  client: KubeClient,
  node: string,
  pods: PodRuntime,
): Promise<{ stop(): Promise<void> }> {
  const { key, certificate } = await createServerCertificate(Date.now());
  const sockets = new Set<Socket>();
  const serve = (request: IncomingMessage, response: ServerResponse, head?: Buffer): void =>
    void answer(client, pods, request, response, head);
  const server = createServer({ key, cert: certificate, shouldUpgradeCallback: () => true }, serve)
    .on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    })
    .on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const response = new ServerResponse(request);
      response.assignSocket(socket);
      response.on("finish", () => socket.end());
      serve(request, response, head);
    });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await client.request({
    method: "PATCH",
    path: `/api/v1/nodes/${node}/status`,
    contentType: "application/merge-patch+json",
    body: {
      status: {
        // Its host name leads nowhere.
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
        // Without it the API server would speak SPDY to the node for those who speak WebSocket to it.
        declaredFeatures: ["ExtendWebSocketsToKubelet"],
      },
    },
  });
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function answer(
  client: KubeClient,
  pods: PodRuntime,
  request: IncomingMessage,
  response: ServerResponse,
  head: Buffer | undefined,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://node");
  const [, kind = "", namespace = "", name = "", ...rest] = pathname.split("/");
  const query = new URLSearchParams(
    [...searchParams].map(([each, value]): [string, string] => {
      const isSwitch = /^(?:input|output|error|tty)$/.test(each);
      return [namesInApi[each] ?? each, isSwitch ? String(value === "1") : value];
    }),
  );
  query.set("container", rest.at(-1) ?? "");
  const exchange: Exchange = {
    request,
    response,
    upgradeHead: head,
    method: request.method ?? "GET",
    path: pathname,
    query,
    user: adminUser,
    userAgent: "",
  };
  try {
    if (pathname === "/metrics/resource") {
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(await usage(client));
      return;
    }
    const pod = (await client.request({
      method: "GET",
      path: `/api/v1/namespaces/${namespace}/pods/${name}`,
    })) as ApiObject;
    await served[kind as keyof typeof served](pods, exchange, pod);
  } catch (error) {
    const code = error instanceof StatusError ? error.status.code : 500;
    if (!response.headersSent) response.writeHead(code, { "content-type": "text/plain" });
    response.end(messageOf(error));
  }
}

/**
 * Each running container has used 80m of CPU since it was started, and uses 32 MiB; the node 200m, and 1 GiB. Of CPU it is a little less,
 * as whoever reads it rounds up what differs by less than a nanosecond.
 */
async function usage(client: KubeClient): Promise<string> {
  const now = Date.now();
  const started = (time: string | undefined): number => Math.floor(Date.parse(time ?? "") / 1_000);
  const { items } = await client.list(Pod);
  const running = items.filter(({ status }) => status?.phase === "Running");
  const lines = running.flatMap(({ metadata, spec, status }) =>
    spec.containers.flatMap(({ name }) => {
      const since = started(status?.startTime);
      const labels = `{container="${name}",namespace="${metadata.namespace}",pod="${metadata.name}"}`;
      return [
        `container_cpu_usage_seconds_total${labels} ${0.0799 * (now / 1_000 - since)} ${now}`,
        `container_memory_working_set_bytes${labels} ${32 * 1_024 ** 2} ${now}`,
        `container_start_time_seconds${labels} ${since} ${now}`,
      ];
    }),
  );
  const ofNode = [
    `node_cpu_usage_seconds_total ${(0.1999 * (now - begun)) / 1_000} ${now}`,
    `node_memory_working_set_bytes ${1_024 ** 3} ${now}`,
  ];
  return `${[...lines, ...ofNode].join("\n")}\n`;
}
