// What outlasts a cluster that keeps its data: everything that was acknowledged, however its process ends.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { Cluster, ClusterOptions } from "../../src/cluster/cluster.ts";
import { lockFolder } from "../../src/cluster/data-lock.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { ConfigMap, Namespace, Pod, Service, ServiceAccount } from "../../src/kinds/builtin/core.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "xstate-operator-kept-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const dataFolder = (): string => join(folder, "data");

async function start(options: ClusterOptions = {}): Promise<{ cluster: Cluster; client: KubeClient }> {
  const cluster = await startCluster({ directory: join(folder, "files"), data: dataFolder(), ...options });
  onTestFinished(() => cluster.stop());
  const client = await clientOf(cluster.kubeconfig);
  onTestFinished(() => client.close());
  return { cluster, client };
}

/** One in a process of its own. */
async function startProcess(): Promise<{ child: ChildProcess; client: KubeClient }> {
  const program = join(import.meta.dirname, "support/kept-cluster.ts");
  const child = fork(program, [join(folder, "files"), dataFolder()], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [unknown];
  expect(said).toMatch(/^https:/);
  return { child, client: await clientOf(join(folder, "files", "kubeconfig")) };
}

const configMap = (name: string, value: string): AnyObject =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default" },
    data: { value },
  }) as never;

