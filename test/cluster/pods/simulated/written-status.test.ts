// What the node writes of a pod, field by field, from its first container to its end. On a virtual clock.
import { afterEach, beforeEach, expect, it } from "vitest";
import { Pod } from "../../../../src/kinds/builtin/core.ts";
import { builtin } from "../../../../src/kinds/builtin/builtin-type.ts";
import type { PodSpec } from "../../../../src/kinds/builtin/parts.ts";
import type { NamespacedObject } from "../../../../src/meta/object.ts";
import { startScriptedCluster, type ScriptedCluster } from "./support/scripted-cluster.ts";

interface CoreEvent extends NamespacedObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

const CoreEvents = builtin<CoreEvent>("v1", "Event", "events");
const key = { namespace: "default", name: "app" };
let cluster: ScriptedCluster;

beforeEach(async () => {
  cluster = await startScriptedCluster("pods: [{ match: { labels: { slow: 'yes' } }, startAfter: 1h }]");
});
afterEach(() => cluster.stop());

async function create(spec: Partial<PodSpec>, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  const containers = [{ name: "main", image: "app:1" }];
  await cluster.client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...key, labels },
    spec: { containers, ...spec },
  });
  await cluster.clock.advance(2_000);
}
const statusOf = async () => (await cluster.client.get(Pod, key)).status ?? {};
const conditions = async () =>
  ((await statusOf()).conditions ?? []).map(({ type, status, observedGeneration }) => [
    type,
    status,
    observedGeneration,
  ]);

it("tells of a pod that runs where it is and of which generation that is", async () => {
  await create({});
  const { podIP, hostIP, podIPs, hostIPs, observedGeneration } = await statusOf();
  expect({ podIPs, hostIPs, observedGeneration }).toEqual({
    podIPs: [{ ip: podIP }],
    hostIPs: [{ ip: hostIP }],
    observedGeneration: 1,
  });
  expect(await conditions()).toEqual([
    ["PodReadyToStartContainers", "True", 1],
    ["Initialized", "True", 1],
    ["Ready", "True", 1],
    ["ContainersReady", "True", 1],
    ["PodScheduled", "True", 1],
  ]);
  const patch = { type: "merge", body: { spec: { activeDeadlineSeconds: 3_600 } } } as const;
  await cluster.client.patch(Pod, key, patch);
  await cluster.clock.advance(1_000);
  expect((await statusOf()).observedGeneration).toBe(2);
  expect((await conditions()).map(([, , generation]) => generation)).toEqual([2, 2, 2, 2, 2]);
});

it("says that nothing is there any more in which containers could start, once they are over", async () => {
  await create({ restartPolicy: "Never" });
  await cluster.clock.advance(5_000);
  expect((await statusOf()).phase).toBe("Succeeded");
  expect((await conditions())[0]).toEqual(["PodReadyToStartContainers", "False", 1]);
});

it("says of which generation a pod is for which there is no node", async () => {
  await create({ nodeSelector: { no: "where" } });
  expect(await conditions()).toEqual([["PodScheduled", "False", 1]]);
});

it.each([
  ["App:1", "invalid reference format: repository name (library/App) must be lowercase"],
  ["registry.example.com/Team/app", "invalid reference format: repository name (Team/app) must be lowercase"],
  ["app:one two", "invalid reference format"],
  ["app:", "invalid reference format"],
])("waits with InvalidImageName for the image %s", async (image, fault) => {
  await create({ containers: [{ name: "main", image }] });
  const quoted = JSON.stringify(image);
  const message = `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${fault}`;
  const { phase, containerStatuses } = await statusOf();
  expect([phase, containerStatuses?.[0]?.state]).toEqual([
    "Pending",
    { waiting: { reason: "InvalidImageName", message } },
  ]);
  const events = (await cluster.client.list(CoreEvents, { namespace: "default" })).items;
  expect(events.map(({ type, reason, message: said }) => `${type} ${reason}: ${said}`)).toEqual(
    expect.arrayContaining([`Warning InspectFailed: ${message}`, "Warning Failed: Error: InvalidImageName"]),
  );
});
