// What holds for every graph, every target, every observation, every edit and every death of the operator: on the whole
// controller, from the API server to the task.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planToTarget } from "../../src/lifecycle/targets/path-to-target.ts";
import { takerOf } from "../../src/lifecycle/graph/edge-taker.ts";
import { parseLeaves } from "../../src/statechart/configuration.ts";
import {
  buildWhole,
  drawnState,
  nameOf,
  names,
  nextInstant,
  progressFrom,
  target,
  isRound,
} from "../lifecycle/drawn-lifecycle.ts";
import { SimulatedLife } from "./simulated-life.ts";

/** More runs: `SIMULATION_RUNS=500`; other samples: `PROPERTY_SEED=random`. A failure prints its seed and path. */
const numRuns = Number(process.env["SIMULATION_RUNS"] ?? 30);
const parameters = { numRuns };

type Happening =
  | { readonly kind: "target"; readonly to: number; readonly request: number }
  | { readonly kind: "see"; readonly as: number | undefined }
  | { readonly kind: "pass"; readonly minutes: number; readonly asleep: boolean }
  | { readonly kind: "finish"; readonly failed: boolean }
  | { readonly kind: "edit" | "kill" | "look" }
  | { readonly kind: "doom"; readonly at: number; readonly moment: "before" | "after" };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("target" as const), to: target, request: fc.nat({ max: 2 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("see" as const), as: fc.option(target, { nil: undefined }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      minutes: fc.nat({ max: 90 }),
      asleep: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("finish" as const), failed: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("edit" as const, "kill" as const, "look" as const) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("doom" as const),
      at: fc.nat({ max: 5 }),
      moment: fc.constantFrom("before" as const, "after" as const),
    }),
  },
);

const drawnLife = fc.record({
  states: fc.array(drawnState, { minLength: names.length, maxLength: names.length }),
  happenings: fc.array(happening, { maxLength: 15 }),
});

async function happen(life: SimulatedLife, what: Happening): Promise<void> {
  switch (what.kind) {
    case "target":
      await life.ask(nameOf(what.to), `r${what.request}`);
      break;
    case "see":
      await life.see(what.as === undefined ? undefined : nameOf(what.as));
      break;
    case "pass":
      if (what.asleep) await life.jump(what.minutes * 60_000);
      else await life.pass(what.minutes * 60_000);
      break;
    case "finish":
      await life.finish(what.failed ? { phase: "Failed", message: "no luck" } : { phase: "Succeeded" });
      break;
    case "edit":
      await life.edit();
      break;
    case "kill":
      await life.kill();
      break;
    case "look":
      await life.look();
      break;
    case "doom":
      life.planDeath(what);
      break;
  }
}

function expectSound(life: SimulatedLife): void {
  expect(life.application.startedTwice()).toEqual([]);
  expect(life.largest).toBeLessThanOrEqual(life.subject.lifecycle.options.snapshotBudget);
}

/** Of what was started for one entry of a state, an attempt has succeeded, or every one is undone. */
function expectClean({ application: { starts, running, undone } }: SimulatedLife): void {
  const isDone = ({ key }: { readonly key: string }): boolean => running.get(key)?.phase === "Succeeded";
  const entries = Map.groupBy(starts, ({ key }) => key.split("-").slice(0, -2).join("-"));
  for (const attempts of entries.values()) {
    if (attempts.some(isDone)) continue;
    for (const { key } of attempts) expect(undone).toContain(key);
  }
}

async function planOf(life: SimulatedLife) {
  const status = await life.status();
  const { lifecycle } = life.subject;
  const leaves = parseLeaves(lifecycle.index, status?.state ?? "A") ?? ["A"];
  return status === undefined ? undefined : planToTarget(lifecycle, status.target, leaves);
}

async function progressOf(life: SimulatedLife) {
  const status = await life.status();
  const { lifecycle } = life.subject;
  return progressFrom(lifecycle, status, parseLeaves(lifecycle.index, status?.state ?? "A") ?? ["A"]);
}

