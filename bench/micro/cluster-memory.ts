// What an object takes in an embedded cluster's memory, by type: heap for each object beside the size of its JSON, as /metrics tells both;
// with the controllers and their caches, and after each object was written several times.
//   node --conditions=xstate-operator-source --expose-gc bench/micro/cluster-memory.ts [objects]
import { createKubeClient, loadConnection } from "xstate-operator/client";
import { ConfigMap, Deployment } from "xstate-operator/kinds";
import { print } from "./measure.ts";
import { serveCluster, startOtherCluster, withMany } from "./other-cluster.ts";

const objects = Number(process.argv[2] ?? 10_000);
const clients = 32;
const namespace = "default";

if (process.send === undefined) await measureMemory();
else await serveCluster();

async function measureMemory(): Promise<void> {
  const cluster = await startOtherCluster(import.meta.filename);
  const client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
  const names = Array.from({ length: objects }, (_, index) => `m-${index}`);
  const jsonOf = async (resource: string): Promise<number> => {
    const text = String(await client.request({ method: "GET", path: "/metrics" }));
    const line = new RegExp(`^apiserver_resource_size_estimate_bytes.*"${resource}"} (\\d+)$`, "m").exec(
      text,
    );
    return Number(line?.[1] ?? 0);
  };
  const step = async (
    what: string,
    resource: string,
    work: (name: string) => Promise<unknown>,
  ): Promise<void> => {
    const before = { heap: (await cluster.usage()).heap, json: await jsonOf(resource) };
    await withMany(names, clients, work);
    const { heap, resident } = await cluster.usage();
    const json = (await jsonOf(resource)) - before.json;
    const kilobytes = (bytes: number): string => (bytes / objects / 1_000).toFixed(2);
    print(
      `${objects} ${what}: heap, JSON for each`,
      `${kilobytes((heap - before.heap) * 1e6)}, ${kilobytes(json)} kB`,
    );
    print("  heap, resident memory", `${heap.toFixed(0)}, ${resident.toFixed(0)} MB`);
  };
  await step("ConfigMaps", "configmaps", (name) =>
    client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace },
      data: { text: "x".repeat(500) },
    }),
  );
  for (const round of ["1", "2"]) {
    await step(`ConfigMaps, written again (${round})`, "configmaps", (name) =>
      client.patch(ConfigMap, { namespace, name }, { type: "merge", body: { data: { round } } }),
    );
  }
  await step("Deployments without pods", "deployments", (name) =>
    client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: "web", image: "web:1" }] },
        },
      },
    }),
  );
  await client.close();
  await cluster.stop();
}
