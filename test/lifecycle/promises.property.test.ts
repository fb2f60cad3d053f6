// What the condition and explain promise happens when its stated cause does, within the stated time; nothing else moves the
// application. For lifecycles of any shape, with any tags and guards.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import type { Explanation } from "../../src/explain/explanation.ts";
import type { TaskObservation } from "../../src/lifecycle/tasks/task-definition.ts";
import { formatLeaves, parseLeaves } from "../../src/statechart/configuration.ts";
import { names, nextInstant, target } from "./drawn-lifecycle.ts";
import {
  buildGuarded,
  guardedStates,
  pathOf,
  shapes,
  type GuardedState,
  type Shape,
} from "./guarded-lifecycle.ts";
import { Life } from "./life.ts";

type Happening =
  | { readonly kind: "target"; readonly to: number; readonly request: number }
  | { readonly kind: "observe"; readonly as: string }
  | { readonly kind: "guard"; readonly name: string; readonly open: boolean }
  | { readonly kind: "human"; readonly event: string }
  | { readonly kind: "pass"; readonly minutes: number }
  | { readonly kind: "finish"; readonly failed: boolean }
  | { readonly kind: "edit" }
  | { readonly kind: "cycle" };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant("target" as const), to: target, request: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant("observe" as const), as: fc.constantFrom(...names, "W", "V") }),
  fc.record({
    kind: fc.constant("guard" as const),
    name: fc.constantFrom("g0", "g1", "g2"),
    open: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("human" as const), event: fc.constantFrom("go", "W", "V", "retry") }),
  fc.record({ kind: fc.constant("pass" as const), minutes: fc.nat({ max: 120 }) }),
  fc.record({ kind: fc.constant("finish" as const), failed: fc.boolean() }),
  fc.record({ kind: fc.constant("edit" as const) }),
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("cycle" as const) }) },
);

function apply(life: Life, what: Happening, shape: Shape): void {
  switch (what.kind) {
    case "target":
      life.ask(pathOf(shape, what.to), `r${what.request}`);
      break;
    case "observe":
      life.observed = what.as;
      break;
    case "guard":
      life.facts = { ...life.facts, [what.name]: what.open };
      break;
    case "human":
      life.send(what.event);
      break;
    case "pass":
      life.pass(`${what.minutes}m`);
      break;
    case "finish":
      life.finish(what.failed ? { phase: "Failed", message: "no luck" } : { phase: "Succeeded" });
      break;
    case "edit":
      life.edit(`spec-${life.generation}`);
      break;
    case "cycle":
      life.cycle();
      break;
  }
}

/** Cycles until nothing happens at once; false for a lifecycle that never rests. */
function rests(life: Life): boolean {
  life.observed = undefined;
  life.human = undefined;
  // What a task has come to is seen by the second look at the latest.
  for (let round = 0, quiet = 0; round < 20; round += 1) {
    const plan = life.cycle();
    quiet = plan.moved === undefined && plan.requeueAfter !== 0 ? quiet + 1 : 0;
    if (quiet === 2) return true;
  }
  return false;
}

interface Circumstances {
  readonly open?: readonly string[];
  readonly closed?: readonly string[];
  readonly at?: string | undefined;
}

/** Lets the cause of an edge happen, with these guards open and closed, and returns what it has led to. */
function provoke(life: Life, event: string, { open = [], closed = [], at }: Circumstances = {}) {
  const fork = life.fork();
  if (at !== undefined) fork.now = Date.parse(at);
  fork.facts = {
    ...fork.facts,
    ...Object.fromEntries(open.map((name) => [name, true])),
    ...Object.fromEntries(closed.map((name) => [name, false])),
  };
  const [family = "", ...rest] = event.split(".");
  const word = rest.join(".");
  const before = fork.path.length;
  if (family === "observed") fork.observed = word;
  else if (family === "human") fork.send(word);
  else if (family === "config") fork.edit(`edited-${fork.generation}`);
  else if (family === "after") fork.now = Date.parse(dueOf(fork, word));
  else if (family === "done") end(fork, word, { phase: "Succeeded" });
  else if (family === "error") end(fork, word, { phase: "Failed", message: "no luck", retry: false });
  const plans = [fork.cycle()];
  // What a task has come to is seen by the second look at the latest.
  if (plans[0]?.moved === undefined && ["done", "error"].includes(family)) plans.push(fork.cycle());
  return { fork, plan: plans.at(-1), moved: plans.at(-1)?.moved, moves: fork.path.slice(before) };
}

