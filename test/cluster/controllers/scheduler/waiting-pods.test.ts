// Pods for which there is no node: what is said of them, and that they run as soon as there is one. On a virtual clock.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import { builtin } from "../../../../src/kinds/builtin/builtin-type.ts";
import { Node, Pod } from "../../../../src/kinds/builtin/core.ts";
import type { NamespacedObject } from "../../../../src/meta/object.ts";
import type { VirtualClock } from "../../../../src/testing/virtual-clock.ts";
import { startScriptedCluster, type ScriptedCluster } from "../../pods/simulated/support/scripted-cluster.ts";

interface CoreEvent extends NamespacedObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly name: string };
  readonly source?: { readonly component?: string };
}

const CoreEvents = builtin<CoreEvent>("v1", "Event", "events");
const nodeName = "xstate-operator-node";

let cluster: ScriptedCluster;
let clock: VirtualClock;
let client: KubeClient;

beforeEach(async () => {
  cluster = await startScriptedCluster("pods: []");
  ({ clock, client } = cluster);
});
afterEach(() => cluster.stop());

const create = (name: string, spec: object = {}, labels: object = {}) =>
  client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name, labels: labels as Record<string, string> },
    spec: { containers: [{ name: "main", image: "app:1" }], ...spec },
  });
const change = (spec: object, name = nodeName) =>
  client.patch(Node, { name }, { type: "merge", body: { spec } });
const phaseOf = async (name: string) => (await client.get(Pod, { namespace: "default", name })).status?.phase;
const scheduled = async (name: string) =>
  (await client.get(Pod, { namespace: "default", name })).status?.conditions?.find(
    ({ type }) => type === "PodScheduled",
  );
const toldOf = async (name: string) =>
  (await client.list(CoreEvents, { namespace: "default" })).items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message, source }) => [source?.component, type, reason, message].join(" | "));
/** A second goes by. */
const later = () => clock.advance(1_000);

const noHelp =
  " no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

it("wait with condition and Event while the node is cordoned, and run when it is not", async () => {
  await change({ unschedulable: true });
  await later();
  expect((await client.get(Node, { name: nodeName })).spec?.taints).toMatchObject([
    { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
  ]);
  await create("waits");
  await later();
  const message = `0/1 nodes are available: 1 node(s) were unschedulable.${noHelp}`;
  expect(await scheduled("waits")).toMatchObject({ status: "False", reason: "Unschedulable", message });
  expect(await phaseOf("waits")).toBe("Pending");
  expect(await toldOf("waits")).toEqual([`default-scheduler | Warning | FailedScheduling | ${message}`]);
  await change({ unschedulable: null });
  await later();
  expect(await phaseOf("waits")).toBe("Running");
  expect(await scheduled("waits")).toMatchObject({ status: "True" });
  expect((await client.get(Node, { name: nodeName })).spec?.taints).toBe(undefined);
});

it("say something else when something else is in the way, once", async () => {
  await change({ taints: [{ key: "k", effect: "NoSchedule" }] });
  await create("waits", { nodeSelector: { disk: "fast" } });
  await later();
  await change({ taints: null });
  await later();
  await client.patch(
    Node,
    { name: nodeName },
    { type: "merge", body: { metadata: { labels: { more: "1" } } } },
  );
  await later();
  expect(await toldOf("waits")).toEqual([
    expect.stringContaining("1 node(s) had untolerated taint(s)."),
    expect.stringContaining("1 node(s) didn't match Pod's node affinity/selector."),
  ]);
  await client.patch(
    Node,
    { name: nodeName },
    { type: "merge", body: { metadata: { labels: { disk: "fast" } } } },
  );
  await later();
  expect(await phaseOf("waits")).toBe("Running");
});

it("wait for others to go where resources are short", async () => {
  const allocatable = { cpu: "1", memory: "1Gi", pods: "10" };
  const status = { type: "merge", body: { status: { allocatable } } } as const;
  await client.patch(Node, { name: nodeName }, status, { subresource: "status" });
  const containers = [{ name: "main", image: "app:1", resources: { requests: { cpu: "600m" } } }];
  await create("first", { containers });
  await create("second", { containers });
  await later();
  expect(await Promise.all(["first", "second"].map(phaseOf))).toEqual(["Running", "Pending"]);
  expect(await scheduled("second")).toMatchObject({
    message: expect.stringContaining("0/1 nodes are available: 1 Insufficient cpu.") as string,
  });
  await client.delete(Pod, { namespace: "default", name: "first" });
  await later();
  expect(await phaseOf("second")).toBe("Running");
});

it("are evicted by a taint, at once or when their time is over, unless it goes before", async () => {
  const toleration = { key: "k", operator: "Exists", effect: "NoExecute" };
  await create("goes");
  await create("stays", { tolerations: [toleration] });
  await create("leaves", { tolerations: [{ ...toleration, tolerationSeconds: 30 }] });
  await create("remains", { tolerations: [{ ...toleration, tolerationSeconds: 90 }] });
  await later();
  await change({ taints: [{ key: "k", effect: "NoExecute" }] });
  await later();
  const names = async () =>
    (await client.list(Pod, { namespace: "default" })).items.map((pod) => pod.metadata.name);
  expect(await names()).toEqual(["leaves", "remains", "stays"]);
  expect(await toldOf("goes")).toContain(
    "taint-eviction-controller | Normal | TaintManagerEviction | Marking for deletion Pod default/goes",
  );
  await clock.advance(31_000);
  expect(await names()).toEqual(["remains", "stays"]);
  await change({ taints: null });
  await clock.advance(120_000);
  expect(await names()).toEqual(["remains", "stays"]);
  expect(await toldOf("remains")).toContain(
    "taint-eviction-controller | Normal | TaintManagerEviction | Cancelling deletion of Pod default/remains",
  );
});

it("run on any node that says that its pods are run here", async () => {
  await client.create(Node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: "second",
      labels: { "kubernetes.io/hostname": "second" },
      annotations: { "xstate-operator.dev/pod-runtime": "simulated" },
    },
  });
  const status = { type: "merge", body: { status: { allocatable: { cpu: "1", pods: "10" } } } } as const;
  await client.patch(Node, { name: "second" }, status, { subresource: "status" });
  const labelSelector = { matchLabels: { app: "web" } };
  const term = { labelSelector, topologyKey: "kubernetes.io/hostname" };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  for (const name of ["one", "two", "three"]) await create(name, { affinity }, { app: "web" });
  await later();
  const found = (await client.list(Pod, { namespace: "default" })).items;
  expect(
    found.map(({ metadata, spec, status: said }) => [metadata.name, spec.nodeName, said?.phase]),
  ).toEqual([
    ["one", nodeName, "Running"],
    ["three", undefined, "Pending"],
    ["two", "second", "Running"],
  ]);
});
