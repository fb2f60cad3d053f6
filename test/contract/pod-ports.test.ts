// Ports of pods as the JavaScript and Python clients of Kubernetes reach them: two channels of a WebSocket for each port.
import { createServer, type AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { KubeConfig, PortForward } from "@kubernetes/client-node";
import { expect, it, onTestFinished } from "vitest";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { createSimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

it("passes bytes both ways, and says which port is closed", async () => {
  const echo = createServer((socket) =>
    socket.on("data", (chunk) => socket.end(`heard ${chunk.toString()}`)),
  );
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void echo.close());
  const pods = createSimulatedPods();
  pods.answer({}, { connect: (port) => (port === 80 ? (echo.address() as AddressInfo).port : undefined) });
  const cluster = await startCluster({ pods });
  onTestFinished(() => cluster.stop());
  const client = await clientOf(cluster.kubeconfig);
  onTestFinished(() => client.close());
  const key = { namespace: "default", name: "web" };
  const spec = { containers: [{ name: "web", image: "web" }] };
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata: key, spec });
  await eventually(async () => expect((await client.get(Pod, key)).status?.phase).toBe("Running"));

  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
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
