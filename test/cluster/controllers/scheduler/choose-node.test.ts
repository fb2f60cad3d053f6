// Where the scheduler puts a pod, and what it says where there is no place, in the words of kube-scheduler.
import { expect, it } from "vitest";
import { chooseNode } from "../../../../src/cluster/controllers/scheduler/choose-node.ts";
import { NominatedPods } from "../../../../src/cluster/controllers/scheduler/nominated-pods.ts";
import { PlacedPods } from "../../../../src/cluster/controllers/scheduler/placed-pods.ts";
import type { Node, Pod } from "../../../../src/kinds/builtin/core.ts";

const help = (no: string, count: number): string =>
  ` no new claims to deallocate, preemption: 0/${count} nodes are available: ${no}.`;
const notHelpful = "Preemption is not helpful for scheduling";
const noVictims = "No preemption victims found for incoming pod";

function node(name: string, more: object = {}, labels: object = {}, allocatable: object = {}): Node {
  return {
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, ...labels },
      annotations: { "xstate-operator.dev/pod-runtime": "simulated" },
    },
    spec: more,
    status: { allocatable: { cpu: "2", memory: "1Gi", pods: "10", ...allocatable } },
  } as unknown as Node;
}

let uid = 0;
function pod(spec: object = {}, labels: object = {}, more: object = {}): Pod {
  uid += 1;
  return {
    metadata: { name: `pod-${uid}`, namespace: "default", uid: String(uid), labels, generation: 1, ...more },
    spec: { containers: [{ name: "main" }], ...spec },
  } as unknown as Pod;
}

const asking = (requests: object, more: object = {}): Pod =>
  pod({ containers: [{ name: "main", resources: { requests } }], ...more });

const apart = (labels: object, topologyKey = "kubernetes.io/hostname") => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: labels }, topologyKey },
      ],
    },
  },
});
const beside = (labels: object) => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: labels }, topologyKey: "kubernetes.io/hostname" },
      ],
    },
  },
});
const spread = (labels: object, more: object = {}) => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: labels },
      ...more,
    },
  ],
});
const onNodes = (...names: string[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: names }] }],
      },
    },
  },
});
const hostPort = (port: number, hostIP?: string) =>
  pod({ containers: [{ name: "main", ports: [{ containerPort: 80, hostPort: port, hostIP }] }] });

const taint = (effect: string) => ({ taints: [{ key: "k", value: "v", effect }] });
const web = { app: "web" };

/** What is decided for a pod on nodes of which some have pods already. */
function decide(
  waiting: Pod,
  nodes: readonly Node[],
  there: readonly (readonly [Pod, string])[] = [],
): string {
  const placed = new PlacedPods();
  for (const [other, name] of there) placed.assume(other, name);
  const choice = chooseNode(waiting, {
    nodes,
    placed,
    nominated: new NominatedPods(),
    budgets: [],
    labelsOfNamespace: (name) => ({ team: name }),
  });
  return "node" in choice ? choice.node : choice.message;
}

it.each([
  ["no node", pod(), [], "no nodes available to schedule pods"],
  ["a node", pod(), [node("a")], "a"],
  [
    "a cordoned node",
    pod(),
    [node("a", { unschedulable: true, ...taint("NoSchedule") })],
    `0/1 nodes are available: 1 node(s) were unschedulable.${help(`1 ${notHelpful}`, 1)}`,
  ],
  [
    "a cordoned node for a pod that tolerates it",
    pod({
      tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" }],
    }),
    [node("a", { unschedulable: true })],
    "a",
  ],
  [
    "taints",
    pod(),
    [node("a", taint("NoSchedule")), node("b", taint("NoExecute"))],
    `0/2 nodes are available: 2 node(s) had untolerated taint(s).${help(`2 ${notHelpful}`, 2)}`,
  ],
  [
    "a tolerated taint",
    pod({ tolerations: [{ key: "k", value: "v" }] }),
    [node("a", taint("NoSchedule"))],
    "a",
  ],
  ["a taint to be avoided", pod(), [node("a", taint("PreferNoSchedule")), node("b")], "b"],
  ["nothing but a taint to be avoided", pod(), [node("a", taint("PreferNoSchedule"))], "a"],
  [
    "another selector",
    pod({ nodeSelector: { disk: "fast" } }),
    [node("a"), node("b", {}, { disk: "slow" })],
    `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.${help(`2 ${notHelpful}`, 2)}`,
  ],
  [
    "its selector",
    pod({ nodeSelector: { disk: "fast" } }),
    [node("a"), node("b", {}, { disk: "fast" })],
    "b",
  ],
  [
    "a node of its name that does not take it",
    pod(onNodes("b")),
    [node("a"), node("b", { unschedulable: true })],
    `0/2 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity], 1 node(s) were unschedulable.${help(`2 ${notHelpful}`, 2)}`,
  ],
  [
    "too little of everything",
    asking({ cpu: "3", memory: "2Gi", "example.com/gpu": "1" }),
    [node("a")],
    `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient example.com/gpu, 1 Insufficient memory.${help(`1 ${notHelpful}`, 1)}`,
  ],
  [
    "a pod that displaces nobody",
    pod({ nodeSelector: { disk: "fast" }, preemptionPolicy: "Never" }),
    [node("a")],
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  ],
  [
    "a label that spreading needs",
    pod(spread(web), web),
    [node("a")],
    `0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).${help(`1 ${notHelpful}`, 1)}`,
  ],
  [
    "nobody to be beside",
    pod(beside({ app: "other" }), web),
    [node("a")],
    `0/1 nodes are available: 1 node(s) didn't match pod affinity rules.${help(`1 ${notHelpful}`, 1)}`,
  ],
  ["nobody but itself to be beside", pod(beside(web), web), [node("a")], "a"],
] as readonly (readonly [string, Pod, readonly Node[], string])[])(
  "decides for %s",
  (_, waiting, nodes, decision) => {
    expect(decide(waiting, nodes)).toBe(decision);
  },
);

