// A machine that was exported as JSON does in plain XState what it did before: walked by XState's own graph functions, whose
// answer is the comparison.
import { createActor, createMachine, fromCallback, SimulatedClock, type AnyStateMachine } from "xstate";
import { getShortestPaths, getSimplePaths } from "xstate/graph";
import { describe, expect, it } from "vitest";
import { databaseLifecycle } from "../../examples/database/src/database/database-lifecycle.ts";
import { electionMachine } from "../../machines/election-machine.ts";
import { applicationLifecycle, setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { managerMachine } from "../../machines/manager-machine.ts";
import { reconciliationMachine } from "../../machines/reconciliation-machine.ts";
import { shardMemberMachine } from "../../machines/shard-member-machine.ts";
import { watchMachine } from "../../machines/watch-machine.ts";
import { configOf } from "../../src/diagram/config.ts";
import { completeGraph } from "../../src/lifecycle/graph/library-edges.ts";
import { compileLifecycle, type Lifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { readGraph, type GraphEdge, type MachineGraph } from "../../src/statechart/graph.ts";
import { lampLifecycle } from "../fixtures/lamp.ts";
import { PlantV1 } from "../fixtures/mill/plant.ts";
import { BakeryV1 } from "../fixtures/upgrade/bakery-v1.ts";
import * as foreign from "../lifecycle/foreign-lifecycles.ts";
import { everyEdge, oddNames, parallelTop } from "./machine-fixtures.ts";

const machines: readonly (readonly [string, AnyStateMachine])[] = [
  ["lifecycle", applicationLifecycle],
  ["election", electionMachine],
  ["manager", managerMachine],
  ["reconciliation", reconciliationMachine],
  ["shard member", shardMemberMachine],
  ["watch", watchMachine],
  ["database", databaseLifecycle],
  ["lamp", lampLifecycle],
  ["mill", createMachine(lifecycleOf(PlantV1).chart.config as never)],
  ["bakery", createMachine(lifecycleOf(BakeryV1).chart.config as never)],
  ["every kind of edge", everyEdge],
  ["odd names", oddNames],
  ["parallel", parallelTop],
  ...Object.entries(foreign).filter((entry): entry is [string, AnyStateMachine] => isMachine(entry[1])),
];

const lifecycles: readonly (readonly [string, Lifecycle])[] = [
  ...[applicationLifecycle, databaseLifecycle, lampLifecycle, ...Object.values(foreign)]
    .filter(isMachine)
    .map((machine) => [machine.id, compileLifecycle(machine)] as const),
  ["mill", lifecycleOf(PlantV1)],
  ["bakery", lifecycleOf(BakeryV1)],
];

/** A path: the state, and the events in the graph's own words. */
type Walk = readonly [state: string, ...events: string[]];

describe("a machine as JSON in plain XState", () => {
  it.each(machines)("reaches each state by the same shortest path: %s", (_, machine) => {
    const walks = shortest(machine);
    expect(walks.length).toBeGreaterThan(1);
    expect(shortest(exported(readGraph(machine)))).toEqual(walks);
  });

  it.each(machines.filter(([, machine]) => readGraph(machine).nodes.length < 9))(
    "has the same simple paths: %s",
    (_, machine) => {
      const walks = simple(machine);
      expect(walks.length).toBeGreaterThan(1);
      expect(simple(exported(readGraph(machine)))).toEqual(walks);
    },
  );

  it.each(lifecycles)("has the library's edges as the machine that runs has them: %s", (_, { chart }) => {
    const running = createMachine(chart.config as never);
    expect(shortest(exported(completeGraph(chart.graph)))).toEqual(shortest(running));
  });

  it("waits as long as delays are, by whatever name, and for ever where only a function knows", () => {
    const clock = new SimulatedClock();
    const machine = setupLifecycle({
      delays: { short: "2s", same: 2_000, long: "60d", asked: () => "1s" },
    }).createMachine({
      id: "waits",
      initial: "A",
      states: {
        A: { after: { short: "B", same: "E" } },
        B: { after: { "1m30s": "C" } },
        C: { after: { asked: "E", long: "E" }, on: { "human.go": "D" } },
        D: { after: { 1500: "E" } },
        E: {},
      },
    });
    const graph = readGraph(machine);
    expect(JSON.stringify(configOf(graph))).toContain(
      '"after":{"90000":{"target":"C","meta":{"delay":"1m30s"}}}',
    );
    const actor = createActor(exported(graph), { clock }).start();
    const wait = (milliseconds: number): unknown => {
      clock.increment(milliseconds);
      return actor.getSnapshot().value;
    };
    expect([wait(1_999), wait(1)]).toEqual(["A", "B"]);
    expect([wait(89_999), wait(1)]).toEqual(["B", "C"]);
    expect(wait(24 * 24 * 3_600_000)).toBe("C");
    actor.send({ type: "human.go" });
    expect([wait(1_499), wait(1)]).toEqual(["D", "E"]);
  });

  it("and as drawn by an author with setupLifecycle: a duration in after elapses when it should", () => {
    const clock = new SimulatedClock();
    const machine = setupLifecycle().createMachine({
      id: "duration",
      initial: "A",
      states: { A: { initial: "X", states: { X: { after: { "10m": "Y" } }, Y: {} } } },
    });
    const actor = createActor(machine, { clock }).start();
    clock.increment(599_999);
    expect(actor.getSnapshot().value).toEqual({ A: "X" });
    clock.increment(1);
    expect(actor.getSnapshot().value).toEqual({ A: "Y" });
  });
});

function lifecycleOf({ lifecycle }: { readonly lifecycle?: Lifecycle | undefined }): Lifecycle {
  if (lifecycle === undefined) throw new Error("the kind has no lifecycle");
  return lifecycle;
}

function isMachine(value: unknown): value is AnyStateMachine {
  return typeof value === "object" && value !== null && "getStateNodeById" in value;
}

function exported(graph: MachineGraph): AnyStateMachine {
  return createMachine(JSON.parse(JSON.stringify(configOf(graph))) as never);
}

const idle = fromCallback(() => undefined);

/** With guards that are all open or all closed, actions that do nothing and delays of some length. */
function walkable(machine: AnyStateMachine, isOpen: boolean): AnyStateMachine {
  const { edges, nodes } = readGraph(machine);
  const named = (names: readonly string[], value: () => unknown): Record<string, () => unknown> =>
    Object.fromEntries(names.map((name) => [name, value]));
  const guards = edges.flatMap(({ guard, guardNames }) => [guard ?? "", ...(guardNames ?? [])]);
  const actions = [
    ...edges.flatMap((edge) => edge.actions),
    ...nodes.flatMap((node) => [...node.entry, ...node.exit]),
  ];
  return machine.provide({
    guards: { ...named(guards, () => isOpen), ...named(guards.filter(isNegated), () => !isOpen) },
    actions: named(actions, () => undefined),
    delays: Object.fromEntries(edges.map(({ delay = "" }) => [delay, 1])),
    actors: Object.fromEntries(
      nodes.flatMap(({ invokes }) => invokes.map(({ src }) => [src, idle] as const)),
    ),
  } as never);
}

function isNegated(guard: string): boolean {
  return guard.startsWith("xstate.not(") || guard.startsWith("not(");
}

function shortest(machine: AnyStateMachine): readonly Walk[] {
  return walksOf(machine, getShortestPaths);
}

function simple(machine: AnyStateMachine): readonly Walk[] {
  return walksOf(machine, getSimplePaths);
}

function walksOf(machine: AnyStateMachine, paths: typeof getShortestPaths): readonly Walk[] {
  const { edges } = readGraph(machine);
  const found = [true, false].flatMap((isOpen) =>
    paths(walkable(machine, isOpen) as never, {
      input: { streaming: true } as never,
      serializeState: (state) => JSON.stringify((state as { readonly value: unknown }).value),
    }),
  );
  return found
    .map(({ state, steps }): Walk => [
      JSON.stringify((state as { readonly value: unknown }).value),
      ...steps.map(({ event: { type } }) => nameOf(edges, type)),
    ])
    .toSorted((a, b) => a.join(" ").localeCompare(b.join(" ")));
}

/** A timer is known by its source and its length; every other event by its type. */
function nameOf(edges: readonly GraphEdge[], type: string): string {
  const edge = edges.find(({ eventType, kind }) => kind === "after" && eventType === type);
  return edge === undefined
    ? type
    : `${edge.source} after ${edge.delayLength === undefined ? "?" : Math.trunc(edge.delayLength)}`;
}
