// The example as a user runs it: on an embedded cluster with simulated pods.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findCondition, type Manifest } from "xstate-operator";
import { createKubeClient, isNotFound, loadConnection, type KubeClient } from "xstate-operator/client";
import { Deployment } from "xstate-operator/kinds";
import { startCluster, type Cluster } from "xstate-operator/cluster";
import { parse } from "yaml";
import { Memcached } from "../../../examples/memcached/src/memcached/memcached.ts";
import written from "../../../examples/memcached/operator.ts";
import { readOperator } from "xstate-operator/operator-file";
import { requiredPermissions } from "../../../src/delivery/required-permissions.ts";
import { startOperator, type RunningOperator } from "../../support/running-operator.ts";

const operators = [
  ["in TypeScript", written],
  ["in YAML", readOperator("examples/memcached/operator.yaml")],
] as const;
const folder = new URL("../../../examples/memcached/", import.meta.url);
const key = { namespace: "default", name: "sessions" };
const soon = { timeout: 20_000, interval: 50 };

let cluster: Cluster;
let client: KubeClient;
let running: RunningOperator;

beforeAll(async () => {
  cluster = await startCluster();
  client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
});

describe.each(operators)("the memcached operator %s", (_, operator) => {
  beforeAll(async () => {
    running = await startOperator(operator, cluster.kubeconfig, { installCrds: true });
  });
  afterAll(() => running.stop());

  it("makes a Deployment of the desired size and names its pods in the status", async () => {
    await client.create(
      Memcached,
      parse(readFileSync(new URL("samples/memcached.yaml", folder), "utf8")) as Manifest,
    );
    const memcached = await vi.waitFor(async () => {
      const current = await client.get(Memcached, key);
      expect(current.status?.nodes).toHaveLength(3);
      return current;
    }, soon);
    expect(memcached.status?.nodes).toEqual(memcached.status?.nodes?.toSorted());
    for (const node of memcached.status?.nodes ?? []) expect(node).toMatch(/^sessions-/);
    expect(findCondition(memcached.status?.conditions, "ReconciliationSuccess")).toMatchObject({
      status: "True",
      observedGeneration: 1,
    });
    expect((await client.get(Deployment, key)).spec.replicas).toBe(3);
  });

  it("follows a change of the size", async () => {
    await client.patch(Memcached, key, { type: "merge", body: { spec: { size: 5 } } });
    await vi.waitFor(
      async () => expect((await client.get(Memcached, key)).status?.nodes).toHaveLength(5),
      soon,
    );
  });

  it("puts right what it owns, and leaves a foreign label alone", async () => {
    const body = { metadata: { labels: { team: "web" } }, spec: { replicas: 1 } };
    await client.patch(Deployment, key, { type: "merge", body }, { fieldManager: "somebody" });
    const deployment = await vi.waitFor(async () => {
      const current = await client.get(Deployment, key);
      expect(current.spec.replicas).toBe(5);
      return current;
    }, soon);
    expect(deployment.metadata.labels).toMatchObject({ team: "web" });
  });

  it("leaves nothing behind", async () => {
    await client.delete(Memcached, key);
    const gone = (type: typeof Deployment | typeof Memcached) =>
      expect(client.get<never>(type as never, key)).rejects.toSatisfy(isNotFound);
    await vi.waitFor(() => gone(Memcached), soon);
    await vi.waitFor(() => gone(Deployment), soon);
  });
});

describe.each(operators)("the generated role of the operator %s", (_, operator) => {
  it("names every type that the operator touches, and no wildcard", () => {
    const options = {
      namespaces: ["default"],
      operatorNamespace: "default",
      sharing: "none",
      installCrds: false,
      metricsSecure: false,
    } as const;
    const { served, own, cluster } = requiredPermissions(operator, options);
    expect(served.flatMap((rule) => rule.resources ?? [])).toEqual([
      "pods",
      "deployments",
      "memcacheds",
      "memcacheds/finalizers",
      "memcacheds/status",
      "events",
    ]);
    expect([...own, ...cluster]).toEqual([]);
    expect(JSON.stringify(served)).not.toContain("*");
  });
});
