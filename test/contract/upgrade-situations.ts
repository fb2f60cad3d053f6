// The situations in which an upgrade may find a bakery: how it gets there, what is asked of it while no operator runs, and
// where it is afterwards under each version. Read by upgrade.test.ts.
import type { TaskObservation } from "../../src/lifecycle/tasks/task-definition.ts";

const running: TaskObservation = { phase: "Running" };
const done: TaskObservation = { phase: "Succeeded" };

/** One situation. */
export interface Situation {
  readonly spec?: { readonly lit?: boolean; readonly target?: string };
  /** What comes of its tasks under the first operator; those not named run on. */
  readonly outcomes?: Readonly<Record<string, TaskObservation>>;
  /** What is asked once it is where its target leads it, and where it is then. */
  readonly asks?: "pause" | "delete";
  /** What is asked while no operator runs. */
  readonly meanwhile?: "delete" | "abort" | { readonly target: string };
  /** The state under versions 1, 2 and 3, nothing else having happened. */
  readonly states: readonly [string, string, string];
  /** Tasks that are started because of what was asked meanwhile. */
  readonly newTasks?: number;
  /** Where it ends under version 3 once all work is done and all timers have elapsed; undefined: it is gone. */
  readonly end: string | undefined;
  /** The end is not what is desired. */
  readonly isUnfulfilled?: boolean;
  /** All tasks that were ever started, by name, once it has ended. */
  readonly works: Readonly<Record<string, number>>;
}

const festival = (kitchen: string, music: string): string =>
  `Festival:Music:${music},Festival:${kitchen}:Frying`;
const trading = "Trading:Day";

/** All situations by name. */
export const situations: Readonly<Record<string, Situation>> = {
  unlit: {
    spec: { lit: false },
    states: ["Start", "Start", "Start"],
    end: "HumanIntervention",
    isUnfulfilled: true,
    works: {},
  },
  open: { spec: { target: "Open" }, states: ["Open", "Serving", trading], end: trading, works: {} },
  undecided: { states: ["Open", "Serving", trading], end: trading, works: {} },
  closed: { spec: { target: "Closed" }, states: ["Closed", "Serving", trading], end: trading, works: {} },
  cooling: {
    spec: { target: "Cooling" },
    states: ["Cooling", "Resting", "Resting"],
    end: trading,
    works: {},
  },
  baking: {
    spec: { target: "Baking" },
    states: ["Baking", "Oven:Baking", "Bakehouse:Baking"],
    end: trading,
    works: { bake: 1, taste: 1 },
  },
  retrying: {
    spec: { target: "Baking" },
    outcomes: { bake: { phase: "Failed", message: "the oven is cold" } },
    states: ["Baking", "Oven:Baking", "Bakehouse:Baking"],
    end: trading,
    works: { bake: 2, taste: 1 },
  },
  ordering: {
    spec: { target: "Stocking" },
    states: ["Stocking:Ordering", "Stocking:Ordering", "Stocking:Ordering"],
    end: trading,
    works: { order: 1, unload: 1 },
  },
  unloading: {
    spec: { target: "Stocking" },
    outcomes: { order: done },
    states: ["Stocking:Unloading", "Stocking:Unloading", "Stocking:Storing"],
    end: trading,
    works: { order: 1, unload: 1 },
  },
  tuning: {
    spec: { target: "Festival" },
    states: [festival("Food", "Tuning"), festival("Kitchen", "Tuning"), festival("Kitchen", "Tuning")],
    end: "Festival:Music:Playing,Festival:Kitchen:Served",
    works: { tune: 1 },
  },
  playing: {
    spec: { target: "Festival" },
    outcomes: { tune: done },
    states: [festival("Food", "Playing"), festival("Kitchen", "Playing"), festival("Kitchen", "Playing")],
    end: "Festival:Music:Playing,Festival:Kitchen:Served",
    works: { tune: 1 },
  },
  pausedbaking: {
    spec: { target: "Baking" },
    asks: "pause",
    states: ["Baking", "Oven:Baking", "Bakehouse:Baking"],
    end: trading,
    works: { bake: 1, taste: 1 },
  },
  pausedcooling: {
    spec: { target: "Cooling" },
    asks: "pause",
    states: ["Cooling", "Resting", "Resting"],
    end: trading,
    works: {},
  },
  helpless: {
    spec: { target: "Baking" },
    outcomes: { bake: { phase: "Failed", message: "the oven is broken", retry: false } },
    states: ["HumanIntervention", "HumanIntervention", "HumanIntervention"],
    end: "HumanIntervention",
    isUnfulfilled: true,
    works: { bake: 1 },
  },
  stopping: {
    spec: { target: "Open" },
    asks: "delete",
    states: ["Stopping", "Stopping", "Stopping"],
    end: undefined,
    works: { shut: 1, audit: 1 },
  },
  ended: {
    spec: { target: "End" },
    outcomes: { shut: done },
    states: ["End", "End", "End"],
    end: "End",
    works: { shut: 1 },
  },
  hurrying: {
    spec: { target: "Open" },
    meanwhile: { target: "Stocking" },
    states: ["Open", "Stocking:Ordering", "Stocking:Ordering"],
    newTasks: 1,
    end: trading,
    works: { order: 1, unload: 1 },
  },
  leaving: {
    spec: { target: "Baking" },
    meanwhile: "delete",
    states: ["Baking", "Stopping", "Stopping"],
    newTasks: 1,
    end: undefined,
    works: { bake: 1, shut: 1, audit: 1 },
  },
  aborting: {
    spec: { target: "Baking" },
    meanwhile: "abort",
    states: ["Baking", "Serving", trading],
    end: trading,
    isUnfulfilled: true,
    works: { bake: 1 },
  },
};

/** What comes of work that is started under the first operator; `name` is `<situation>-<street><number>`. */
export function outcomeAtFirst({
  src,
  name,
}: {
  readonly src: string;
  readonly name: string;
}): TaskObservation {
  return situationOf(name).outcomes?.[src] ?? running;
}

/** The situation of a resource of this name. */
export function situationOf(name: string): Situation {
  const situation = situations[name.split("-")[0] ?? ""];
  if (situation === undefined) throw new Error(`no situation is named as ${name} says`);
  return situation;
}
