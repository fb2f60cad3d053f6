// Who has to go so that a more important pod finds a place, and what is said where nobody has to.
import { expect, it } from "vitest";
import { chooseNode } from "../../../../src/cluster/controllers/scheduler/choose-node.ts";
import { NominatedPods } from "../../../../src/cluster/controllers/scheduler/nominated-pods.ts";
import { PlacedPods } from "../../../../src/cluster/controllers/scheduler/placed-pods.ts";
import type { Node, Pod } from "../../../../src/kinds/builtin/core.ts";
import type { PodDisruptionBudget } from "../../../../src/kinds/builtin/policy.ts";

const node = (name: string, cpu = "1", spec: object = {}): Node =>
  ({
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    spec,
    status: { allocatable: { cpu, memory: "1Gi", pods: "10" } },
  }) as unknown as Node;

/** A pod of a priority that asks for so many thousandths of a CPU. */
const pod = (
  name: string,
  priority: number,
  cpu: number,
  { spec = {}, status = {}, ...metadata }: { spec?: object; status?: object; [field: string]: unknown } = {},
): Pod =>
  ({
    metadata: { name, namespace: "default", uid: name, generation: 1, ...metadata },
    spec: {
      priority,
      containers: [{ name: "main", resources: { requests: { cpu: `${cpu}m` } } }],
      ...spec,
    },
    status,
  }) as unknown as Pod;

const budget = (labels: object, disruptionsAllowed: number, more: object = {}): PodDisruptionBudget =>
  ({
    metadata: { name: "budget", namespace: "default" },
    spec: { selector: { matchLabels: labels } },
    status: { disruptionsAllowed, ...more },
  }) as unknown as PodDisruptionBudget;

interface Situation {
  readonly nodes?: readonly Node[];
  readonly there?: readonly (readonly [string, Pod])[];
  readonly nominated?: readonly Pod[];
  readonly budgets?: readonly PodDisruptionBudget[];
}

/** The node, or the nominated node and who has to go from there, or what is said. */
function decide(waiting: Pod, { nodes = [node("a")], there = [], ...more }: Situation): unknown {
  const placed = new PlacedPods();
  for (const [name, other] of there) placed.assume(other, name);
  const nominated = new NominatedPods();
  for (const each of more.nominated ?? []) nominated.see(each);
  const choice = chooseNode(waiting, {
    nodes,
    placed,
    nominated,
    budgets: more.budgets ?? [],
    labelsOfNamespace: () => ({}),
  });
  if ("node" in choice) return choice.node;
  if (choice.nominated === undefined || choice.nominated === "") return choice.message;
  return { on: choice.nominated, victims: choice.victims.map(({ metadata }) => metadata.name) };
}

const high = pod("high", 100, 600);
const started = (time: string) => ({ status: { startTime: `2026-01-01T00:0${time}Z` } });
const nominatedFor = (name: string, priority: number, cpu: number, nominatedNodeName = "a"): Pod =>
  pod(name, priority, cpu, { status: { nominatedNodeName } });
const web = { labels: { app: "web" } };
const alone = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: ";
const leaving = pod("leaving", 0, 600, {
  deletionTimestamp: "2026-01-01T00:00:00Z",
  status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
});

