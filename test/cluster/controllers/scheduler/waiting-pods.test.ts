// Pods for which there is no node: what is said of them, and that they run as soon as there is one. On a virtual clock.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import { builtin } from "../../../../src/kinds/builtin/builtin-type.ts";
import { Node, PersistentVolumeClaim, Pod } from "../../../../src/kinds/builtin/core.ts";
import { PriorityClass } from "../../../../src/kinds/builtin/scheduling.ts";
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

describe("of a priority", () => {
  const asking = (cpu: string) => [{ name: "main", image: "app:1", resources: { requests: { cpu } } }];
  const offer = async (cpu: string): Promise<void> => {
    const allocatable = { cpu, memory: "1Gi", pods: "10" };
    const status = { type: "merge", body: { status: { allocatable } } } as const;
    await client.patch(Node, { name: nodeName }, status, { subresource: "status" });
  };
  const get = (name: string) => client.get(Pod, { namespace: "default", name });

  beforeEach(async () => {
    for (const [name, value, preemptionPolicy] of [
      ["high", 1_000, "PreemptLowerPriority"],
      ["higher", 2_000, "PreemptLowerPriority"],
      ["patient", 3_000, "Never"],
    ] as const) {
      const manifest = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name } };
      await client.create(PriorityClass, { ...manifest, value, preemptionPolicy });
    }
    await offer("1");
  });

  it("run before others that have waited longer", async () => {
    await offer("100m");
    for (const [name, priorityClassName] of [
      ["first", undefined],
      ["second", "high"],
      ["third", "higher"],
    ] as const) {
      const spec = priorityClassName === undefined ? {} : { priorityClassName };
      await create(name, { ...spec, containers: asking("600m") });
      await later();
    }
    await offer("1300m");
    await later();
    expect(await Promise.all(["first", "second", "third"].map(phaseOf))).toEqual([
      "Pending",
      "Running",
      "Running",
    ]);
  });

  it("displace less important ones, and run in their place", async () => {
    await create("low", { containers: asking("600m"), terminationGracePeriodSeconds: 30 });
    cluster.pods.simulate({ name: "low" }, { endAfter: 20_000 });
    await later();
    const { uid } = (await get("low")).metadata;
    await create("high", { containers: asking("600m"), priorityClassName: "high" });
    await later();
    const low = await get("low");
    expect(low.metadata).toMatchObject({ uid, deletionGracePeriodSeconds: 30 });
    expect(low.status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "PreemptionByScheduler",
      message: "default-scheduler: preempting to accommodate a higher priority pod",
    });
    const high = await get("high");
    expect([high.status?.nominatedNodeName, high.status?.phase]).toEqual([nodeName, "Pending"]);
    const told = `default-scheduler | Normal | Preempted | Preempted by pod ${high.metadata.uid} on node ${nodeName}`;
    expect(await toldOf("low")).toContain(told);
    expect(await toldOf("high")).toContain(
      "default-scheduler | Warning | FailedScheduling | 0/1 nodes are available: 1 Insufficient cpu.",
    );
    // Nobody else takes what is being freed, but for what is left of it.
    await create("small", { containers: asking("300m") });
    await create("late", { containers: asking("300m"), priorityClassName: "high" });
    await later();
    expect((await get("late")).status?.nominatedNodeName).toBe(nodeName);
    await clock.advance(30_000);
    expect(await Promise.all(["high", "late", "small"].map(phaseOf))).toEqual([
      "Running",
      "Running",
      "Pending",
    ]);
    expect((await get("high")).status?.nominatedNodeName).toBe(undefined);
    await expect(get("low")).rejects.toMatchObject({ status: 404 });
  });

  it("wait where they displace nobody", async () => {
    await create("low", { containers: asking("600m") });
    await later();
    await create("patient", { containers: asking("600m"), priorityClassName: "patient" });
    await later();
    expect(await Promise.all(["low", "patient"].map(phaseOf))).toEqual(["Running", "Pending"]);
    expect(await scheduled("patient")).toMatchObject({
      message: expect.stringContaining("preemption: not eligible due to preemptionPolicy=Never.") as string,
    });
    await client.delete(Pod, { namespace: "default", name: "low" });
    await later();
    expect(await phaseOf("patient")).toBe("Running");
  });

  it("give up their place for more important ones, and take it when those are gone", async () => {
    await create("low", { containers: asking("600m") });
    cluster.pods.simulate({ name: "low" }, { endAfter: 20_000 });
    await later();
    await create("high", { containers: asking("600m"), priorityClassName: "high" });
    await later();
    await create("higher", { containers: asking("600m"), priorityClassName: "higher" });
    await later();
    expect(
      await Promise.all(["high", "higher"].map(async (name) => (await get(name)).status?.nominatedNodeName)),
    ).toEqual([undefined, nodeName]);
    await client.delete(Pod, { namespace: "default", name: "higher" });
    await clock.advance(30_000);
    expect(await phaseOf("high")).toBe("Running");
  });
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

it("are left alone while another scheduler is to place them, and while a gate holds them back", async () => {
  await create("elsewhere", { schedulerName: "mine" });
  await create("gated", { schedulingGates: [{ name: "example.com/gate" }] });
  await later();
  for (const name of ["elsewhere", "gated"]) {
    const { spec } = await client.get(Pod, { namespace: "default", name });
    expect([spec.nodeName, await toldOf(name)]).toEqual([undefined, []]);
  }
  const body = { spec: { schedulingGates: [] } };
  await client.patch(Pod, { namespace: "default", name: "gated" }, { type: "merge", body });
  await later();
  expect(await phaseOf("gated")).toBe("Running");
});

it("wait for the claims that they use, and run once those are bound", async () => {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  await create("db", { volumes });
  await later();
  const message = `0/1 nodes are available: persistentvolumeclaim "data" not found.${noHelp}`;
  expect(await scheduled("db")).toMatchObject({ status: "False", reason: "Unschedulable", message });
  expect(await toldOf("db")).toEqual([`default-scheduler | Warning | FailedScheduling | ${message}`]);
  await client.create(PersistentVolumeClaim, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "default", name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await later();
  expect(await phaseOf("db")).toBe("Running");
  expect((await toldOf("db")).filter((each) => each.includes("unbound"))).toEqual([]);
});
