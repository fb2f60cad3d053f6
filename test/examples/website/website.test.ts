// The example as a user runs it: on an embedded cluster with simulated pods; and its lifecycle, walked.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCondition, type InstanceOf, type Manifest } from "xstate-operator";
import { createKubeClient, isNotFound, loadConnection, type KubeClient } from "xstate-operator/client";
import { ConfigMap, Deployment, KubernetesEvent } from "xstate-operator/kinds";
import { startCluster, type Cluster } from "xstate-operator/cluster";
import { lifecycleTests } from "xstate-operator/testing";
import { parse } from "yaml";
import operator from "../../../examples/website/operator.ts";
import { Website } from "../../../examples/website/src/website/website.ts";
import { eventually } from "../../support/eventually.ts";
import { startOperator, type RunningOperator } from "../../support/running-operator.ts";

const folder = new URL("../../../examples/website/", import.meta.url);
const key = { namespace: "default", name: "shop" };

let cluster: Cluster;
let client: KubeClient;
let running: RunningOperator;

beforeAll(async () => {
  cluster = await startCluster();
  client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
  running = await startOperator(operator, cluster.kubeconfig, { installCrds: true });
});

afterAll(async () => {
  await running.stop();
  await client.close();
  await cluster.stop();
});

const reaches = (state: string): Promise<InstanceOf<typeof Website>> =>
  eventually(async () => {
    const site = await client.get(Website, key);
    expect(site.status?.lifecycle?.state).toBe(state);
    return site;
  });
const pageIs = (text: string): Promise<void> =>
  eventually(async () => {
    expect((await client.get(ConfigMap, key)).data).toEqual({ "index.html": text });
  });
const edit = (spec: object) => client.patch(Website, key, { type: "merge", body: { spec } });

describe("the website operator", () => {
  it("starts the site and shows its page", async () => {
    await client.create(
      Website,
      parse(readFileSync(new URL("samples/website.yaml", folder), "utf8")) as Manifest,
    );
    const site = await reaches("Running");
    expect(site.status?.lifecycle?.target).toMatchObject({ state: "Running", reached: true });
    await pageIs("<h1>The shop is open</h1>");
    expect((await client.get(Deployment, key)).status?.readyReplicas).toBe(2);
  });

  it("closes for maintenance when that is desired, and opens again by itself, once", async () => {
    await edit({ maintenanceMinutes: 0.02, lifecycle: { desiredState: "Maintenance", request: "tuesday" } });
    await eventually(async () => {
      const { status } = await client.get(Website, key);
      expect(status?.lifecycle?.state).toBe("Running");
      expect(status?.lifecycle?.target).toMatchObject({ state: "Maintenance", reached: true });
    });
    await pageIs("<h1>The shop is open</h1>");
    const { items } = await client.list(KubernetesEvent, { namespace: "default" });
    const moves = items.map(({ note = "" }) => note).filter((note) => note.includes(" → "));
    expect(moves.filter((note) => note.startsWith("Running → Maintenance"))).toHaveLength(1);
    expect(moves.filter((note) => note.startsWith("Maintenance → Running by after.window"))).toHaveLength(1);
  });

  it("shows that it is closed while a person keeps it so, and opens when told to", async () => {
    const send = (event: string) =>
      client.patch(Website, key, {
        type: "merge",
        body: { metadata: { annotations: { "lifecycle.xstate-operator.dev/event": event } } },
      });
    await edit({ maintenanceMinutes: 60 });
    await send("close");
    await reaches("Maintenance");
    await pageIs("<h1>Closed for maintenance</h1>");
    expect((await client.get(Deployment, key)).spec.replicas).toBe(2);
    await send("open");
    await reaches("Running");
    await pageIs("<h1>The shop is open</h1>");
  });

  it("stops its pods before it ends, and lives again when that is desired", async () => {
    await edit({ lifecycle: { desiredState: "End", request: "night" } });
    const site = await reaches("End");
    expect(findCondition(site.status?.conditions, "Lifecycle")).toMatchObject({
      status: "True",
      reason: "End",
    });
    expect((await client.get(Deployment, key)).status?.replicas ?? 0).toBe(0);
    await edit({ lifecycle: { desiredState: "Running", request: "morning" } });
    await reaches("Running");
    expect((await client.get(Deployment, key)).spec.replicas).toBe(2);
  });

  it("leaves nothing behind", async () => {
    await client.delete(Website, key);
    for (const type of [Website, Deployment, ConfigMap]) {
      await eventually(() => expect(client.get<never>(type as never, key)).rejects.toSatisfy(isNotFound));
    }
  });
});

describe("the website's lifecycle", () => {
  const specs = [{}, { page: "<h1>New</h1>" }];
  for (const { name, run } of lifecycleTests(Website, { specs })) it(name, run);
});
