// What holds for every graph, every target, every observation and every crash.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planCycle } from "../../src/lifecycle/cycle.ts";
import { takerOf } from "../../src/lifecycle/graph/edge-taker.ts";
import { sizeOf } from "../../src/lifecycle/values/json-size.ts";
import { planToTarget } from "../../src/lifecycle/targets/path-to-target.ts";
import { noteOwnDraft } from "../../src/lifecycle/stored/read-status.ts";
import { restoreLifecycle, type RestoredLifecycle } from "../../src/lifecycle/stored/restore.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import { isUnchanged } from "../../src/lifecycle/unchanged-cycle.ts";
import { parseLeaves } from "../../src/statechart/configuration.ts";
import {
  build,
  drawnState,
  isRound,
  nameOf,
  names,
  nextInstant,
  progressFrom,
  target,
  type DrawnState,
} from "./drawn-lifecycle.ts";
import { Life } from "./life.ts";

type Happening =
  | { readonly kind: "target"; readonly to: number; readonly request: number }
  | { readonly kind: "observe"; readonly as: number | undefined }
  | { readonly kind: "pass"; readonly minutes: number }
  | { readonly kind: "finish"; readonly failed: boolean }
  | { readonly kind: "edit" }
  | { readonly kind: "clumsy" }
  | { readonly kind: "lose"; readonly moment: "before" | "after" }
  | { readonly kind: "cycle"; readonly crash: "beforeWrite" | "beforeEffects" | "afterEffects" | undefined };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant("target" as const), to: target, request: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant("observe" as const), as: fc.option(target, { nil: undefined }) }),
  fc.record({ kind: fc.constant("pass" as const), minutes: fc.nat({ max: 120 }) }),
  fc.record({ kind: fc.constant("finish" as const), failed: fc.boolean() }),
  fc.record({ kind: fc.constant("edit" as const) }),
  fc.record({ kind: fc.constant("clumsy" as const) }),
  fc.record({
    kind: fc.constant("lose" as const),
    moment: fc.constantFrom("before" as const, "after" as const),
  }),
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("cycle" as const),
      crash: fc.constantFrom(undefined, undefined, "beforeWrite", "beforeEffects", "afterEffects"),
    }),
  },
);

function apply(life: Life, what: Happening): void {
  switch (what.kind) {
    case "target":
      life.ask(nameOf(what.to), `r${what.request}`);
      break;
    case "observe":
      life.observed = what.as === undefined ? undefined : nameOf(what.as);
      break;
    case "pass":
      life.pass(`${what.minutes}m`);
      break;
    case "finish":
      life.finish(what.failed ? { phase: "Failed", message: "no luck" } : { phase: "Succeeded" });
      break;
    case "lose":
      life.losing = what.moment;
      break;
    case "clumsy":
      life.clumsy = true;
      break;
    case "edit":
      life.edit(`spec-${life.generation}`);
      break;
    case "cycle":
      life.cycle(what.crash);
      break;
  }
}

/** Lets happen what the plan waits for, until nothing is left to wait for. */
function cooperate(life: Life): void {
  for (let round = 0; round < 40; round += 1) {
    const leaves = parseLeaves(life.lifecycle.index, life.state ?? "A") ?? ["A"];
    const [hop] =
      life.status === undefined ? [] : (planToTarget(life.lifecycle, life.status.target, leaves) ?? []);
    const event = (hop?.edge ?? progressFrom(life.lifecycle, life.status, leaves))?.event ?? "";
    life.observed = event.startsWith("observed.") ? event.slice("observed.".length) : undefined;
    if (hop === undefined || hop.edge.kind === "done") life.finish();
    const before = life.state;
    const { requeueAfter } = life.cycle();
    // Time passes only where the operator waits, and no longer: else a timer may cut the way off before it is tried again.
    if (life.state === before && requeueAfter !== 0)
      life.now = Math.max(life.now, nextInstant(life.status, life.now) ?? life.now + 7_200_000);
  }
}

