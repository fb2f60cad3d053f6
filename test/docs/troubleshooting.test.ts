// The guide on troubleshooting: each message on the page is one that an operator, the command line or the API server gives.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { findCondition, type Condition } from "../../src/meta/condition.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { root, writeBlocks } from "./code-blocks.ts";
import troubled, { Site, Store, troubles } from "./troubled-operator.ts";

const page = readFileSync(join(root, "docs/guides/troubleshooting.md"), "utf8");
const messages = [...page.matchAll(/^```text\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
  block.split("\n").filter((line) => line !== ""),
);

const operator = join(import.meta.dirname, "troubled-operator.ts");
const namespace = "default";

describe("the guide on troubleshooting", () => {
  /** Everything that was said. */
  const said: string[] = [];
  const { folder, remove } = writeBlocks([
    { file: "enum.ts", text: "export enum Size { Small }\n" },
    { file: "import.ts", text: 'export { size } from "./size";\n' },
  ]);
  let cluster: Cluster;
  let client: KubeClient;
  let running: RunningOperator;
  const run = async (...args: string[]): Promise<void> => {
    const { out, err } = await runCommand([...args, "--kubeconfig", cluster.kubeconfig], { HOME: folder });
    said.push(...`${out}${err}`.split("\n"));
  };
  const create = async (kind: ResourceType, name: string, spec: object): Promise<void> => {
    const manifest = {
      apiVersion: "web.example.com/v1",
      kind: kind.kind,
      metadata: { name, namespace },
      spec,
    };
    await client.create(kind, manifest);
  };
  const conditionsOf = async (kind: ResourceType, name: string): Promise<readonly Condition[]> =>
    (
      (await client.get(kind, { namespace, name })) as KubeObject & {
        readonly status?: { readonly conditions?: readonly Condition[] };
      }
    ).status?.conditions ?? [];
  /** Waits for a condition, and takes down what all of them say. */
  const hears = (kind: ResourceType, name: string, type: string, status: string): Promise<void> =>
    eventually(async () => {
      const conditions = await conditionsOf(kind, name);
      expect(findCondition(conditions, type)?.status, name).toBe(status);
      said.push(...conditions.map(({ message }) => message));
    });
  const refused = async (kind: ResourceType, spec: object): Promise<void> => {
    said.push(await create(kind, "x", spec).then(String, (error: unknown) => (error as Error).message));
  };

  beforeAll(async () => {
    cluster = await startCluster();
    client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
    said.push(...(await runCommand(["run", operator], { HOME: folder })).err.split("\n"));
    await run("run", operator);
    // What Node itself says of a module: here modules are loaded by the test runner.
    for (const file of ["enum.ts", "import.ts"]) {
      const args = [join(root, "bin/xstate-operator.js"), "check", join(folder, file)];
      said.push(...spawnSync(process.execPath, args, { encoding: "utf8" }).stderr.split("\n"));
    }
    const forbidden = {
      status: 403,
      message: 'jobs.batch is forbidden: User "web" cannot list resource "jobs" in API group "batch"',
    };
    const noJobs = cluster.faults.refuse({ verb: ["list", "watch"], plural: "jobs" }, forbidden);
    running = await startOperator(troubled, cluster.kubeconfig, {
      installCrds: true,
      healthProbeBindAddress: "127.0.0.1:0",
    });
    const probe = String(
      running.lines.find(({ message }) => message === "health probes served")?.fields["url"],
    );
    await create(Site, "job", { trouble: "job" });
    await hears(Site, "job", "ReconciliationSuccess", "Unknown");
    noJobs.end();
    await hears(Site, "job", "ReconciliationSuccess", "True");

    const metadata = { name: "shared", namespace };
    const helms = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { chart: "shop" } };
    await client.create(ConfigMap, helms, { fieldManager: "helm" });
    for (const [trouble] of troubles) {
      await create(Site, trouble, { trouble });
      if (trouble === "fights") await hears(Site, trouble, "ReconciliationSuccess", "True");
    }
    await client.patch(Site, { namespace, name: "job" }, { type: "merge", body: { spec: { replicas: 2 } } });
    await create(Store, "closed", { observed: "Closed" });
    await create(Store, "typo", { observed: "Opne" });
    await create(Store, "silent", { observed: "error" });
    await create(Store, "counted", { lifecycle: { desiredState: "Inventory" } });
    await create(Store, "deleted", {});
    await refused(Store, { lifecycle: { desiredState: "Opne" } });
    const key = { namespace, name: "fights-page" };
    await eventually(async () => {
      const body = { data: { page: "theirs" } };
      await client.patch(ConfigMap, key, { type: "merge", body }, { fieldManager: "kubectl-edit" });
      const conditions = await conditionsOf(Site, "fights");
      expect(findCondition(conditions, "FieldFight")?.status).toBe("True");
    });
    for (const [trouble, type, status] of troubles) await hears(Site, trouble, type, status);
    await hears(Site, "job", "ReconciliationSuccess", "False");
    await hears(Store, "closed", "Lifecycle", "False");
    await hears(Store, "typo", "Lifecycle", "False");
    await hears(Store, "silent", "Lifecycle", "Unknown");
    await hears(Store, "counted", "Stalled", "True");
    await hears(Store, "deleted", "Ready", "True");
    await client.delete(Store, { namespace, name: "deleted" });
    await eventually(async () =>
      expect(findCondition(await conditionsOf(Store, "deleted"), "Lifecycle")?.reason).toBe("Closing"),
    );
    await run("explain", "store/deleted", "-n", namespace);

    cluster.faults.refuse({ verb: ["list", "watch"], plural: "sites" }, forbidden);
    cluster.faults.dropWatches();
    await eventually(async () => {
      const answer = await fetch(`${probe}/readyz`);
      expect(answer.status).toBe(503);
      const text = await answer.text();
      expect(text).toContain("may not list");
      said.push(...text.split("\n"));
    });
    await running.stop();
    await cluster.faults.stopServer();
    await run("explain", "store/deleted");
  });
  afterAll(async () => {
    remove();
    await client.close();
    await cluster.stop();
  });

  it("has messages of each kind", () => {
    expect(messages.length).toBeGreaterThan(25);
  });

  it.each(messages)("has a message that is given: %s", (message) => {
    const parts = message.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(parts.join(".*"));
    expect(
      said.filter((line) => pattern.test(line)),
      said.join("\n"),
    ).not.toEqual([]);
  });
});