const full = help(`1 ${noVictims}`, 1);
const zones = [node("a", {}, { zone: "one" }), node("b", {}, { zone: "two" })];

it.each([
  [
    "what pods have requested",
    asking({ cpu: "1500m" }),
    [node("a")],
    [[asking({ cpu: "600m" }), "a"]],
    `0/1 nodes are available: 1 Insufficient cpu.${full}`,
  ],
  ["what is left", asking({ cpu: "1400m" }), [node("a")], [[asking({ cpu: "600m" }), "a"]], "a"],
  [
    "the number of pods",
    pod(),
    [node("a", {}, {}, { pods: "1" })],
    [[pod(), "a"]],
    `0/1 nodes are available: 1 Too many pods.${full}`,
  ],
  ["the emptier node", pod(), [node("a"), node("b")], [[pod(), "a"]], "b"],
  [
    "a port that is taken",
    hostPort(80),
    [node("a")],
    [[hostPort(80, "127.0.0.1"), "a"]],
    `0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.${full}`,
  ],
  [
    "a port of another address",
    hostPort(80, "10.0.0.1"),
    [node("a")],
    [[hostPort(80, "127.0.0.1"), "a"]],
    "a",
  ],
  [
    "pods that it avoids",
    pod(apart(web), web),
    [node("a")],
    [[pod({}, web), "a"]],
    `0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.${full}`,
  ],
  ["another place than theirs", pod(apart(web), web), [node("a"), node("b")], [[pod({}, web), "a"]], "b"],
  [
    "pods that avoid it",
    pod({}, web),
    [node("a")],
    [[pod(apart(web)), "a"]],
    `0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.${full}`,
  ],
  [
    "pods of another namespace that it does not mean",
    pod(apart(web), web),
    [node("a")],
    [[pod({}, web, { namespace: "other" }), "a"]],
    "a",
  ],
  ["pods that it is to be beside", pod(beside(web)), [node("a"), node("b")], [[pod({}, web), "b"]], "b"],
  ["spreading", pod(spread(web), web), zones, [[pod({}, web), "a"]], "b"],
  [
    "spreading over places of which one takes nobody",
    pod(spread(web), web),
    [zones[0], node("b", { unschedulable: true }, { zone: "two" })],
    [[pod({}, web), "a"]],
    `0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 1 ${noVictims}, 1 ${notHelpful}.`,
  ],
  [
    "spreading over fewer places than there must be",
    pod(spread(web, { minDomains: 2 }), web),
    [zones[0]],
    [[pod({}, web), "a"]],
    `0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints.${full}`,
  ],
] as unknown as readonly (readonly [
  string,
  Pod,
  readonly Node[],
  readonly (readonly [Pod, string])[],
  string,
])[])("considers %s", (_, waiting, nodes, there, decision) => {
  expect(decide(waiting, nodes, there)).toBe(decision);
});

it("frees what a pod has taken when it ends, and counts what it asks for later", () => {
  const placed = new PlacedPods();
  const first = asking({ cpu: "1" }, { nodeName: "a" });
  expect(placed.see(first)).toBe(true);
  expect(placed.see(first)).toBe(false);
  expect(placed.requestedOn("a").get("cpu")).toBe(1_000_000_000n);
  const { containers } = asking({ cpu: "1500m" }).spec;
  const grown = {
    ...first,
    metadata: { ...first.metadata, generation: 2 },
    spec: { ...first.spec, containers },
  };
  expect(placed.see(grown as Pod)).toBe(true);
  expect(placed.requestedOn("a").get("cpu")).toBe(1_500_000_000n);
  expect(placed.see({ ...grown, status: { phase: "Succeeded" } })).toBe(true);
  expect([placed.requestedOn("a").get("cpu"), placed.on("a").size]).toEqual([0n, 0]);
});
