// The website when its pods or its Deployment go wrong: on an embedded cluster whose pods follow a script.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Manifest } from "xstate-operator";
import { isNotFound, type KubeClient } from "xstate-operator/client";
import { Deployment, KubernetesEvent, Pod } from "xstate-operator/kinds";
import { parse } from "yaml";
import operator from "../../../examples/website/operator.ts";
import { Website } from "../../../examples/website/src/website/website.ts";
import { createSimulatedPods } from "../../../src/cluster/pods/simulated/simulated-pods.ts";
import { startCluster } from "../../../src/cluster/start-cluster.ts";
import type { Cluster } from "../../../src/cluster/cluster.ts";
import { clientOf } from "../../support/api-servers.ts";
import { eventually } from "../../support/eventually.ts";
import { startOperator, type RunningOperator } from "../../support/running-operator.ts";

const sample = readFileSync(
  new URL("../../../examples/website/samples/website.yaml", import.meta.url),
  "utf8",
);
const key = { namespace: "default", name: "shop" };
const pods = createSimulatedPods({ startDelay: 20 });

let cluster: Cluster;
let client: KubeClient;
let running: RunningOperator;

beforeAll(async () => {
  cluster = await startCluster({ pods });
  client = await clientOf(cluster.kubeconfig);
  running = await startOperator(operator, cluster.kubeconfig, { installCrds: true });
  await client.create(Website, parse(sample) as Manifest);
  await reaches("Running");
  // Events are sent one after the other, behind the status.
  await eventually(async () => expect(await moves()).toEqual(["Start → Running"]));
});

afterAll(async () => {
  await running.stop();
  await client.close();
  await cluster.stop();
});

async function reaches(state: string) {
  return eventually(async () => {
    const site = await client.get(Website, key);
    expect(site.status?.lifecycle?.state).toBe(state);
    return site;
  });
}

async function moves(): Promise<string[]> {
  const { items } = await client.list(KubernetesEvent, { namespace: "default" });
  return items.flatMap(({ note = "" }) => /^\w+ → \w+/.exec(note)?.[0] ?? []);
}

describe("a website that runs", () => {
  it("leaves Running in one step when the image can no longer be pulled, and returns when it can (T61)", async () => {
    const before = await moves();
    const repair = pods.simulate({ labels: { website: "shop" } }, { imagePullFails: true });
    const { items } = await client.list(Pod, { namespace: "default", labelSelector: "website=shop" });
    expect(items).toHaveLength(2);
    for (const { metadata } of items) await client.delete(Pod, metadata);
    const site = await reaches("Start");
    expect(site.status?.conditions?.find(({ type }) => type === "Lifecycle")).toMatchObject({
      status: "False",
      reason: "Start",
    });
    const waiting = await client.list(Pod, { namespace: "default", labelSelector: "website=shop" });
    expect(waiting.items.every(({ status }) => status?.phase === "Pending")).toBe(true);
    await eventually(async () => {
      expect((await moves()).filter((move) => !before.includes(move))).toEqual(["Running → Start"]);
    });
    repair();
    await reaches("Running");
  });

  it("does not count a Deployment that terminates as ready, and waits for the next one (T65)", async () => {
    const deployment = await client.get(Deployment, key);
    const finalizers = [{ op: "add", path: "/metadata/finalizers", value: ["example.com/hold"] }] as const;
    await client.patch(Deployment, key, { type: "json", body: finalizers });
    await client.delete(Deployment, key);
    const site = await reaches("Start");
    // Its pods still run, and its status still says so.
    expect((await client.get(Deployment, key)).status?.readyReplicas).toBe(2);
    expect(site.status?.lifecycle?.target).toMatchObject({ state: "Running", reached: false });
    await client.patch(Deployment, key, {
      type: "json",
      body: [{ op: "remove", path: "/metadata/finalizers" }],
    });
    await reaches("Running");
    const next = await client.get(Deployment, key);
    expect(next.metadata.uid).not.toBe(deployment.metadata.uid);
  });

  it("comes to its end when it is deleted and its Deployment is gone while it stops", async () => {
    const before = await moves();
    // While no operator runs, so that nothing is made again before it stops.
    await running.stop();
    await client.delete(Website, key);
    await client.delete(Deployment, key);
    await eventually(() => expect(client.get(Deployment, key)).rejects.toSatisfy(isNotFound));
    running = await startOperator(operator, cluster.kubeconfig);
    await eventually(() => expect(client.get(Website, key)).rejects.toSatisfy(isNotFound));
    await eventually(async () => {
      const since = (await moves()).filter((move) => !before.includes(move));
      expect(since.filter((move) => move.includes("HumanIntervention"))).toEqual([]);
      expect(since).toContain("Stopping → End");
    });
  });
});
