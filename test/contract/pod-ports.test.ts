// Ports of pods as the JavaScript and Python clients of Kubernetes reach them, by two channels of a WebSocket for each port, and as
// kubectl does, by a pair of streams for each connection.
import { spawn } from "node:child_process";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { KubeConfig, PortForward } from "@kubernetes/client-node";
import { expect, it, onTestFinished } from "vitest";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { createSimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { clientOf } from "../support/api-servers.ts";
import { assets, whyNoControlPlane } from "../support/control-plane.ts";
import { eventually } from "../support/eventually.ts";

/** A running pod whose port 80 is served by a function. Returns the path of a kubeconfig. */
async function servePod(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const pods = createSimulatedPods();
  pods.answer({}, { connect: (port) => (port === 80 ? (server.address() as AddressInfo).port : undefined) });
  const cluster = await startCluster({ pods });
  onTestFinished(() => cluster.stop());
  const client = await clientOf(cluster.kubeconfig);
  onTestFinished(() => client.close());
  const key = { namespace: "default", name: "web" };
  const spec = { containers: [{ name: "web", image: "web" }] };
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata: key, spec });
  await eventually(async () => expect((await client.get(Pod, key)).status?.phase).toBe("Running"));
  return cluster.kubeconfig;
}

it("passes bytes both ways, and says which port is closed", async () => {
  const kubeconfig = await servePod((socket) =>
    socket.on("data", (chunk) => socket.end(`heard ${chunk.toString()}`)),
  );
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const forward = async (port: number) => {
    const [output, error, input] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const said = { output: "", error: "" };
    output.on("data", (chunk: Buffer) => (said.output += chunk.toString()));
    error.on("data", (chunk: Buffer) => (said.error += chunk.toString()));
    const socket = await new PortForward(config).portForward("default", "web", [port], output, error, input);
    const opened = socket as { close(): void; readonly readyState: number };
    onTestFinished(() => opened.close());
    input.write("words");
    return { output: () => said.output, error: () => said.error, isOver: () => opened.readyState === 3 };
  };
  const [open, closed] = [await forward(80), await forward(81)];
  await eventually(() => {
    expect(open.output()).toBe("heard words");
    expect(closed.error()).toContain("nothing listens on port 81 of pod default/web");
    // Nothing else tells a client that nothing more comes.
    expect([open.isOver(), closed.isOver()]).toEqual([true, true]);
  });
});

/** Sends a text and takes what comes: all of it, or no more than the first bytes. */
function ask(port: number, text: string, { leavesEarly = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString();
      if (leavesEarly) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(heard));
  });
}

const why = whyNoControlPlane === undefined ? "" : ` (skipped: ${whyNoControlPlane})`;
it.skipIf(whyNoControlPlane !== undefined).each([
  { by: "WebSocket", websockets: "true" },
  { by: "SPDY", websockets: "false" },
])(
  `kubectl goes on forwarding by $by after connections that either side has ended${why}`,
  async ({ websockets }) => {
    const kubeconfig = await servePod((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        const asked = chunk.toString();
        if (asked === "end") socket.end("bye");
        else if (asked === "destroy") socket.write("bye", () => socket.destroy());
        else socket.write(Buffer.alloc(5_000_000, "x"));
      });
    });
    const command = ["--kubeconfig", kubeconfig, "port-forward", "pod/web", ":80", "--address", "127.0.0.1"];
    const child = spawn(join(assets ?? "", "kubectl"), command, {
      env: { ...process.env, KUBECTL_PORT_FORWARD_WEBSOCKETS: websockets },
    });
    onTestFinished(() => void child.kill());
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await eventually(() => expect(said).toMatch(/Forwarding from 127\.0\.0\.1:\d+/));
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(said)?.[1]);

    for (let round = 0; round < 10; round++) {
      expect(await ask(port, "end")).toBe("bye");
      expect(await ask(port, "destroy")).toBe("bye");
      expect(await ask(port, "much", { leavesEarly: true })).toMatch(/^x+$/);
    }
    expect(await Promise.all(Array.from({ length: 20 }, () => ask(port, "end")))).toEqual(
      Array.from({ length: 20 }, () => "bye"),
    );
    expect(said).not.toMatch(/error forwarding|lost connection/);
    expect(child.exitCode).toBeNull();
  },
);
