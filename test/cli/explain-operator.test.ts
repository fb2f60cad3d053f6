// `explain --operator URL`: what only the running operator knows is told when it answers, and is unknown when it does not.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { Explanation } from "../../src/explain/explanation.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { Lamp, lampOperator, lampWorld } from "../fixtures/lamp.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { runCommand, type CommandOutcome } from "./run-in-process.ts";

/** A server that answers everything so, on loopback, until the test is over; its URL. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status).end(body));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("explain with the running operator", () => {
  let cluster: Cluster;
  let operator: RunningOperator;
  beforeAll(async () => {
    cluster = await startCluster();
    operator = await startOperator(lampOperator(lampWorld()), cluster.kubeconfig, {
      healthProbeBindAddress: "127.0.0.1:0",
      installCrds: true,
    });
    const client = await clientOf(cluster.kubeconfig);
    const metadata = { name: "desk", namespace: "default" };
    await client.create(Lamp, { apiVersion: apiVersionOf(Lamp), kind: "Lamp", metadata, spec: {} });
    await eventually(async () =>
      expect((await client.get(Lamp, metadata)).status?.lifecycle?.state).toBe("Running"),
    );
    await client.close();
  });
  afterAll(async () => {
    await operator.stop();
    await cluster.stop();
  });

  const explain = (...more: readonly string[]): Promise<CommandOutcome> =>
    runCommand(["explain", "lamp/desk", "--kubeconfig", cluster.kubeconfig, ...more]);

  const explained = async (url: string): Promise<Explanation> => {
    const { code, out, err } = await explain("--operator", url, "-o", "json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return JSON.parse(out) as Explanation;
  };

  it("tells its last runs, and why each was", async () => {
    const served = operator.lines.find(({ message }) => message === "health probes served");
    const { runs, unknown } = await explained(String(served?.fields["url"]));
    expect(runs?.length).toBeGreaterThan(0);
    expect(unknown.join("\n")).not.toContain("Why it was last reconciled");
  });

  it("goes on without, and says how to ask it when nobody was asked", async () => {
    expect((await explain()).out).toContain("Ask it with --operator URL");
  });

  it.each<[string, number, string, RegExp]>([
    [
      "refuses",
      403,
      "available on loopback only: use kubectl port-forward\n",
      /gave no usable answer: HTTP 403: available on loopback only/,
    ],
    ["has no such page", 404, "not found\n", /HTTP 404: not found/],
    ["is something else", 200, '{"hello":1}', /the response is not a list of runs/],
    ["speaks no JSON", 200, "<html>", /gave no usable answer: .*JSON/],
  ])("says what kept it from knowing when the address %s", async (_, status, body, message) => {
    const { runs, unknown, state } = await explained(await answering(status, body));
    expect(runs).toBeUndefined();
    expect(state?.name).toBe("Running");
    expect(unknown.join("\n")).toMatch(message);
  });

  it("says so when nobody listens, and refuses what is no URL", async () => {
    const { unknown } = await explained("http://127.0.0.1:1");
    expect(unknown.join("\n")).toMatch(/the operator at http:\/\/127\.0\.0\.1:1 gave no usable answer: /);
    expect(await explain("--operator", "localhost")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Write a URL") as string,
    });
  });
});
