// The lifecycle as an actor: what it persists brings it back, nothing that is stored starts anything, and it moves under the
// events of the graph.
import { describe, expect, it } from "vitest";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import { createActor, type AnyActorLogic, type InspectionEvent } from "xstate";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";
import type { CycleInput, CyclePlan } from "../../src/lifecycle/cycle-plan.ts";
import {
  cycleLevels,
  lifecycleLogic,
  statusChanged,
  type LifecycleActor,
} from "../../src/lifecycle/lifecycle-logic.ts";
import { planCycle } from "../../src/lifecycle/cycle.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { noInspector, type Inspector, type RootActor } from "../../src/statechart/inspection.ts";
import { beginPure } from "../../src/statechart/pure-logic.ts";
import { mutations, situations } from "./stored-situations.ts";

const taken = situations();
const same = (text: string): string => text;

/** What XState's inspection tells of an actor, one line for each message. */
function listening(): { readonly inspector: Inspector; readonly lines: string[]; readonly told: unknown[] } {
  const lines: string[] = [];
  const told: unknown[] = [];
  const inspector: Inspector = {
    ...noInspector,
    begin: (root: RootActor) => {
      root.system.inspect((message: InspectionEvent) => {
        if (message.type !== "@xstate.event" && message.type !== "@xstate.snapshot") return;
        const { event } = message;
        const isSnapshot = message.type === "@xstate.snapshot";
        const { status, value } = (isSnapshot ? message.snapshot : {}) as {
          status?: string;
          value?: unknown;
        };
        lines.push(isSnapshot ? `${status} ${JSON.stringify(value)}` : event.type);
        told.push(event, isSnapshot ? message.snapshot : undefined);
      });
    },
  };
  return { inspector, lines, told };
}

function begin(input: CycleInput, inspector = noInspector): LifecycleActor {
  const logic = lifecycleLogic(input.lifecycle);
  return beginPure(logic, input, { id: "lifecycle", clock: systemClock, inspector });
}

function decide(actor: LifecycleActor, input: CycleInput): CyclePlan {
  actor.send(cycleLevels(input, same));
  const { plan } = actor.state;
  if (plan === undefined) throw new Error("no plan");
  return plan;
}

function startsOf(plan: CyclePlan): number {
  return plan.effects.filter(({ kind }) => kind === "startTask").length;
}

