// What a client makes of a server that misbehaves while a command runs.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { createVirtualClock, type VirtualClock } from "../../src/testing/virtual-clock.ts";

const pod = { namespace: "default", name: "worker" };

/** A client of a server that serves each command so. */
async function clientOf(
  serve: (socket: WebSocket, path: string) => void,
  clock?: VirtualClock,
): Promise<KubeClient> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, autoPong: false });
  sockets.on("connection", (socket, { url = "" }) => serve(socket, url));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = createKubeClient(
    {
      server: `http://127.0.0.1:${port}`,
      namespace: "default",
      source: "test",
      trust: "test",
      proxy: undefined,
      authenticate: () => Promise.resolve({ headers: {}, tls: {} }),
    },
    clock === undefined ? {} : { clock },
  );
  onTestFinished(async () => {
    await client.close();
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return client;
}

const success = Buffer.from(`\u0003${JSON.stringify({ metadata: {}, status: "Success" })}`);

describe("exec", () => {
  it("ignores channels that it does not know, and messages that are empty", async () => {
    const client = await clientOf((socket) => {
      for (const message of [[], [255, 1], [255, 2], [9, 9], [1], [4, 1], [1, 104, 105]])
        socket.send(Buffer.from(message));
      socket.send(success);
    });
    const { exitCode, stdout } = await client.exec(pod, { command: ["true"] });
    expect([exitCode, stdout.toString()]).toEqual([0, "hi"]);
  });

  it("does not go down with a status that cannot be read", async () => {
    const client = await clientOf((socket) => socket.send(Buffer.from("\u0003{broken")));
    await expect(client.exec(pod, { command: ["true"], kill: false })).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
    });
  });

  it("passes on what the receiver of its output throws, and ends the command", async () => {
    const paths: string[] = [];
    const client = await clientOf((socket, path) => {
      paths.push(path);
      socket.send(paths.length === 1 ? Buffer.from("\u0001text") : success);
    });
    const failed = client.exec(pod, {
      command: ["cat"],
      onStdout: () => {
        throw new RangeError("not that");
      },
    });
    await expect(failed).rejects.toThrow(RangeError);
    expect(paths.map((path) => new URLSearchParams(path.split("?")[1]).getAll("command")[0])).toEqual([
      "env",
      "sh",
    ]);
  });

  it("gives a command up whose server is silent, also when asked", async () => {
    const clock = createVirtualClock();
    const asked = Promise.withResolvers<void>();
    const client = await clientOf((socket) => void socket.once("ping", () => asked.resolve()), clock);
    const silent = client.exec(pod, { command: ["true"], timeout: 600_000, kill: false });
    const failed = expect(silent).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    const steps = setInterval(() => void clock.advance(1_000), 1);
    onTestFinished(() => clearInterval(steps));
    await asked.promise;
    await failed;
  });
});
