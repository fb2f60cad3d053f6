// What is seen of a node that is lost and comes back: the words are those of kube-controller-manager and of the scheduler. On a virtual clock.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import type { SimulatedPods } from "../../../../src/cluster/pods/simulated/simulated-pods.ts";
import { Deployment } from "../../../../src/kinds/builtin/apps.ts";
import { builtin } from "../../../../src/kinds/builtin/builtin-type.ts";
import { Node, Pod } from "../../../../src/kinds/builtin/core.ts";
import type { NamespacedObject } from "../../../../src/meta/object.ts";
import type { VirtualClock } from "../../../../src/testing/virtual-clock.ts";
import { startScriptedCluster, type ScriptedCluster } from "./support/scripted-cluster.ts";

interface CoreEvent extends NamespacedObject {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly name: string };
}

const CoreEvents = builtin<CoreEvent>("v1", "Event", "events");
const script = "node: { lostAfter: 2m, backAfter: 10m }";
const nodeName = "xstate-operator-node";

let cluster: ScriptedCluster;
let clock: VirtualClock;
let client: KubeClient;
let pods: SimulatedPods;

beforeEach(async () => {
  cluster = await startScriptedCluster(script);
  ({ clock, client, pods } = cluster);
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "app:1" }] } };
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "default", name: "web" },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  });
  await clock.advance(60_000);
});

afterEach(() => cluster.stop());

const node = () => client.get(Node, { name: nodeName });
const readyNode = async () => (await node()).status?.conditions?.find(({ type }) => type === "Ready");
const listed = async () => (await client.list(Pod, { namespace: "default" })).items;
const conditionOf = (pod: Pod, type: string) => pod.status?.conditions?.find((each) => each.type === type);
const reasonsOf = async (name: string) =>
  (await client.list(CoreEvents, { namespace: "default" })).items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);

describe("a node that is lost", () => {
  it("is Unknown and tainted, and its pods are not ready", async () => {
    expect(await readyNode()).toMatchObject({ status: "True" });
    await clock.advance(61_000);
    expect(await readyNode()).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    expect((await node()).spec?.taints?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    const [pod, other] = await listed();
    for (const each of [pod, other]) expect(conditionOf(each as Pod, "Ready")?.status).toBe("False");
    expect(pod?.status?.phase).toBe("Running");
    expect(await reasonsOf((pod as Pod).metadata.name)).toEqual(["NodeNotReady: Node is not ready"]);
    expect(await reasonsOf(nodeName)).toEqual([`NodeNotReady: Node ${nodeName} status is now: NodeNotReady`]);
    expect((await client.get(Deployment, { namespace: "default", name: "web" })).status).toMatchObject({
      unavailableReplicas: 2,
    });
  });

  it("keeps its pods for as long as they tolerate it; what replaces them waits for a node", async () => {
    const before = (await listed()).map(({ metadata: { name } }) => name);
    await clock.advance(60_000 + 299_000);
    expect((await listed()).map(({ metadata: { name } }) => name)).toEqual(before);
    await clock.advance(2_000);
    const all = await listed();
    const old = all.filter(({ metadata: { name } }) => before.includes(name));
    const fresh = all.filter(({ metadata: { name } }) => !before.includes(name));
    expect([old.length, fresh.length]).toEqual([2, 2]);
    for (const pod of old) {
      expect(pod.metadata.deletionTimestamp).toBeDefined();
      expect(conditionOf(pod, "DisruptionTarget")).toMatchObject({
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
      });
      const { name } = pod.metadata;
      expect(await reasonsOf(name)).toContain(
        `TaintManagerEviction: Marking for deletion Pod default/${name}`,
      );
    }
    for (const pod of fresh) {
      expect(pod.status?.phase).toBe("Pending");
      expect(conditionOf(pod, "PodScheduled")).toMatchObject({ status: "False", reason: "Unschedulable" });
      expect((await reasonsOf(pod.metadata.name)).join()).toMatch(
        /^FailedScheduling: 0\/1 nodes are available/,
      );
    }
    // They end when somebody can end them.
    await clock.advance(200_000);
    expect(await listed()).toHaveLength(4);
  });

  it("ends what was deleted and runs what waited, once it is back", async () => {
    const before = (await listed()).map(({ metadata: { name } }) => name);
    await clock.advance(60_000 + 610_000);
    const after = await listed();
    expect(after).toHaveLength(2);
    for (const pod of after) {
      expect(before).not.toContain(pod.metadata.name);
      expect(conditionOf(pod, "Ready")?.status).toBe("True");
      expect(conditionOf(pod, "PodScheduled")).toMatchObject({ status: "True" });
    }
    expect(await readyNode()).toMatchObject({ status: "True", reason: "KubeletReady" });
    expect((await node()).spec?.taints).toBeUndefined();
  });

  it("has its pods ready again when it is back before they are deleted", async () => {
    const before = (await listed()).map(({ metadata: { uid } }) => uid);
    const restore = pods.loseNode();
    await clock.advance(5_000);
    const readiness = async () => (await listed()).map((pod) => conditionOf(pod, "Ready")?.status);
    expect(await readiness()).toEqual(["False", "False"]);
    restore();
    await clock.advance(5_000);
    expect(await readiness()).toEqual(["True", "True"]);
    expect((await listed()).map(({ metadata: { uid } }) => uid)).toEqual(before);
    expect((await node()).spec?.taints).toBeUndefined();
  });
});
