// A person stops what the operator does with one application, and lets it go on.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

function runningDatabase(): Life {
  const life = new Life(databaseLifecycle);
  life.observed = "Running";
  life.settle();
  return life;
}

function pause(life: Life): void {
  life.human = { event: "pause", id: `pause-${life.plans.length}`, by: "alice" };
  life.cycle();
}

function resume(life: Life): void {
  life.human = { event: "resume", id: `resume-${life.plans.length}`, by: "alice" };
  life.cycle();
}

const pausedConditionOf = (life: Life) => life.conditions.find(({ type }) => type === "Paused");

describe("a pause", () => {
  it("is accepted without being declared, and recorded with who asked and when", () => {
    const life = runningDatabase();
    expect(pausedConditionOf(life)).toBeUndefined();
    pause(life);
    expect(life.status).toMatchObject({
      state: "Running",
      paused: { at: new Date(life.now).toISOString(), by: "alice" },
      human: { event: "pause", accepted: true },
    });
    expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
    expect(life.condition.message).toMatch(/^paused by alice since 2026-01-01T.*; Running, as desired$/);
    expect(pausedConditionOf(life)).toMatchObject({ status: "True", reason: "PauseRequested" });
  });

  it.each(["Start", "Running", "Servicing", "Stopping", "HumanIntervention", "End"])(
    "is accepted in %s",
    (state) => {
      const life = runningDatabase();
      const { snapshot, ...status } = life.status!;
      const { digest: _digest, ...stored } = { ...status, state, snapshot: { ...snapshot, value: state } };
      life.store(stored);
      life.conditions = [{ ...life.condition, reason: state }];
      pause(life);
      expect(life.status).toMatchObject({ state, paused: { by: "alice" } });
      expect(life.condition.reason).toBe(state);
    },
  );

  it("keeps targets, observations and finished tasks waiting, and looks at what runs", () => {
    const life = runningDatabase();
    life.ask("Servicing", "nightly");
    life.settle();
    pause(life);
    life.finish({ phase: "Running", progress: 0.42 });
    life.cycle();
    expect(life.task).toMatchObject({ phase: "Running", progress: 0.42 });
    life.finish();
    life.observed = "Down";
    life.ask("End");
    const plan = life.cycle();
    expect(plan).toMatchObject({ effects: [], operation: "none" });
    expect(plan.moved).toBeUndefined();
    expect(life.task.phase).toBe("Succeeded");
    expect(life.status).toMatchObject({
      state: "Servicing",
      target: { state: "End" },
      plan: ["Running", "Stopping", "End"],
    });
    expect(life.condition.status).toBe("False");
    resume(life);
    expect(life.state).toBe("Running");
    expect(life.status?.paused).toBeUndefined();
    expect(pausedConditionOf(life)).toBeUndefined();
    expect(life.condition.message).not.toContain("paused");
  });

  it("lets no timer elapse, and leaves it the time that remained", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("7m");
    pause(life);
    life.pass("3h");
    life.cycle();
    expect(life.state).toBe("Start");
    resume(life);
    life.pass("2m");
    life.cycle();
    expect(life.state).toBe("Start");
    life.pass("2m");
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
  });

  it("stops the time of deadlines and of the next attempt", () => {
    const life = new Life(databaseLifecycle, {
      policies: { backUp: { attempts: 2, delay: 60_000, timeout: 3_600_000 } },
    });
    life.observed = "Running";
    life.settle();
    life.ask("Servicing");
    life.settle();
    life.finish({ phase: "Failed", message: "disk full" });
    life.cycle();
    pause(life);
    life.pass("5h");
    life.cycle();
    expect(life.task).toMatchObject({ phase: "Intended", attempt: 2 });
    expect(life.starts).toHaveLength(1);
    resume(life);
    expect(life.starts).toHaveLength(1);
    life.pass("61s");
    life.cycle();
    expect(life.starts).toHaveLength(2);
    expect(life.cancels).toEqual([]);
  });

  it("starts nothing whose start a crash has prevented, until it is resumed", () => {
    const life = runningDatabase();
    life.ask("Servicing");
    life.cycle("beforeEffects");
    pause(life);
    life.pass("10m");
    life.cycle();
    expect(life.task.phase).toBe("Intended");
    expect(life.starts).toEqual([]);
    resume(life);
    life.cycle();
    expect(life.starts).toHaveLength(1);
  });

  it("accepts nothing but resume, and is not begun twice", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("1h");
    life.settle();
    pause(life);
    const { paused } = life.status!;
    life.pass("1m");
    for (const event of ["pause", "retry"]) {
      life.send(event);
      const plan = life.cycle();
      expect(plan.human).toMatchObject({ accepted: false });
      expect(plan.human?.message).toContain("HumanIntervention while it is paused; accepted: resume");
    }
    expect(life.status).toMatchObject({ state: "HumanIntervention", paused });
  });

  it("cannot be ended when there is none", () => {
    const life = runningDatabase();
    life.send("resume");
    const plan = life.cycle();
    expect(plan.human?.message).toBe("resume is not accepted in Running; accepted: pause");
  });

  it("waits for the first state of a new resource", () => {
    const life = new Life(databaseLifecycle);
    life.send("pause");
    const first = life.cycle();
    expect(first.human).toBeUndefined();
    expect(life.state).toBe("Start");
    life.cycle();
    expect(life.status?.paused).toBeDefined();
  });

  it("survives the loss of the whole status but its conditions", () => {
    const life = runningDatabase();
    pause(life);
    const { at } = life.status!.paused!;
    life.store(undefined);
    life.pass("1h");
    life.ask("Servicing");
    const plan = life.cycle();
    expect(plan.moved).toBeUndefined();
    expect(life.state).toBe("Running");
    expect(Date.parse(life.status?.paused?.at ?? "")).toBe(Date.parse(at));
  });

  it("survives an edit of the status by somebody else", () => {
    const life = runningDatabase();
    pause(life);
    life.store({ ...life.status, paused: { at: "soon" } });
    life.ask("Servicing");
    expect(life.cycle().moved).toBeUndefined();
    expect(life.status?.paused).toBeDefined();
  });

  it("is ended by the deletion of the resource", () => {
    const life = runningDatabase();
    pause(life);
    life.deleting = true;
    const plan = life.cycle();
    expect(plan.moved).toMatchObject({ to: "Stopping" });
    expect(life.status?.paused).toBeUndefined();
    expect(plan.pendingEvents).toContainEqual(expect.objectContaining({ reason: "PauseEnded" }));
    life.send("pause");
    expect(life.cycle().human).toMatchObject({ accepted: false });
  });

  it("writes nothing new while nothing happens", () => {
    const life = runningDatabase();
    pause(life);
    // That the annotation is gone.
    life.cycle();
    const { status, conditions } = life;
    for (let round = 0; round < 3; round += 1) {
      life.pass("10m");
      const plan = life.cycle();
      expect(plan.status).toEqual(status);
      expect(plan.pendingEvents).toEqual([]);
    }
    expect(life.conditions).toBe(conditions);
  });

  it("is the author's own word where the graph draws it", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "own",
        version: "1",
        initial: "On",
        states: { On: { on: { "human.pause": "Off" } }, Off: { on: { "human.resume": "On" } } },
      }),
    );
    life.settle();
    life.send("pause");
    life.cycle();
    expect(life.state).toBe("Off");
    expect(life.status?.paused).toBeUndefined();
  });
});
