// By which way the built-in controllers of a cluster reach its API server, and that they leave others their turn.
import { afterEach, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { createApiCore } from "../../src/cluster/api/create-core.ts";
import { createCoreClient } from "../../src/cluster/api/in-process/core-client.ts";
import { controllersUser } from "../../src/cluster/api/requests/users.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { createControllersClient } from "../../src/cluster/controllers-client.ts";
import { eventLoopTurns } from "../../src/cluster/event-loop-turns.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { ConfigMap, Pod } from "../../src/kinds/builtin/core.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemRandom } from "../../src/ports/random.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

let cluster: Cluster | undefined;
let client: KubeClient | undefined;
afterEach(async () => {
  await client?.close();
  await cluster?.stop();
  [cluster, client] = [undefined, undefined];
});

const manifest = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name },
  data: { a: "b" },
});

it("goes over HTTP from when it is told to, and cuts the watches that are open then", async () => {
  const core = createApiCore({ clock: systemClock, random: systemRandom, log: silentLogger });
  const detour = new AbortController();
  let made = 0;
  const controllers = createControllersClient({
    core,
    clock: systemClock,
    detour: detour.signal,
    overHttp: () => {
      made += 1;
      return Promise.resolve(createCoreClient({ core, userAgent: "over-http" }));
    },
  });
  const seen: string[] = [];
  const { signal } = new AbortController();
  const watching = controllers.follow(ConfigMap, { signal }, (event) => {
    if (event.type !== "BOOKMARK") seen.push(event.object.metadata.name);
    return undefined;
  });
  const direct = await controllers.create(ConfigMap, manifest("direct"));
  await eventually(() => expect(seen).toEqual(["direct"]));
  expect(made).toBe(0);
  detour.abort();
  await expect(watching).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  const other = await controllers.create(ConfigMap, manifest("other"));
  await controllers.get(ConfigMap, other.metadata);
  expect(made).toBe(1);
  const managerOf = ({ metadata }: ConfigMap) => metadata.managedFields?.[0]?.manager;
  expect([managerOf(direct), managerOf(other)]).toEqual(["kube-controller-manager", "over-http"]);
  await controllers.close();
});

it("the turns of many requests leave others theirs", async () => {
  const turn = eventLoopTurns();
  const order: (number | "other")[] = [];
  const requests = Array.from({ length: 1_000 }, (_, index) => turn().then(() => order.push(index)));
  setImmediate(() => order.push("other"));
  await Promise.all(requests);
  const own = order.filter((each) => each !== "other");
  expect(own).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  expect(order.indexOf("other")).toBe(16);
});

it("the controllers of a cluster meet faults that name their user, and its stops, and go on after them", async () => {
  cluster = await startCluster();
  client = await clientOf(cluster.kubeconfig, "somebody");
  const match = { user: controllersUser.name, verb: "create", plural: "pods" } as const;
  const refusal = cluster.faults.refuse(match, { status: 503 });
  const labels = { app: "web" };
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "default", name: "web" },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
  });
  await eventually(() => expect(refusal.strikes).toBeGreaterThan(0));
  expect((await client.list(Pod)).items).toEqual([]);
  refusal.end();
  const arePods = async (count: number) => {
    const { items } = await client!.list(Pod);
    expect(items.filter(({ status }) => status?.phase === "Running").length).toBe(count);
  };
  await eventually(() => arePods(1));
  await cluster.faults.stopServer();
  await cluster.faults.startServer();
  const key = { namespace: "default", name: "web" };
  const more = { type: "merge", body: { spec: { replicas: 2 } } } as const;
  // A connection from before the stop may be tried first.
  await eventually(() => client!.patch(Deployment, key, more));
  await eventually(() => arePods(2));
});
