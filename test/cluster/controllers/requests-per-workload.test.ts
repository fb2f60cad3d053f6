// How many requests the built-in controllers and the pods send for a workload: counted on a virtual clock, where they are the same each time.
import { afterEach, expect, it } from "vitest";
import { layered, type ClientCall } from "../../../src/client/client-layers.ts";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import { createApiCore } from "../../../src/cluster/api/create-core.ts";
import { createCoreClient } from "../../../src/cluster/api/in-process/core-client.ts";
import { controllersUser } from "../../../src/cluster/api/requests/users.ts";
import {
  startControllers,
  type RunningControllers,
} from "../../../src/cluster/controllers/start-controllers.ts";
import { createSimulatedPods } from "../../../src/cluster/pods/simulated/simulated-pods.ts";
import { Deployment } from "../../../src/kinds/builtin/apps.ts";
import { Service } from "../../../src/kinds/builtin/core.ts";
import { silentLogger } from "../../../src/ports/logger.ts";
import { createVirtualClock, type VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { seededRandom } from "../../../src/testing/simulation/seeded-random.ts";

let clock: VirtualClock;
let client: KubeClient;
let running: RunningControllers | undefined;
/** Requests by what they are, such as `patch Pod/status`. */
const sent = new Map<string, number>();

function nameOf(call: ClientCall): string {
  if (call.verb === "request") return call.options.path.replace(/^.*\/pods\/[^/]+\//, "bind Pod/");
  if (call.verb === "exec") return "exec";
  const { subresource } = { subresource: undefined, ...call.options };
  return `${call.verb} ${call.type.kind}${subresource === undefined ? "" : `/${subresource}`}`;
}

async function withTime<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const noted = work.finally(() => (isDone = true));
  await clock.advanceUntil(() => isDone);
  return noted;
}

async function start(): Promise<void> {
  clock = createVirtualClock();
  const random = seededRandom(1);
  const core = createApiCore({ clock, random, log: silentLogger });
  client = createCoreClient({ core, userAgent: "somebody" });
  const counting = layered(createCoreClient({ core, userAgent: "controllers", user: controllersUser }), {
    place: "life",
    request(call, send) {
      const name = nameOf(call);
      sent.set(name, (sent.get(name) ?? 0) + 1);
      return send(call);
    },
  });
  const pods = createSimulatedPods();
  running = await withTime(startControllers({ client: counting, clock, random, log: silentLogger, pods }));
  // What every cluster begins with is made.
  await clock.advance(5_000);
}

/** The requests that something causes until nothing follows any more. */
async function requestsOf(cause: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  sent.clear();
  await cause();
  await clock.advance(60_000);
  return Object.fromEntries(sent);
}

afterEach(async () => {
  if (running !== undefined) await withTime(running.stop());
  running = undefined;
});

const key = { namespace: "default", name: "web" };
const labels = { app: "web" };

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: key,
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
  },
};
const roll = (image: string) =>
  client.patch(Deployment, key, {
    type: "strategic",
    body: { spec: { template: { spec: { containers: [{ name: "web", image }] } } } },
  });

it("a Deployment of three pods takes no more requests than it needs to come up, to be rolled and to go", async () => {
  await start();
  expect(await requestsOf(() => client.create(Deployment, deployment))).toEqual({
    "create ReplicaSet": 1,
    "create Pod": 3,
    "bind Pod/binding": 3,
    // That it is there, and that it is ready.
    "patch Pod/status": 6,
    // Without pods, with them, and with each that is ready.
    "update ReplicaSet/status": 5,
    "update Deployment/status": 6,
    "create Event": 4,
  });
  expect(await requestsOf(() => roll("web:2"))).toEqual({
    "create ReplicaSet": 1,
    // Three times one more of the new and one less of the old; the first of the new comes with its creation.
    "patch ReplicaSet": 5,
    "create Pod": 3,
    "bind Pod/binding": 3,
    // Each new one twice, and of each old one how it ended.
    "patch Pod/status": 9,
    // Each old one is deleted by its ReplicaSet, and removed by its node.
    "delete Pod": 6,
    "update ReplicaSet/status": 15,
    "update Deployment/status": 11,
    "create Event": 12,
  });
  const gone = await requestsOf(() => client.delete(Deployment, key));
  expect(gone).toMatchObject({ "delete ReplicaSet": 2, "delete Pod": 6, "patch Pod/status": 3 });
});

it("a Service takes two requests for each change of what stands behind it", async () => {
  await start();
  const service = { metadata: key, spec: { selector: labels, ports: [{ port: 80 }] } };
  await requestsOf(() => client.create(Service, { apiVersion: "v1", kind: "Service", ...service }));
  const endpointsOf = (requests: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(requests).filter(([name]) => name.includes("Endpoint")));
  // Each pod that is ready.
  const up = await requestsOf(() => client.create(Deployment, deployment));
  expect(endpointsOf(up)).toEqual({ "update Endpoints": 3, "update EndpointSlice": 3 });
  // Each new one that is ready, and each old one that is to go and is gone.
  const rolled = await requestsOf(() => roll("web:2"));
  expect(endpointsOf(rolled)).toEqual({ "update Endpoints": 9, "update EndpointSlice": 9 });
});
