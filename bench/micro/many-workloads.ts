// The embedded cluster under load: many Deployments of three pods come up, are rolled to another image and are deleted; and how many
// writes a second it takes from many clients. The cluster, its controllers and its pods are in another process than the client.
//   node --conditions=xstate-operator-source bench/micro/many-workloads.ts [deployments] [seconds of writes]
import { fork } from "node:child_process";
import { once } from "node:events";
import { createKubeClient, loadConnection } from "xstate-operator/client";
import { startCluster } from "xstate-operator/cluster";
import { ConfigMap, Deployment, Pod } from "xstate-operator/kinds";
import { print } from "./measure.ts";

const deployments = Number(process.argv[2] ?? 1_000);
const writeSeconds = Number(process.argv[3] ?? 10);
const replicas = 3;
const clients = 32;
const namespace = "default";

if (process.send === undefined) await measureCluster();
else await serve(process.send.bind(process));

/** The other process: a cluster, which tells the CPU it has used so far, in seconds, when it is asked. */
async function serve(report: (message: unknown) => unknown): Promise<void> {
  const cluster = await startCluster();
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    report({ cpu: (user + system) / 1e6, resident: process.memoryUsage().rss / 1e6 });
  });
  process.on("disconnect", () => void cluster.stop());
  report({ kubeconfig: cluster.kubeconfig });
}

async function measureCluster(): Promise<void> {
  const child = fork(import.meta.filename, { execArgv: process.execArgv });
  const told = async <T>(): Promise<T> => ((await once(child, "message")) as [T])[0];
  const { kubeconfig } = await told<{ kubeconfig: string }>();
  const usage = (): Promise<{ cpu: number; resident: number }> => {
    const answer = told<{ cpu: number; resident: number }>();
    child.send("usage");
    return answer;
  };
  const client = createKubeClient(await loadConnection({ path: kubeconfig, env: {} }));
  const abort = new AbortController();
  const { signal } = abort;

  /** Deployments by name, as the watch tells of them, and who waits for a change of them. */
  const live = new Map<string, Deployment>();
  let look = (): void => undefined;
  const watching = client
    .follow(Deployment, { signal, namespace }, (event) => {
      if (event.type === "DELETED") live.delete(event.object.metadata.name);
      else if (event.type !== "BOOKMARK") live.set(event.object.metadata.name, event.object);
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
  const areReady = (generation: number) => (): boolean =>
    live.size === deployments &&
    [...live.values()].every(
      ({ status }) =>
        (status?.observedGeneration ?? 0) >= generation &&
        status?.updatedReplicas === replicas &&
        status.replicas === replicas &&
        status.availableReplicas === replicas,
    );
  const step = async (what: string, work: () => Promise<void>): Promise<void> => {
    const before = await usage();
    const begun = performance.now();
    await work();
    const seconds = (performance.now() - begun) / 1_000;
    const { cpu, resident } = await usage();
    print(`cluster: ${what}`, `${seconds.toFixed(1)} s`);
    print(
      "  CPU of the cluster, resident memory",
      `${(cpu - before.cpu).toFixed(1)} s, ${resident.toFixed(0)} MB`,
    );
  };
  const names = Array.from({ length: deployments }, (_, index) => `web-${index}`);

  await step(`${deployments} Deployments of ${replicas} pods are up`, async () => {
    await withMany(names, (name) => client.create(Deployment, deployment(name)));
    await until(areReady(1));
  });
  await step("all of them are rolled to another image", async () => {
    const body = { spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } } };
    await withMany(names, (name) =>
      client.patch(Deployment, { namespace, name }, { type: "strategic", body }),
    );
    await until(areReady(2));
  });
  await step("all of them are deleted, and their pods gone", async () => {
    await withMany(names, (name) => client.delete(Deployment, { namespace, name }));
    await until(() => live.size === 0);
    while ((await client.list(Pod, { namespace, limit: 1 })).items.length > 0);
  });

  const before = await usage();
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
  const { cpu } = await usage();
  print(`cluster: writes a second from ${clients} clients`, (writes / seconds).toFixed(0));
  print("  CPU of the cluster for each", `${(((cpu - before.cpu) * 1e3) / writes).toFixed(2)} ms`);

  abort.abort();
  await watching;
  await client.close();
  child.disconnect();
}

/** So many at a time. */
async function withMany(names: readonly string[], work: (name: string) => Promise<unknown>): Promise<void> {
  const left = names.values();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const name of left) await work(name);
    }),
  );
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
