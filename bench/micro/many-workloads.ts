// The embedded cluster under load: many Deployments of three pods come up, are rolled to another image and are deleted; and how many
// writes a second it takes from many clients. The cluster, its controllers and its pods are in another process than the client.
//   node --conditions=xstate-operator-source bench/micro/many-workloads.ts [deployments] [seconds of writes]
import { createKubeClient, loadConnection } from "xstate-operator/client";
import { ConfigMap, Deployment, Pod } from "xstate-operator/kinds";
import { print } from "./measure.ts";
import { serveCluster, startOtherCluster, withMany } from "./other-cluster.ts";

const deployments = Number(process.argv[2] ?? 1_000);
const writeSeconds = Number(process.argv[3] ?? 10);
const replicas = 3;
const clients = 32;
const namespace = "default";

if (process.send === undefined) await measureCluster();
else await serveCluster();

async function measureCluster(): Promise<void> {
  const cluster = await startOtherCluster(import.meta.filename);
  const client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }));
  const abort = new AbortController();
  const { signal } = abort;

  /** The Deployments that there are, those of them that are ready at each generation, and who waits for a change of them. */
  const live = new Set<string>();
  const ready = { 1: new Set<string>(), 2: new Set<string>() };
  let look = (): void => undefined;
  const watching = client
    .follow(Deployment, { signal, namespace }, (event) => {
      if (event.type === "BOOKMARK") return undefined;
      const { metadata, status } = event.object;
      if (event.type === "DELETED") live.delete(metadata.name);
      else live.add(metadata.name);
      const isComplete =
        status?.updatedReplicas === replicas &&
        status.replicas === replicas &&
        status.availableReplicas === replicas;
      const generation = status?.observedGeneration;
      if (isComplete && (generation === 1 || generation === 2)) ready[generation].add(metadata.name);
      look();
      return undefined;
    })
    .catch(() => undefined);
  const until = (is: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (is()) resolve();
      };
      look();
    });
  const areReady = (generation: 1 | 2) => (): boolean => ready[generation].size === deployments;
  const step = async (what: string, work: () => Promise<void>): Promise<void> => {
    const before = await cluster.usage();
    const begun = performance.now();
    await work();
    const seconds = (performance.now() - begun) / 1_000;
    const { cpu, heap, resident } = await cluster.usage();
    print(`cluster: ${what}`, `${seconds.toFixed(1)} s`);
    print(
      "  CPU of the cluster, heap, resident memory",
      `${(cpu - before.cpu).toFixed(1)} s, ${heap.toFixed(0)}, ${resident.toFixed(0)} MB`,
    );
  };
  const names = Array.from({ length: deployments }, (_, index) => `web-${index}`);

  await step(`${deployments} Deployments of ${replicas} pods are up`, async () => {
    await withMany(names, clients, (name) => client.create(Deployment, deployment(name)));
    await until(areReady(1));
  });
  await step("all of them are rolled to another image", async () => {
    const body = { spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } } };
    await withMany(names, clients, (name) =>
      client.patch(Deployment, { namespace, name }, { type: "strategic", body }),
    );
    await until(areReady(2));
  });
  await step("all of them are deleted, and their pods gone", async () => {
    await withMany(names, clients, (name) => client.delete(Deployment, { namespace, name }));
    await until(() => live.size === 0);
    while ((await client.list(Pod, { namespace, limit: 1 })).items.length > 0);
  });

  const before = await cluster.usage();
  const begun = performance.now();
  let writes = 0;
  const write = async (_: unknown, number: number): Promise<void> => {
    const name = `writer-${number}`;
    await client.create(ConfigMap, { ...metadata("v1", "ConfigMap", name), data: { value: "0" } });
    while (performance.now() - begun < writeSeconds * 1_000) {
      const body = { data: { value: String((writes += 1)) } };
      await client.patch(ConfigMap, { namespace, name }, { type: "merge", body });
    }
  };
  await Promise.all(Array.from({ length: clients }, write));
  const seconds = (performance.now() - begun) / 1_000;
  const { cpu } = await cluster.usage();
  print(`cluster: writes a second from ${clients} clients`, (writes / seconds).toFixed(0));
  print("  CPU of the cluster for each", `${(((cpu - before.cpu) * 1e3) / writes).toFixed(2)} ms`);

  abort.abort();
  await watching;
  await client.close();
  await cluster.stop();
}

function metadata<V extends string, K extends string>(apiVersion: V, kind: K, name: string) {
  return { apiVersion, kind, metadata: { name, namespace } };
}

function deployment(name: string) {
  const labels = { app: name };
  return {
    ...metadata("apps/v1", "Deployment", name),
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  };
}