/** A way on which nothing has to fail and nobody has to help. */
function isReachable(life: Life): boolean {
  const leaves = parseLeaves(life.lifecycle.index, life.state ?? "A") ?? ["A"];
  const plan = life.status && planToTarget(life.lifecycle, life.status.target, leaves);
  return plan?.every(({ edge }) => !["human", "failure", "spec"].includes(takerOf(edge))) ?? false;
}

/** How the tasks of a life have ended, as its persisted records tell. */
class Ends {
  /** Keys of tasks that have failed for the machine. */
  readonly told = new Set<string>();
  readonly #life: Life;
  /** Keys of attempts that were recorded, and of those that another one has followed. */
  readonly #known = new Set<string>();
  readonly #followed = new Set<string>();
  #looked = 0;
  #last: string | undefined;

  constructor(life: Life) {
    this.#life = life;
  }

  /** Looks at what is persisted now. */
  look(): void {
    const { status, compensations, ends, plans } = this.#life;
    const isNew = plans.length > this.#looked;
    this.#looked = plans.length;
    if (isNew && this.#last !== undefined && plans.at(-1)?.moved?.event.includes("error.") === true) {
      this.told.add(this.#last);
      // The machine is told of a failure only on clean ground.
      expect(compensations).toContain(this.#last);
    }
    this.#last = status?.tasks["work"]?.key;
    for (const { key, earlier = [] } of Object.values(status?.tasks ?? {})) {
      this.#known.add(key);
      for (const each of earlier) this.#followed.add(each);
    }
    for (const key of compensations) {
      expect(ends.lastIndexOf(`cancel ${key}`)).toBeLessThan(ends.indexOf(`compensate ${key}`));
    }
  }

  succeeded(): readonly string[] {
    return this.#life.told.flatMap((report) =>
      report.kind === "observed" && report.observation.phase === "Succeeded" ? [report.key] : [],
    );
  }

  /** Keys of the tasks that are over, and have not succeeded. */
  unsuccessful(): readonly string[] {
    const records = Object.values(this.#life.status?.tasks ?? {});
    const open = records.filter(({ phase }) => phase !== "Failed").map(({ key }) => key);
    const excluded = new Set([...open, ...this.#followed, ...this.succeeded()]);
    return [...this.#known].filter((key) => !excluded.has(key));
  }
}

const drawnLife = fc.record({
  states: fc.array(drawnState, { minLength: names.length, maxLength: names.length }),
  happenings: fc.array(happening, { maxLength: 40 }),
});

const bare: DrawnState = { desired: [], observed: [], after: undefined, task: undefined };

/** Where a timer begins work again that comes back: its end has to be seen before the timer elapses. */
const beganAnew = {
  states: [
    { ...bare, after: 0, task: { done: 2, failed: undefined } },
    bare,
    { ...bare, observed: [0] },
    { ...bare, desired: [0] },
    bare,
  ],
  happenings: [],
};

describe("a lifecycle of any shape", () => {
  it("never starts one task twice, keeps its budget, and ends in equal cycles", () => {
    fc.assert(
      fc.property(drawnLife, ({ states, happenings }) => {
        const life = new Life(build(states), { policies: { work: { attempts: 2 } } });
        for (const what of happenings) {
          apply(life, what);
          expect(new Set(life.starts).size).toBe(life.starts.length);
          if (life.status !== undefined) expect(sizeOf(life.status)).toBeLessThanOrEqual(8_192);
        }
        cooperate(life);
        expect(new Set(life.starts).size).toBe(life.starts.length);
        // What runs belongs to the active states; everything else was cancelled.
        const known = Object.values(life.status?.tasks ?? {}).map((task) => task.key);
        for (const [key, seen] of life.running) if (seen.phase === "Running") expect(known).toContain(key);
      }),
      { numRuns: 60 },
    );
  });

  it("restores what it has decided itself as it would restore it from the server", () => {
    fc.assert(
      fc.property(drawnLife, ({ states, happenings }) => {
        const life = new Life(build(states), { policies: { work: { attempts: 2 } } });
        for (const what of happenings) {
          apply(life, what);
          const { lifecycle, status, conditions } = life;
          if (status === undefined) continue;
          const own = structuredClone(status);
          noteOwnDraft(own);
          const restore = (each: LifecycleStatus): RestoredLifecycle =>
            restoreLifecycle(lifecycle, { status: each, conditions, uid: "u", spec: {} });
          expect(restore(own)).toEqual(restore(status));
        }
      }),
    );
  });

  it("decides after a cycle that came to rest as it would without knowing of that", () => {
    let spared = 0;
    // Where nothing is under way there is rest: most of these have neither a timer nor a task.
    const restful = drawnLife.map(({ states, happenings }) => ({
      states: states.map((state, index) =>
        index < 2 ? state : { ...state, after: undefined, task: undefined },
      ),
      happenings,
    }));
    const meanwhile = fc.array(happening, { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(restful, meanwhile, ({ states, happenings }, each) => {
        const begin = (): Life => new Life(build(states), { policies: { work: { attempts: 2 } } });
        const [life, next] = [begin(), begin()];
        for (const what of happenings) {
          apply(life, what);
          const input = life.input();
          const plan = planCycle(input);
          const { status, passing } = plan;
          if (status === undefined || passing === undefined) continue;
          // Another life goes on from there, in which something happens before the next cycle.
          for (const happens of [undefined, ...each]) {
            Object.assign(next, life, { status, reports: [] });
            if (happens !== undefined && happens.kind !== "cycle") apply(next, happens);
            const after = { ...next.input(), status, conditions: [plan.condition], passed: [passing] };
            const restored = restoreLifecycle(life.lifecycle, after);
            const whole = planCycle(after, restored);
            expect(planCycle(after, restored, { input, plan })).toEqual(whole);
            if (isUnchanged({ input, plan }, after) && whole.moved === undefined) spared += 1;
          }
        }
      }),
      { numRuns: 200 },
    );
    expect(spared).toBeGreaterThan(100);
  });

  it("takes a target for done only where no task of its state was cut off", () => {
    const timed = fc.record({ after: target, done: target, failed: fc.option(target, { nil: undefined }) });
    let done = 0;
    fc.assert(
      fc.property(drawnLife, timed, ({ states, happenings }, { after, ...task }) => {
        const [a = [], b = [], ...others] = states.map((state) => [state]);
        const life = new Life(
          build([
            ...a.map((state) => ({
              ...state,
              desired: [1, ...state.desired],
              after: undefined,
              task: undefined,
            })),
            ...b.map((state) => ({ ...state, after, task })),
            ...others.flat(),
          ]),
        );
        const cycle = { kind: "cycle", crash: undefined } as const;
        const begin: Happening[] = [cycle, { kind: "target", to: 1, request: 0 }, cycle, cycle];
        for (const what of [...begin, ...happenings]) {
          const before = life.status?.target;
          apply(life, what);
          const { target } = life.status ?? {};
          const isDone = target?.reached === true && before?.entered === true && !before.reached;
          if (what.kind !== "cycle" || !isDone || !life.lifecycle.roles.transient.has(target.state)) continue;
          done += 1;
          const ends = life.plans.at(-1)?.taskEnds?.map(({ result }) => result);
          expect(ends).not.toContain("cancelled");
        }
      }),
      { numRuns: 60 },
    );
    expect(done).toBeGreaterThan(0);
  });

  it("compensates every task that ends without success until that has returned once, and no other", () => {
    let [compensated, failed] = [0, 0];
    fc.assert(
      fc.property(drawnLife, fc.nat({ max: 2 }), ({ states, happenings }, retries) => {
        const timeout = 5_400_000;
        const policies = { work: { attempts: 1 + retries, timeout, compensates: true as const } };
        const life = new Life(build(states), { policies });
        const ends = new Ends(life);
        for (const what of happenings) {
          apply(life, what);
          ends.look();
        }
        // Only a crash may lose the answer: then it is called again.
        const crashed = happenings.some((what) => what.kind === "cycle" && what.crash !== undefined);
        for (let round = 0; round < 3; round += 1) {
          life.pass("1h");
          for (let cycle = 0; cycle < 3; cycle += 1) {
            life.cycle();
            ends.look();
          }
        }
        for (const key of ends.succeeded()) expect(life.compensations).not.toContain(key);
        for (const key of ends.unsuccessful()) expect(life.compensations).toContain(key);
        const times = life.compensations.length - new Set(life.compensations).size;
        if (!crashed) expect(times).toBe(0);
        compensated += life.compensations.length;
        failed += ends.told.size;
      }),
      { numRuns: 60 },
    );
    expect(compensated).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
  });

  it("does nothing while paused, and reaches the last target once it is resumed", () => {
    const meanwhile = fc.array(happening, { maxLength: 20 });
    fc.assert(
      fc.property(drawnLife, meanwhile, fc.nat({ max: names.length }), (drawn, paused, last) => {
        const life = new Life(build(drawn.states));
        for (const what of drawn.happenings) apply(life, what);
        life.cycle();
        life.send("pause");
        life.cycle();
        expect(life.status?.paused).toBeDefined();
        const { state } = life;
        const before = { moves: life.path.length, starts: life.starts.length, cancels: life.cancels.length };
        for (const what of paused) {
          apply(life, what);
          const plan = life.plan();
          expect(plan.moved).toBeUndefined();
          expect(plan.effects).toEqual([]);
          expect(plan.requeueAfter).not.toBe(0);
          expect({ state: life.state, reason: life.condition.reason }).toEqual({ state, reason: state });
        }
        expect(life.path).toHaveLength(before.moves);
        expect(life.starts).toHaveLength(before.starts);
        expect(life.cancels).toHaveLength(before.cancels);
        const target = nameOf(last);
        life.observed = undefined;
        life.ask(target, "last");
        life.cycle();
        life.send("resume");
        life.cycle();
        expect(life.status?.paused).toBeUndefined();
        const reachable =
          isReachable(life) && life.lifecycle.desirable.includes(target) && life.state !== "End";
        cooperate(life);
        expect(new Set(life.starts).size).toBe(life.starts.length);
        if (!reachable) return;
        const { reached, outcome, ...rest } = life.status?.target ?? {};
        expect(rest).toMatchObject({ state: target, request: "last" });
        expect(reached === true || outcome !== undefined || isRound(life.lifecycle, target)).toBe(true);
      }),
      { numRuns: 60, examples: [[beganAnew, [{ kind: "lose", moment: "before" }], 0]] },
    );
  });

  it("reaches the last target when a way leads there, reaches it once, and then writes nothing", () => {
    fc.assert(
      fc.property(drawnLife, fc.nat({ max: names.length }), ({ states, happenings }, last) => {
        const life = new Life(build(states));
        for (const what of happenings) apply(life, what);
        const target = nameOf(last);
        life.observed = undefined;
        life.ask(target, "last");
        life.cycle();
        const accepted = life.lifecycle.desirable.includes(target);
        const ended = life.state === "End";
        const reachable = isReachable(life);
        cooperate(life);
        if (!accepted) {
          expect(life.condition).toMatchObject({ status: "False" });
          expect(life.condition.message).toContain(`"${target}" is not a state that may be desired`);
          return;
        }
        if (reachable && !ended) {
          expect(life.status?.target).toMatchObject({ state: target, request: "last" });
          const { reached, outcome } = life.status?.target ?? {};
          expect(reached === true || outcome !== undefined || isRound(life.lifecycle, target)).toBe(true);
        }
        // A state that is drawn to begin itself anew, by a timer or a task, has no rest.
        const isRestless = Object.keys({ ...life.status?.timers, ...life.status?.tasks }).length > 0;
        if (life.condition.status !== "True" || isRestless) return;
        const before = { status: life.status, conditions: life.conditions, starts: life.starts.length };
        for (let round = 0; round < 5; round += 1) {
          life.pass("7m");
          const plan = life.cycle();
          expect(plan.status).toEqual(before.status);
          expect(plan.effects).toEqual([]);
          expect(plan.pendingEvents).toEqual([]);
          expect(plan.moved).toBeUndefined();
        }
        expect(life.conditions).toBe(before.conditions);
        expect(life.starts).toHaveLength(before.starts);
      }),
      { numRuns: 60 },
    );
  });
});
