import { describe, expect, it } from "vitest";
import { planDaemonSet } from "../../../../src/cluster/controllers/daemon-set/daemon-plan.ts";
import { daemonStatus } from "../../../../src/cluster/controllers/daemon-set/daemon-status.ts";
import { fitOf } from "../../../../src/cluster/controllers/node/node-fit.ts";
import type { DaemonSet } from "../../../../src/kinds/builtin/apps.ts";
import type { Node, Pod } from "../../../../src/kinds/builtin/core.ts";
import type { PodSpec } from "../../../../src/kinds/builtin/parts.ts";

const now = Date.parse("2030-01-01T00:10:00Z");
const node = (name: string, spec: object = {}, labels: object = {}): Node =>
  ({ metadata: { name, labels }, spec }) as unknown as Node;
const set = (updateStrategy: object = {}): DaemonSet =>
  ({
    metadata: { name: "d", generation: 3 },
    spec: { template: { spec: {} }, updateStrategy },
  }) as unknown as DaemonSet;
interface PodState {
  readonly hash?: string;
  readonly ready?: boolean;
  readonly phase?: string;
  readonly ends?: boolean;
  readonly age?: number;
}
const pod = (
  name: string,
  on: string,
  { hash = "new", ready = true, phase = "Running", ends = false, age = 1 }: PodState = {},
): Pod =>
  ({
    metadata: {
      name,
      labels: { "controller-revision-hash": hash },
      creationTimestamp: `2030-01-01T00:0${9 - age}:00Z`,
      ...(ends ? { deletionTimestamp: "2030-01-01T00:09:59Z" } : {}),
    },
    spec: { nodeName: on },
    status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  }) as unknown as Pod;
const plan = (of: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]) => {
  const { create, delete: remove } = planDaemonSet({ set: of, nodes, pods, hash: "new", now });
  return { create, delete: remove.map(({ metadata }) => metadata.name) };
};
const three = [node("a"), node("b"), node("c")];
const old = (name: string, on: string, more: PodState = {}): Pod => pod(name, on, { hash: "old", ...more });

describe("the plan of a daemon set", () => {
  it.each([
    ["makes a pod on each node", set(), three, [pod("p", "b")], { create: ["a", "c"], delete: [] }],
    [
      "waits for a pod that ends",
      set(),
      [node("a")],
      [pod("p", "a", { ends: true })],
      { create: [], delete: [] },
    ],
    [
      "removes pods that have ended, of several the younger ones, and those of nodes that are gone",
      set(),
      [node("a"), node("b")],
      [
        pod("p", "a", { phase: "Failed" }),
        pod("q", "b", { age: 2 }),
        pod("r", "b", { age: 1 }),
        pod("s", "gone"),
      ],
      { create: [], delete: ["s", "p", "r"] },
    ],
    [
      "replaces one pod at a time",
      set(),
      three,
      [old("p", "a"), old("q", "b"), old("r", "c")],
      { create: [], delete: ["p"] },
    ],
    [
      "replaces none while one is missing, but those that are not available themselves",
      set(),
      three,
      [old("p", "a"), old("q", "b", { ready: false }), old("r", "c")],
      { create: [], delete: ["q"] },
    ],
    [
      "replaces as many as may be unavailable",
      set({ rollingUpdate: { maxUnavailable: "50%" } }),
      three,
      [old("p", "a"), old("q", "b"), old("r", "c")],
      { create: [], delete: ["p", "q"] },
    ],
    [
      "makes the new pod first where more are allowed, and removes the old one when that is available",
      set({ rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } }),
      three,
      [old("p", "a"), old("q", "b"), pod("q2", "b"), old("r", "c"), pod("r2", "c", { ready: false })],
      { create: [], delete: ["q"] },
    ],
    [
      "begins with as many as are allowed",
      set({ rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } }),
      three,
      [old("p", "a"), old("q", "b"), old("r", "c")],
      { create: ["a", "b"], delete: [] },
    ],
    [
      "leaves old pods where they are deleted by hand",
      set({ type: "OnDelete" }),
      three,
      [old("p", "a"), old("q", "b"), old("r", "c")],
      { create: [], delete: [] },
    ],
    [
      "leaves pods of a node that takes no new ones, and removes those of one that takes none at all",
      set(),
      [
        node("a", { taints: [{ key: "k", effect: "NoSchedule" }] }),
        node("b", { taints: [{ key: "k", effect: "NoExecute" }] }),
      ],
      [pod("p", "a"), pod("q", "b")],
      { create: [], delete: ["q"] },
    ],
  ])("%s", (_what, of, nodes, pods, expected) => {
    expect(plan(of, nodes, pods)).toEqual(expected);
  });

  it("leads to a status that counts nodes", () => {
    const nodes = [...three, node("d", { taints: [{ key: "k", effect: "NoSchedule" }] })];
    const pods = [pod("p", "a"), old("q", "b", { ready: false }), pod("r", "d")];
    expect(daemonStatus({ set: set(), nodes, pods, hash: "new", now, collisionCount: 0 })).toEqual({
      currentNumberScheduled: 2,
      desiredNumberScheduled: 3,
      numberMisscheduled: 1,
      numberReady: 1,
      observedGeneration: 3,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberUnavailable: 2,
    });
  });

  it("counts the oldest pod of a node, while another comes to take its place", () => {
    const pods = [old("p", "a", { age: 2 }), pod("q", "a")];
    const status = daemonStatus({
      set: set(),
      nodes: [node("a")],
      pods,
      hash: "new",
      now,
      collisionCount: 0,
    });
    expect(status).toMatchObject({ numberReady: 1, numberAvailable: 1 });
    expect(status.updatedNumberScheduled).toBeUndefined();
  });
});

describe("a template and a node", () => {
  const required = (...nodeSelectorTerms: readonly object[]): PodSpec =>
    ({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    }) as unknown as PodSpec;
  const expression = (key: string, operator: string, ...values: readonly string[]) => ({
    matchExpressions: [{ key, operator, values }],
  });
  const here = node(
    "n",
    { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] },
    { disk: "ssd", cores: "8" },
  );
  const tolerant = { tolerations: [{ key: "k", value: "v", effect: "NoSchedule" }] };
  it.each([
    ["tolerates nothing", {}, false],
    ["tolerates the taint", tolerant, true],
    ["tolerates another value", { tolerations: [{ key: "k", value: "w" }] }, false],
    ["tolerates everything", { tolerations: [{ operator: "Exists" }] }, true],
    ["names the node", { ...tolerant, nodeName: "n" }, true],
    ["names another node", { ...tolerant, nodeName: "m" }, false],
    ["selects it", { ...tolerant, nodeSelector: { disk: "ssd" } }, true],
    ["selects others", { ...tolerant, nodeSelector: { disk: "hdd" } }, false],
    [
      "fulfils one of the terms",
      { ...tolerant, ...required(expression("disk", "In", "hdd"), expression("cores", "Gt", "4")) },
      true,
    ],
    [
      "fulfils none of the terms",
      { ...tolerant, ...required(expression("disk", "NotIn", "ssd"), expression("gpu", "Exists")) },
      false,
    ],
    ["has a term without requirements", { ...tolerant, ...required({}) }, false],
  ])("%s", (_what, spec, runs) => {
    expect(fitOf(spec as unknown as PodSpec, here).runs).toBe(runs);
  });
});