/** Lets one task come to this; others go on. */
function end(life: Life, id: string, seen: TaskObservation): void {
  const key = life.status?.tasks[id]?.key;
  if (key !== undefined && life.running.has(key)) life.running.set(key, seen);
}

/** Whether an event leads away and, by the graph itself, back at once: then nothing moves. */
function returnsAtOnce({ lifecycle, state = "" }: Life, event: string, facts: Life["facts"]): boolean {
  const leaves = parseLeaves(lifecycle.index, state) ?? [];
  const step = lifecycle.chart.take({ leaves, context: {} }, { type: event, spec: {}, facts });
  return step !== undefined && formatLeaves(step.position.leaves) === state;
}

function dueOf(life: Life, delay: string): string {
  const timer = Object.values(life.status?.timers ?? {}).find((each) => each.delay === delay);
  if (timer === undefined) throw new Error(`no timer ${delay} is running`);
  return timer.due;
}

function explained({ lifecycle, status, conditions, desired, generation, now }: Life): Explanation {
  const object = {
    apiVersion: "test.example.com/v1",
    kind: "Thing",
    metadata: {
      name: "it",
      namespace: "default",
      uid: "0b0b0b0b-1111-2222-3333-444444444444",
      resourceVersion: "1",
      generation,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: { lifecycle: { desiredState: desired.state, request: desired.request } },
    status: { lifecycle: status, conditions },
  };
  const type = {
    group: "test.example.com",
    version: "v1",
    kind: "Thing",
    plural: "things",
    namespaced: true,
  };
  const { graph } = lifecycle.index;
  return explain({ object, type, graph, children: [], events: [], now });
}

/** The guards that a text says must be open, or closed. */
const guardsIn = (text: string) => {
  const [needs = "", unless = ""] = text.split(", unless ");
  const namesIn = (part: string) => [...part.matchAll(/guard (g\d)/g)].map(([, name = ""]) => name);
  return { open: namesIn(needs), closed: namesIn(unless) };
};

/** Whether a text says that an edge comes to nothing. */
const leadsBack = (text: string) => text.endsWith(", and the graph leads back from there at once");

/** Checks one life at rest; returns the kinds of promises that it made. */
function check(life: Life): readonly string[] {
  const kept: string[] = [];
  const { message } = life.condition;
  const about = (text: string) => `${message}\n${text}\n${JSON.stringify(life.status)}`;
  const next = /next is (\S+) by (\S+?)(,.*)?$/m.exec(message.replaceAll("; ", "\n"));
  if (next !== null) {
    const [, , event = "", rest = ""] = next;
    const guards = guardsIn(rest);
    const isAlone = provoke(life, "nothing", guards).moved === undefined;
    const { moved, fork } = provoke(life, event, guards);
    if (isAlone && leadsBack(rest)) expect(fork.state, about(`next by ${event}`)).toBe(life.state);
    else if (isAlone) expect(moved?.event, about(`next by ${event}`)).toBe(event);
    kept.push(`next ${event.split(".")[0]}`);
  }
  const again = /next try after (\S+?)(?:;|$)/.exec(message)?.[1];
  if (again !== undefined) {
    const fork = life.fork();
    fork.now = Date.parse(again);
    const plan = fork.cycle();
    const isTried = plan.moved !== undefined || /guard g\d/.test(fork.condition.message);
    expect(isTried, about(`tried again: ${fork.condition.message}`)).toBe(true);
    kept.push("next try");
  }
  const guarded = /the guard (g\d) keeps (\S+) closed/.exec(message);
  if (guarded !== null) {
    const [, name = ""] = guarded;
    // Another edge may have the same guard; where the graph leads back, that is what is said then.
    const { moved, fork } = provoke(life, "nothing", { open: [name] });
    if (!fork.condition.message.includes("is not taken, as the graph leads back"))
      expect(moved, about(`guard ${name}`)).toBeDefined();
    kept.push("guard");
  }
  const { accepted, awaited, blockers } = explained(life);
  for (const event of accepted.filter((each) => each !== "pause")) {
    const { plan, moved } = provoke(life, `human.${event}`);
    const isIdle = awaited.some((each) => each.event === `human.${event}` && each.to === life.state);
    if (plan?.human?.accepted === true) {
      if (!isIdle && !returnsAtOnce(life, `human.${event}`, life.facts))
        expect(moved?.event, about(event)).toBe(`human.${event}`);
    } else expect(plan?.human?.message, about(event)).toMatch(/guards? g\d/);
    kept.push("human");
  }
  for (const { event, needs, taker, to } of awaited) {
    // What leads to where it is changes nothing that could be seen, unless something begins again in it.
    if (to === life.state) continue;
    if (taker === "operator" && !needs.startsWith("taken by the operator")) continue;
    // A new target, which may be any, or none that is accepted.
    if (event === "lifecycle.begin" && needs.startsWith("a new target")) continue;
    const guards = guardsIn(needs);
    const at = /, after (\S+Z)/.exec(needs)?.[1];
    const { moved, fork } = provoke(life, event, { ...guards, at });
    // What the same guard has kept closed may be taken before it.
    if (guards.open.length > 0 && provoke(life, "nothing", { ...guards, at }).moved !== undefined) continue;
    const taken = event === "lifecycle.begin" ? "begin" : event;
    if (leadsBack(needs)) expect(fork.state, about(`awaits ${event}: ${needs}`)).toBe(life.state);
    else expect(moved?.event, about(`awaits ${event}: ${needs}`)).toBe(taken);
    kept.push(`awaited ${event.split(".")[0]}`);
  }
  if (blockers.some(({ reason }) => reason === "RetryLater")) {
    expect(again, about("blocked until later")).toBeDefined();
  }
  const still = life.fork();
  still.now = (nextInstant(life.status, life.now) ?? life.now + 600_000) - 1;
  expect(still.cycle().moved, about("by itself")).toBeUndefined();
  return kept;
}

const bare: GuardedState = { tags: [], on: [], always: undefined, after: undefined, task: undefined };

/** Where D leads to A, the graph leads back at once while its guard is open; `observed.C` and `desired.E` lead on from A. */
function leadingBack(edge: Partial<GuardedState>): [GuardedState[], Happening[]] {
  const on = [
    { family: "observed", word: undefined, to: 2, guard: undefined },
    { family: "desired", word: undefined, to: 4, guard: undefined },
  ];
  const opened: Happening = { kind: "guard", name: "g0", open: true };
  const asked: Happening = { kind: "target", to: 4, request: 0 };
  return [
    [{ ...bare, on, always: { to: 3, guard: 0 } }, bare, bare, { ...bare, ...edge }, bare],
    [opened, asked],
  ];
}

const back = { to: 0, guard: undefined };
const examples = [
  ...["observed", "desired", "human", "config"].map((family) =>
    leadingBack({ on: [{ ...back, family, word: undefined }] }),
  ),
  leadingBack({ on: [{ family: "desired", word: undefined, to: 0, guard: 1 }] }),
  leadingBack({ after: back }),
  leadingBack({ after: { ...back, guard: 0 } }),
  leadingBack({ task: { done: [back], failed: back } }),
];

describe("what is promised of an application at rest", () => {
  it.each(shapes)("happens when its cause does, and nothing else happens: %s states", (shape) => {
    const kept = new Map<string, number>();
    fc.assert(
      fc.property(guardedStates, fc.array(happening, { maxLength: 30 }), (states, happenings) => {
        const life = new Life(buildGuarded(states, shape));
        life.facts = { g0: false, g1: false, g2: false };
        for (const what of happenings) apply(life, what, shape);
        if (!rests(life)) return;
        for (const kind of check(life)) kept.set(kind, (kept.get(kind) ?? 0) + 1);
      }),
      { numRuns: Number(process.env["PROMISES"] ?? "80"), examples },
    );
    // The others come with more runs; what other samples have is up to them.
    if (process.env["PROPERTY_SEED"] !== undefined) return;
    for (const kind of ["next observed", "next done", "next human", "guard", "human"])
      expect(kept.get(kind) ?? 0, kind).toBeGreaterThan(0);
  });
});