describe("a cluster that keeps its data", () => {
  it("has every write that was acknowledged before it was killed, and counts on", async () => {
    const acknowledged = new Map<string, string>();
    let highest = 0;
    for (const writes of [1, 7, 40, 120]) {
      const { child, client } = await startProcess();
      const found = await client.list(ConfigMap, { namespace: "default" });
      expect(
        new Map(found.items.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion])),
      ).toEqual(
        new Map(
          [...acknowledged].filter(([name]) => found.items.some(({ metadata }) => metadata.name === name)),
        ),
      );
      for (const name of acknowledged.keys())
        expect(found.items.map(({ metadata }) => metadata.name)).toContain(name);
      expect(Number(found.metadata.resourceVersion)).toBeGreaterThanOrEqual(highest);
      const exited = once(child, "exit");
      const work = Array.from({ length: 4 }, async (_, worker) => {
        for (let index = 0; ; index += 1) {
          const { metadata } = await client.create(
            ConfigMap,
            configMap(`w${writes}-${worker}-${index}`, "x".repeat(2_000)),
          );
          acknowledged.set(metadata.name, metadata.resourceVersion);
          highest = Math.max(highest, Number(metadata.resourceVersion));
          if (acknowledged.size >= writes) child.kill("SIGKILL");
        }
      });
      await Promise.allSettled(work);
      await exited;
      await client.close();
      // What was stored and not answered any more is known from now on.
      const { cluster, client: reader } = await start({ controllers: false });
      for (const { metadata } of (await reader.list(ConfigMap, { namespace: "default" })).items) {
        const known = acknowledged.get(metadata.name);
        if (known !== undefined) expect(metadata.resourceVersion).toBe(known);
        acknowledged.set(metadata.name, metadata.resourceVersion);
      }
      await cluster.stop();
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(120);
  });

  it("goes on with its kinds, workloads, tokens, address and watches", async () => {
    const Well: ResourceType<AnyObject> = {
      group: "water.example.com",
      version: "v1",
      kind: "Well",
      plural: "wells",
      namespaced: true,
    };
    const schema = {
      type: "object",
      properties: { spec: { type: "object", properties: { depth: { type: "integer" } } } },
    };
    const first = await start();
    await first.client.create(CustomResourceDefinition, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "wells.water.example.com" },
      spec: {
        group: Well.group,
        scope: "Namespaced",
        names: { kind: "Well", plural: "wells", singular: "well", listKind: "WellList" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    await eventually(() => first.client.list(Well));
    const metadata = { name: "deep", namespace: "default" };
    const well = await first.client.create(Well, {
      apiVersion: "water.example.com/v1",
      kind: "Well",
      metadata,
      spec: { depth: 7, x: 1 },
    });
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    await first.client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    const key = { name: "web", namespace: "default" };
    const ready = async (client: KubeClient): Promise<void> =>
      eventually(async () => expect((await client.get(Deployment, key)).status?.readyReplicas).toBe(2));
    await ready(first.client);
    const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    await eventually(() => first.client.get(ServiceAccount, { name: "default", namespace: "default" }));
    const token = (await first.client.request({ method: "POST", path, body: { spec: {} } })) as {
      readonly status: { readonly token: string };
    };
    const uid = (await first.client.get(Namespace, { name: "default" })).metadata.uid;
    const { metadata: list } = await first.client.list(Well);
    await first.client.close();
    await first.cluster.stop();

    const second = await start();
    expect(second.cluster.url).toBe(first.cluster.url);
    expect(await second.client.get(Well, metadata)).toEqual(well);
    expect((await second.client.get(Namespace, { name: "default" })).metadata.uid).toBe(uid);
    await ready(second.client);
    await second.client.patch(Deployment, key, { type: "merge", body: { spec: { replicas: 3 } } });
    await eventually(async () =>
      expect((await second.client.get(Deployment, key)).status?.readyReplicas).toBe(3),
    );
    const review = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token: token.status.token },
    };
    expect(
      await second.client.request({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/tokenreviews",
        body: review,
      }),
    ).toMatchObject({ status: { authenticated: true } });
    await second.client.patch(Well, metadata, { type: "merge", body: { spec: { depth: 8 } } });
    const events = second.client.watch(Well, {
      resourceVersion: list.resourceVersion,
      signal: AbortSignal.timeout(20_000),
    });
    for await (const event of events) {
      expect(event).toMatchObject({ type: "MODIFIED", object: { spec: { depth: 8 } } });
      break;
    }
  });

  it("counts the deadline of a pod from its start, also when the cluster was down meanwhile", async () => {
    const first = await start();
    const key = { namespace: "default", name: "limited" };
    const spec = { activeDeadlineSeconds: 3_600, containers: [{ name: "c", image: "i" }] };
    await eventually(() => first.client.get(ServiceAccount, { namespace: "default", name: "default" }));
    await first.client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata: key, spec });
    const statusOf = async (client: KubeClient) => (await client.get(Pod, key)).status;
    await eventually(async () => expect((await statusOf(first.client))?.phase).toBe("Running"));
    await first.client.close();
    await first.cluster.stop();
    const second = await start({ clock: { ...systemClock, now: () => systemClock.now() + 7_200_000 } });
    await eventually(async () =>
      expect(await statusOf(second.client)).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" }),
    );
  });

  it("takes another port when its own is taken, and says so in what it keeps", async () => {
    const first = await start({ controllers: false });
    await first.client.create(ConfigMap, configMap("kept", "1"));
    await first.cluster.stop();
    const { port } = new URL(first.cluster.url);
    const other = createServer().listen(Number(port), "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const second = await start({ controllers: false });
    expect(second.cluster.url).not.toBe(first.cluster.url);
    expect((await second.client.get(ConfigMap, { name: "kept", namespace: "default" })).data).toEqual({
      value: "1",
    });
    const { spec } = await second.client.get(Service, { name: "kubernetes", namespace: "default" });
    expect(spec?.ports?.[0]?.targetPort).toBe(Number(new URL(second.cluster.url).port));
  });

  it("is one at a time, also within a process, but for one that has ended", async () => {
    const { cluster } = await start({ controllers: false });
    const elsewhere = { directory: join(folder, "others"), controllers: false };
    await expect(start(elsewhere)).rejects.toMatchObject({ code: "CLUSTER_DATA_IN_USE" });
    await cluster.stop();
    await (await start({ controllers: false })).cluster.stop();
  });

  it("has its folder for itself: another one leaves the kubeconfig and the pods there alone", async () => {
    const directory = join(folder, "files");
    const cluster = await startCluster({ directory, controllers: false });
    onTestFinished(() => cluster.stop());
    const before = readFileSync(cluster.kubeconfig, "utf8");
    for (const options of [
      { directory },
      { directory, data: dataFolder() },
      { directory, pods: "process" as const },
    ]) {
      await expect(startCluster(options)).rejects.toMatchObject({
        code: "CLUSTER_FOLDER_IN_USE",
        message: expect.stringContaining(`process ${process.pid}`),
      });
    }
    expect(readFileSync(cluster.kubeconfig, "utf8")).toBe(before);
    await cluster.stop();
    // Both may be the same folder.
    const together = await startCluster({ directory, data: directory, controllers: false });
    onTestFinished(() => together.stop());
  });

  it("lets one of those that begin at once after one that was killed have the folder", async () => {
    for (let round = 0; round < 20; round += 1) {
      writeFileSync(join(folder, "lock"), "4194304 1");
      const tries = await Promise.allSettled(
        Array.from({ length: 8 }, () => lockFolder(folder, "CLUSTER_DATA_IN_USE")),
      );
      const taken = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(taken).toHaveLength(1);
      for (const give of taken) await give();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it("keeps what it is known by from others on this machine", async () => {
    await start({ controllers: false });
    for (const name of readdirSync(dataFolder()))
      expect(statSync(join(dataFolder(), name)).mode & 0o077, name).toBe(0);
  });

  it("is refused when its data is damaged or from a newer version, and leaves the folder to the next one", async () => {
    const { cluster } = await start({ controllers: false });
    await cluster.stop();
    const log = readdirSync(dataFolder()).find((name) => name.startsWith("log-")) ?? "";
    appendFileSync(join(dataFolder(), "identity.json"), "}");
    await expect(start({ controllers: false })).rejects.toMatchObject({ code: "CLUSTER_DATA_DAMAGED" });
    writeFileSync(join(dataFolder(), "identity.json"), '{ "format": 2 }');
    await expect(start({ controllers: false })).rejects.toMatchObject({ code: "CLUSTER_DATA_NEWER" });
    rmSync(join(dataFolder(), "identity.json"));
    appendFileSync(join(dataFolder(), log), '0123abcd [77,"half of a change');
    await (await start({ controllers: false })).cluster.stop();
  });
});