it.each<readonly [string, Pod, Situation, unknown]>([
  ["one that is less important", high, { there: [["a", pod("low", 0, 600)]] }, { on: "a", victims: ["low"] }],
  [
    "none that is as important",
    high,
    { there: [["a", pod("same", 100, 600)]] },
    `${alone}0/1 nodes are available: 1 No preemption victims found for incoming pod.`,
  ],
  [
    "none where it would not be enough",
    high,
    {
      there: [
        ["a", pod("same", 100, 600)],
        ["a", pod("low", 0, 300)],
      ],
    },
    `${alone}0/1 nodes are available: 1 Insufficient cpu.`,
  ],
  [
    "none for a pod that displaces nobody",
    pod("high", 100, 600, { spec: { preemptionPolicy: "Never" } }),
    { there: [["a", pod("low", 0, 600)]] },
    `${alone}not eligible due to preemptionPolicy=Never.`,
  ],
  [
    "none where the pod could never be",
    high,
    {
      nodes: [node("a", "1", { unschedulable: true }), node("b", "500m")],
      there: [
        ["a", pod("low", 0, 600)],
        ["b", pod("low", 0, 100)],
      ],
    },
    "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  ],
  [
    "as few as it takes, the least important",
    high,
    {
      there: [
        ["a", pod("one", 1, 300)],
        ["a", pod("two", 2, 300)],
        ["a", pod("three", 3, 300)],
      ],
    },
    { on: "a", victims: ["two", "one"] },
  ],
  [
    "both of equal ones where one is not enough",
    high,
    {
      there: [
        ["a", pod("older", 0, 450, started("1:00"))],
        ["a", pod("newer", 0, 450, started("2:00"))],
      ],
    },
    { on: "a", victims: ["older", "newer"] },
  ],
  [
    "of equal ones that which has run for less long",
    pod("high", 100, 500),
    {
      there: [
        ["a", pod("newer", 0, 450, started("2:00"))],
        ["a", pod("older", 0, 450, started("1:00"))],
      ],
    },
    { on: "a", victims: ["newer"] },
  ],
  [
    "not one whom a budget protects, though it is less important",
    pod("high", 100, 500),
    {
      there: [
        ["a", pod("guarded", 1, 450, web)],
        ["a", pod("free", 2, 450)],
      ],
      budgets: [budget(web.labels, 0)],
    },
    { on: "a", victims: ["free"] },
  ],
  [
    "one whom a budget protects where nobody else can go",
    high,
    { there: [["a", pod("guarded", 0, 600, web)]], budgets: [budget(web.labels, 0)] },
    { on: "a", victims: ["guarded"] },
  ],
  [
    "as many as a budget allows",
    pod("high", 100, 500),
    {
      nodes: [node("a"), node("b")],
      there: [
        ["a", pod("first", 0, 600, web)],
        ["b", pod("second", 50, 600)],
      ],
      budgets: [budget(web.labels, 1)],
    },
    { on: "a", victims: ["first"] },
  ],
  [
    "rather an important one than one whom a budget protects",
    high,
    {
      nodes: [node("a"), node("b")],
      there: [
        ["a", pod("guarded", 0, 600, web)],
        ["b", pod("important", 50, 600)],
      ],
      budgets: [budget(web.labels, 0)],
    },
    { on: "b", victims: ["important"] },
  ],
  [
    "one that its budget knows to go already",
    high,
    {
      nodes: [node("a"), node("b")],
      there: [
        ["a", pod("going", 0, 600, web)],
        ["b", pod("other", 10, 600)],
      ],
      budgets: [budget(web.labels, 0, { disruptedPods: { going: "2026-01-01T00:00:00Z" } })],
    },
    { on: "a", victims: ["going"] },
  ],
  [
    "the least important on any node",
    high,
    {
      nodes: [node("a"), node("b")],
      there: [
        ["a", pod("ten", 10, 600)],
        ["b", pod("five", 5, 600)],
      ],
    },
    { on: "b", victims: ["five"] },
  ],
  [
    "fewer rather than more",
    pod("high", 100, 900),
    {
      nodes: [node("a"), node("b")],
      there: [
        ["a", pod("one", 0, 300)],
        ["a", pod("two", 0, 300)],
        ["b", pod("all", 0, 600)],
      ],
    },
    { on: "b", victims: ["all"] },
  ],
  [
    "those that started last, of nodes that are alike",
    high,
    {
      nodes: [node("a"), node("b")],
      there: [
        ["a", pod("older", 0, 600, started("1:00"))],
        ["b", pod("newer", 0, 600, started("2:00"))],
      ],
    },
    { on: "b", victims: ["newer"] },
  ],
  [
    "nobody while those leave who were asked to",
    pod("high", 100, 600, { status: { nominatedNodeName: "a" } }),
    { there: [["a", leaving]] },
    `${alone}not eligible due to a terminating pod on the nominated node.`,
  ],
  [
    "others where the nominated node will not do any more",
    pod("high", 100, 600, { status: { nominatedNodeName: "a" } }),
    {
      nodes: [node("a", "1", { unschedulable: true }), node("b")],
      there: [
        ["a", leaving],
        ["b", pod("low", 0, 600)],
      ],
    },
    { on: "b", victims: ["low"] },
  ],
])("displaces %s", (_, waiting, situation, decision) => {
  expect(decide(waiting, situation)).toEqual(decision);
});

it.each<readonly [string, Pod, Situation, unknown]>([
  [
    "keeps the place of a more important one",
    pod("low", 0, 600),
    { nominated: [nominatedFor("high", 100, 600)] },
    `${alone}0/1 nodes are available: 1 No preemption victims found for incoming pod.`,
  ],
  [
    "keeps the place of one that is as important",
    high,
    { nominated: [nominatedFor("first", 100, 600)], there: [["a", pod("low", 0, 600)]] },
    `${alone}0/1 nodes are available: 1 Insufficient cpu.`,
  ],
  ["does not keep that of a less important one", high, { nominated: [nominatedFor("low", 0, 600)] }, "a"],
  [
    "does not keep a pod from its own place",
    nominatedFor("high", 100, 600),
    { nominated: [nominatedFor("high", 100, 600)] },
    "a",
  ],
  [
    "puts a pod where others have gone for it, though another node is emptier",
    nominatedFor("high", 100, 300, "b"),
    { nodes: [node("a"), node("b")], there: [["b", pod("other", 0, 100)]] },
    "b",
  ],
])("%s", (_, waiting, situation, decision) => {
  expect(decide(waiting, situation)).toEqual(decision);
});