describe("the actor of a lifecycle", () => {
  it.each(taken)("decides what the cycle decides, and persists it (%s)", (_name, input) => {
    const actor = begin(input);
    expect(actor.persist()).toEqual(input.status);
    const plan = decide(actor, input);
    expect(plan).toEqual(planCycle(input));
    expect(actor.persist()).toEqual(plan.status);
  });

  it.each(taken)("goes on from what it has persisted, through JSON (%s)", (_name, input) => {
    const first = begin(input);
    decide(first, input);
    const status: unknown = JSON.parse(JSON.stringify(first.persist()));
    first.stop();
    const [next, known] = [{ ...input, conditions: [], status }, listening()];
    const second = begin(next, known.inspector);
    expect(second.persist()).toEqual(status);
    expect(known.lines[1]).toBe(`active ${JSON.stringify(first.state.plan?.status?.state)}`);
    expect(decide(second, next)).toEqual(planCycle(next));
  });

  it.each(taken)(
    "goes on from what it has just decided as it does from what is stored of it (%s)",
    (_name, input) => {
      const first = begin(input);
      const drafted = decide(first, input).status;
      const stored: unknown = JSON.parse(JSON.stringify(drafted));
      const restoredOf = (status: unknown) => {
        first.send(statusChanged({ ...input, conditions: [], status }));
        return first.state.restored;
      };
      expect(restoredOf(drafted)).toEqual(restoredOf(stored));
      // What is like it in all but what is decided on was written by somebody else.
      const edited = { ...(drafted as object), digest: "another" };
      expect(restoredOf(edited).problems).not.toEqual([]);
    },
  );

  const damaged = ["running", "intended", "progressed"];
  it.each(taken.filter(([name]) => damaged.includes(name)))(
    "begins from every single-field mutation of a stored status, and starts nothing (%s)",
    (_name, input) => {
      for (const status of mutations(input.status)) {
        const actor = begin({ ...input, status });
        expect(actor.isActive).toBe(true);
        expect(startsOf(decide(actor, { ...input, status })), JSON.stringify(status)).toBe(0);
      }
    },
  );

  it("starts nothing of the children and timers that a status forges", () => {
    const [, input] = taken.find(([name]) => name === "running") ?? taken[0] ?? [];
    if (input === undefined) throw new Error("no situation");
    const forged = {
      status: "active",
      value: "Servicing",
      children: { backup: { src: "backUp", snapshot: { status: "active", input: { to: "elsewhere" } } } },
      scheduler: { "x:0.backup": { id: "backup", source: {}, target: {}, event: { type: "go" }, delay: 0 } },
      ...(input.status as object),
    };
    const { inspector, lines, told } = listening();
    const actor = begin({ ...input, status: forged }, inspector);
    expect(startsOf(decide(actor, { ...input, status: forged }))).toBe(0);
    expect(lines).toEqual(["xstate.init", 'active "Running"', "lifecycle.levels", 'active "Running"']);
    expect((told.at(-1) as { readonly children: object }).children).toEqual({});
  });

  it("declares to viewers every event that it is sent beside those of the graph", () => {
    const { config } = lifecycleLogic(compileLifecycle(databaseLifecycle));
    const { on } = config as { readonly on: Readonly<Record<string, { readonly description?: string }>> };
    for (const event of ["levels", "stored", "begin", "restore", "intervene", "restart", "stop", "end"])
      expect(on[`lifecycle.${event}`]?.description, event).toMatch(/^[A-Z].*\.$/);
  });

  it("moves under the events of the graph, in the author's words, each from where it stands", () => {
    const life = new Life(databaseLifecycle, {});
    life.observed = "Running";
    const { inspector, lines } = listening();
    const actor = begin(life.input(), inspector);
    for (let round = 0; round < 2; round += 1) {
      actor.send(statusChanged(life.input()));
      decide(actor, life.input());
      life.cycle();
    }
    expect(lines).toEqual([
      "xstate.init",
      "active {}",
      "lifecycle.stored",
      "active {}",
      "lifecycle.levels",
      "active {}",
      life.plans[0]?.moved?.through,
      'active "Start"',
      "lifecycle.stored",
      'active "Start"',
      "lifecycle.levels",
      'active "Start"',
      "observed.Running",
      'active "Running"',
    ]);
  });

  it("shows neither the spec nor what is stored, and texts only with their secrets masked", () => {
    const life = new Life(databaseLifecycle, {});
    life.settle();
    life.edit({ password: "hunter2" });
    const input = {
      ...life.input(),
      observation: { state: "Running", message: "hunter2", facts: { a: "hunter2" } },
    };
    const { inspector, lines, told } = listening();
    const actor = begin(input, inspector);
    actor.send(cycleLevels(input, (text) => text.replaceAll("hunter2", "[masked]")));
    expect(lines).toContain("observed.Running");
    expect(JSON.stringify(told)).not.toContain("hunter2");
    const levels = told.find(
      (event) => (event as { type?: string } | undefined)?.type === "lifecycle.levels",
    );
    expect(JSON.parse(JSON.stringify(levels))).toEqual({ type: "lifecycle.levels", observed: "Running" });
  });

  it("ends when its resource may go, with what it has come to", () => {
    const life = new Life(databaseLifecycle, {});
    life.observed = "Running";
    life.settle();
    life.deleting = true;
    const { inspector, lines } = listening();
    const actor = begin(life.input(), inspector);
    for (let round = 0; round < 10 && actor.isActive; round += 1) {
      actor.send(statusChanged(life.input()));
      decide(actor, life.input());
      life.cycle();
      life.finish();
    }
    expect(lines.at(-1)).toBe('done "End"');
  });

  it("tells its sender what fails in it, and ends with that; an event that it does not know is such a failure", () => {
    const [, input] = taken[0] ?? [];
    if (input === undefined) throw new Error("no situation");
    const failing = begin(input);
    const broken = (): string => {
      throw new Error("a broken mask");
    };
    const withTexts = { ...input, human: { event: "retry", id: "1" }, observation: { state: "Running" } };
    expect(() => failing.send(cycleLevels(withTexts, broken))).toThrow("a broken mask");
    expect(failing.isActive).toBe(false);
    expect(failing.persist()).toEqual(input.status);
    const foreign = createActor(lifecycleLogic(input.lifecycle) as AnyActorLogic, { input });
    const errors: unknown[] = [];
    foreign.subscribe({ error: (error) => errors.push(error) });
    foreign.start();
    expect(errors).toHaveLength(1);
    const sent = begin(input);
    expect(() => sent.send({ type: "observed.Running" } as never)).toThrow(
      expect.objectContaining({ code: "EVENT_UNDECLARED" }),
    );
  });
});