/** Lets happen what the plan waits for, and what leads on by itself. */
async function cooperate(life: SimulatedLife): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    const [hop] = (await planOf(life)) ?? [];
    const event = (hop?.edge ?? (await progressOf(life)))?.event ?? "";
    await life.see(event.startsWith("observed.") ? event.slice("observed.".length) : undefined);
    if (hop === undefined || hop.edge.kind === "done") await life.finish({ phase: "Succeeded" });
    // No longer than the operator waits: else a timer cuts the way off before it is tried again.
    const next = nextInstant(await life.status(), life.now) ?? life.now + 2 * 3_600_000;
    if (round % 4 === 3) await life.jump(next - life.now);
  }
}

async function withLife(
  states: Parameters<typeof buildWhole>[0],
  act: (life: SimulatedLife) => Promise<void>,
): Promise<void> {
  const life = await SimulatedLife.begin(buildWhole(states), 2, { compensate: () => undefined });
  try {
    await act(life);
  } finally {
    life.end();
  }
}

describe("an application of any shape under a controller that is killed at any write", () => {
  it("ends in the last desired state if a way leads there, runs no task twice, and then writes nothing", async () => {
    let deaths = 0;
    let arrivals = 0;
    await fc.assert(
      fc.asyncProperty(drawnLife, fc.nat({ max: names.length }), ({ states, happenings }, last) =>
        withLife(states, async (life) => {
          for (const what of happenings) {
            await happen(life, what);
            expectSound(life);
          }
          const target = nameOf(last);
          await life.see(undefined);
          const accepted = await life.ask(target, "last");
          const ended = (await life.status())?.state === "End";
          const plan = await planOf(life);
          const isReachable =
            plan?.every(({ edge }) => !["human", "failure", "spec"].includes(takerOf(edge))) ?? false;
          await cooperate(life);
          expectSound(life);
          deaths += life.deaths;
          const status = await life.status();
          if (accepted && isReachable && !ended && life.subject.lifecycle.desirable.includes(target)) {
            arrivals += 1;
            expect(status?.target).toMatchObject({ state: target, request: "last" });
            const { reached, outcome } = status?.target ?? {};
            const isThere = reached === true || outcome !== undefined;
            expect(isThere || isRound(life.subject.lifecycle, target)).toBe(true);
          }
          const condition = (await life.resource())?.status?.conditions?.find(
            ({ type }) => type === "Lifecycle",
          );
          // A state that is drawn to begin itself anew, by a timer or a task, has no rest.
          const isRestless = Object.keys({ ...status?.timers, ...status?.tasks }).length > 0;
          if (condition?.status !== "True" || isRestless) return;
          const before = life.writes.length;
          const starts = life.application.starts.length;
          for (let round = 0; round < 3; round += 1) await life.jump(7 * 60_000);
          await life.kill();
          await life.look();
          expect(life.writes.slice(before)).toEqual([]);
          expect(life.application.starts).toHaveLength(starts);
        }),
      ),
      parameters,
    );
    // The property says something only if operators died and targets were reached.
    expect(deaths).toBeGreaterThan(numRuns / 2);
    expect(arrivals).toBeGreaterThan(numRuns / 4);
  }, 120_000);

  it("comes to its end when it is deleted, whatever happened before and whoever dies meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        drawnLife,
        fc.array(happening, { maxLength: 6 }),
        ({ states, happenings }, meanwhile) =>
          withLife(states, async (life) => {
            for (const what of happenings) await happen(life, what);
            await life.delete();
            for (const what of meanwhile) {
              if (what.kind !== "target" && what.kind !== "edit" && (await life.resource()) !== undefined) {
                await happen(life, what);
              }
            }
            await cooperateToTheEnd(life);
            expect(await life.resource()).toBeUndefined();
            expectSound(life);
            expectClean(life);
            expect([...life.application.running.values()].filter(({ phase }) => phase === "Running")).toEqual(
              [],
            );
          }),
      ),
      parameters,
    );
  }, 120_000);
});

async function cooperateToTheEnd(life: SimulatedLife): Promise<void> {
  for (let round = 0; round < 60 && (await life.resource()) !== undefined; round += 1) {
    const [hop] = (await planOf(life)) ?? [];
    const event = hop?.edge.event ?? "";
    await life.see(event.startsWith("observed.") ? event.slice("observed.".length) : undefined);
    if (hop?.edge.kind === "done") await life.finish({ phase: "Succeeded" });
    if (round % 4 === 3) await life.jump(2 * 3_600_000);
  }
}
