// Deleting the resource sets the target to the end that nothing overrides.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { hastyLifecycle } from "./hasty-lifecycle.ts";
import { Life } from "./life.ts";

describe("deleting an application", () => {
  it("leads from anywhere to the end, whatever the spec desires", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.ask("Running");
    life.settle();
    life.deleting = true;
    life.settle();
    expect(life.state).toBe("Stopping");
    expect(life.plans.at(-1)?.ended).toBe(false);
    life.finish();
    life.settle();
    expect(life.state).toBe("End");
    expect(life.plans.at(-1)?.ended).toBe(true);
  });

  it("does not end before a task that is being cancelled is gone", () => {
    const life = new Life(hastyLifecycle);
    life.settle();
    life.deleting = true;
    const plan = life.cycle("beforeEffects");
    expect(life.state).toBe("End");
    expect(plan.ended).toBe(false);
    expect(life.cycle().effects).toMatchObject([{ kind: "cancelTask" }]);
    expect(life.cycle().ended).toBe(true);
    expect(life.status?.tasks).toEqual({});
  });

  it("leads out of HumanIntervention once by itself, and then waits for a person", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("1h");
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    life.deleting = true;
    life.settle();
    expect(life.state).toBe("Stopping");
    life.finish({ phase: "Failed", message: "cannot drain" });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("cannot drain");
    for (let round = 0; round < 5; round += 1) expect(life.cycle().moved).toBeUndefined();
    expect(life.starts).toHaveLength(1);
    life.observed = "Running";
    life.send("retry");
    life.settle();
    expect(life.state).toBe("Stopping");
    life.finish();
    life.settle();
    expect(life.plans.at(-1)?.ended).toBe(true);
  });

  it("creates nothing for a resource that is deleted before its first cycle", () => {
    const life = new Life(databaseLifecycle);
    life.deleting = true;
    const plan = life.cycle();
    expect(plan.operation).toBe("delete");
    expect(plan.ended).toBe(true);
    expect(life.starts).toEqual([]);
  });

  it("stops what is seen although nothing is stored", () => {
    const life = new Life(databaseLifecycle);
    life.deleting = true;
    life.observed = "Running";
    life.cycle();
    expect(life.state).toBe("Stopping");
    life.settle();
    life.finish();
    life.settle();
    expect(life.plans.at(-1)?.ended).toBe(true);
  });

  it("is over at once where nothing ends", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "endless",
        version: "1",
        initial: "Start",
        states: { Start: { on: { "observed.Running": "Running" } }, Running: {} },
      }),
    );
    life.settle();
    life.deleting = true;
    expect(life.cycle().ended).toBe(true);
  });
});

describe("deleting an application whose lifecycle has no end", () => {
  const endless = setupLifecycle().createMachine({
    id: "endless",
    version: "1",
    initial: "New",
    states: {
      New: { on: { "observed.Up": "Working" } },
      Working: { invoke: { id: "work", src: "work", onDone: "Ready", onError: "Ready" } },
      Ready: { on: { "human.again": "Working", "observed.Down": "New" } },
    },
  });

  function working(policies = {}): Life {
    const life = new Life(endless, { policies });
    life.observed = "Up";
    life.settle();
    expect(life.state).toBe("Working");
    expect(life.task.phase).toBe("Running");
    return life;
  }

  it("is over at once where nothing runs, and moves no more", () => {
    const life = working();
    life.finish();
    life.settle();
    life.deleting = true;
    life.observed = "Down";
    const plan = life.cycle();
    expect(plan).toMatchObject({ ended: true, effects: [] });
    expect(plan.moved).toBeUndefined();
  });

  it("cancels what runs before it is over, and says so", () => {
    const life = working();
    life.deleting = true;
    const plan = life.cycle();
    expect(plan.ended).toBe(false);
    expect(plan.effects).toMatchObject([{ kind: "cancelTask", id: "work" }]);
    expect(plan.condition.message).toBe("Working; the resource is being deleted; work is being cancelled");
    life.settle();
    expect(life.plans.at(-1)?.ended).toBe(true);
    expect(life.cancels).toHaveLength(1);
    expect(life.running.size).toBe(0);
    expect(life.starts).toHaveLength(1);
  });

  it("compensates what it cancels, whenever the operator is killed", () => {
    for (const crash of ["beforeWrite", "beforeEffects", "afterEffects"] as const) {
      const life = working({ work: { compensates: true } });
      life.deleting = true;
      life.cycle(crash);
      life.settle();
      expect(life.plans.at(-1)?.ended).toBe(true);
      expect(life.compensations.length).toBeGreaterThan(0);
      expect(life.running.size).toBe(0);
      expect(life.starts).toHaveLength(1);
    }
  });

  it("starts nothing for a resource that is deleted before its first cycle", () => {
    const life = new Life(endless);
    life.observed = "Up";
    life.deleting = true;
    life.settle();
    expect(life.plans.at(-1)?.ended).toBe(true);
    expect(life.starts).toEqual([]);
  });
});
