// What a task that has not succeeded leaves behind: undone once it is over, before the machine is told, whatever crashes.
import { describe, expect, it } from "vitest";
import { lifecycleStatusSchema } from "../../src/kinds/lifecycle-schemas.ts";
import { readStatus } from "../../src/lifecycle/stored/read-status.ts";
import type { TaskPolicy } from "../../src/lifecycle/tasks/task-record.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { hastyLifecycle } from "./hasty-lifecycle.ts";
import { Life } from "./life.ts";

function servicing(policy: Partial<TaskPolicy> = {}, compensates = true): Life {
  const given = { ...policy, ...(compensates ? { compensates } : {}) } as Partial<TaskPolicy>;
  const life = new Life(databaseLifecycle, { policies: { backUp: given } });
  life.observed = "Running";
  life.settle();
  life.ask("Servicing");
  life.settle();
  expect(life.state).toBe("Servicing");
  return life;
}

const noSpace = { phase: "Failed", message: "no space" } as const;

/** The Events about the end of tasks, from the first end on. */
function told({ plans }: Life): readonly string[] {
  const reasons = plans.flatMap(({ pendingEvents }) => pendingEvents.map(({ reason }) => reason));
  return reasons.filter((reason) => ["TaskCompensating", "TaskCompensated", "TaskFailed"].includes(reason));
}

describe("a task that fails", () => {
  it("is compensated before the machine is told, from an intent that is persisted first", () => {
    const life = servicing();
    const { key } = life.task;
    life.finish(noSpace);
    const plan = life.cycle("beforeEffects");
    expect(life.state).toBe("Servicing");
    expect(life.task).toMatchObject({ key, phase: "Compensating", failure: "no space" });
    expect(plan.effects).toMatchObject([{ kind: "compensateTask", id: "backup", task: { key } }]);
    expect(plan.taskEnds).toMatchObject([{ src: "backUp", result: "failed" }]);
    expect(plan.pendingEvents).toContainEqual({
      type: "Normal",
      reason: "TaskCompensating",
      message: "backup is being compensated: no space",
    });
    expect(life.condition.message).toContain("backup failed: no space; it is being compensated");
    life.clumsy = true;
    life.settle();
    expect(life.compensations).toEqual([]);
    expect(told(life)).toEqual(["TaskCompensating"]);
    life.pass("5s");
    life.settle();
    expect(told(life)).toEqual(["TaskCompensating", "TaskCompensated", "TaskFailed"]);
    expect(life.compensations).toEqual([key]);
    expect(life.cancels).toEqual([]);
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("backup failed: no space");
    expect(life.status?.tasks).toEqual({});
  });

  it("is compensated once, after its last attempt, with the keys of all attempts", () => {
    const life = servicing({ attempts: 3, delay: 1_000 });
    for (const attempt of [1, 2, 3]) {
      expect(life.task).toMatchObject({ attempt, phase: "Running" });
      expect(life.compensations).toEqual([]);
      life.finish(noSpace);
      life.cycle("beforeEffects");
      if (attempt === 3) break;
      expect(life.task).toMatchObject({ attempt: attempt + 1, phase: "Intended" });
      life.pass("5s");
      life.settle();
    }
    const [first, second, third] = life.starts;
    expect(life.task).toMatchObject({ phase: "Compensating", key: third, earlier: [first, second] });
    life.settle();
    expect(life.compensations).toEqual([third]);
    expect(life.state).toBe("HumanIntervention");
  });

  it("keeps no more keys than a status has room for", () => {
    const life = servicing({ attempts: 40, delay: 1_000 });
    for (let attempt = 1; attempt <= 40; attempt += 1) {
      life.finish(noSpace);
      life.cycle("beforeEffects");
      if (attempt === 40) break;
      life.pass("5m");
      life.settle();
    }
    expect(life.task.earlier).toEqual(life.starts.slice(-16, -1));
  });

  it("tells the machine nothing while its state is left meanwhile, and is compensated all the same", () => {
    const life = servicing();
    const { key } = life.task;
    life.finish(noSpace);
    life.cycle("beforeEffects");
    life.send("abort");
    const plan = life.cycle("beforeEffects");
    expect(life.state).toBe("Running");
    expect(life.status?.tasks).toMatchObject({ [key]: { phase: "Compensating" } });
    expect(life.status?.tasks[key]).not.toHaveProperty("failure");
    expect(plan.effects).toMatchObject([{ kind: "compensateTask", id: key }]);
    expect(told(life)).toEqual(["TaskCompensating"]);
    life.settle();
    expect(told(life)).toEqual(["TaskCompensating", "TaskCompensated"]);
    expect(life.compensations).toEqual([key]);
    expect(life.state).toBe("Running");
    expect(life.status?.tasks).toEqual({});
  });

  it.each([
    ["nothing", "", "it did not succeed"],
    ["more than can be read back", "x".repeat(5_000), "x".repeat(512)],
  ])("is told to the machine also where its message is %s", (_what, message, told) => {
    const life = servicing();
    life.reports = [{ key: life.task.key, kind: "startFailed", message }];
    life.cycle("beforeEffects");
    expect(life.task).toMatchObject({ phase: "Compensating", failure: told });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.status?.last?.cause).toContain(told.slice(0, 100));
  });

  it("is told to the machine at once where nothing compensates it", () => {
    const life = servicing({}, false);
    life.finish(noSpace);
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
    life.settle();
    expect(life.compensations).toEqual([]);
  });
});

describe("a task whose deadline passes", () => {
  it("is cancelled, then compensated, and only then told to the machine", () => {
    const life = servicing({ timeout: 3_600_000 });
    const { key } = life.task;
    life.pass("1h");
    const plan = life.cycle("beforeEffects");
    expect(plan.taskEnds).toMatchObject([{ result: "failed" }]);
    expect(life.task).toMatchObject({ phase: "Cancelling", failure: "not done by its deadline" });
    expect(life.condition.message).toContain(
      "backup failed: not done by its deadline; it is being cancelled",
    );
    life.cycle();
    life.cycle("beforeEffects");
    expect(life.task).toMatchObject({ phase: "Compensating", failure: "not done by its deadline" });
    expect(life.state).toBe("Servicing");
    life.settle();
    expect(life.ends).toEqual([`cancel ${key}`, `compensate ${key}`]);
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("not done by its deadline");
    expect(life.status?.tasks).toEqual({});
  });
});

describe("a task whose state is left", () => {
  it("is compensated once its cancel has returned, while the application goes on", () => {
    const life = servicing();
    const { key } = life.task;
    life.send("abort");
    life.cycle("beforeEffects");
    expect(life.state).toBe("Running");
    life.reports = [{ key, kind: "cancelFailed", message: "not now" }];
    life.cycle();
    expect(life.ends).toEqual([]);
    life.pass("5s");
    life.settle();
    expect(life.ends).toEqual([`cancel ${key}`, `compensate ${key}`]);
    expect(life.status?.tasks).toEqual({});
  });

  it("is compensated without a cancel where its next attempt was not yet made", () => {
    const life = servicing({ attempts: 2 });
    const { key: first } = life.task;
    life.finish(noSpace);
    life.cycle();
    const { key } = life.task;
    life.send("abort");
    life.cycle("beforeEffects");
    expect(life.status?.tasks).toMatchObject({ [key]: { phase: "Compensating", earlier: [first] } });
    life.settle();
    expect(life.ends).toEqual([`compensate ${key}`]);
  });

  it("holds up the end of a deleted resource until it is compensated", () => {
    const life = new Life(hastyLifecycle, { policies: { install: { compensates: true } } });
    life.settle();
    life.deleting = true;
    expect(life.cycle().ended).toBe(false);
    life.clumsy = true;
    expect(life.cycle().ended).toBe(false);
    expect(life.cycle().ended).toBe(false);
    expect(life.condition.message).toContain("install is being compensated: not yet");
    life.pass("5s");
    expect(life.cycle().ended).toBe(false);
    expect(life.cycle().ended).toBe(true);
    expect(life.compensations).toHaveLength(1);
  });
});

describe("a task that succeeds", () => {
  it("is not compensated, also where its state is left or its deadline passes in the same cycle", () => {
    for (const abort of [false, true]) {
      const life = servicing({ timeout: 3_600_000 });
      life.finish();
      life.pass("2h");
      if (abort) life.send("abort");
      life.settle();
      expect(life.state).toBe("Running");
      expect(life.ends).toEqual([]);
      expect(life.status?.tasks).toEqual({});
    }
  });

  it("is not compensated where nobody knows whether it has, because its record was lost", () => {
    const life = servicing();
    const { key } = life.task;
    life.running.clear();
    life.store({ ...life.status, tasks: { backup: { ...life.task, phase: "Intended", lost: true } } });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    life.cycle();
    expect(life.compensations).not.toContain(key);
  });
});

describe("compensating", () => {
  it.each(["beforeEffects", "afterEffects"] as const)("goes on after a crash (%s)", (crash) => {
    const life = servicing();
    const { key } = life.task;
    life.finish(noSpace);
    life.cycle(crash);
    expect(life.compensations).toEqual(crash === "beforeEffects" ? [] : [key]);
    life.settle();
    expect(new Set(life.compensations)).toEqual(new Set([key]));
    expect(life.compensations).toHaveLength(crash === "beforeEffects" ? 1 : 2);
    expect(life.state).toBe("HumanIntervention");
  });

  it("that fails or hangs is tried again ever later, and says so", () => {
    const life = servicing();
    const { key } = life.task;
    life.finish(noSpace);
    life.cycle("beforeEffects");
    life.reports = [{ key, kind: "compensateFailed", message: "the storage is full" }];
    const plan = life.cycle();
    expect(plan.effects).toEqual([]);
    expect(plan.requeueAfter).toBeLessThanOrEqual(5_000);
    expect(life.task).toMatchObject({ phase: "Compensating", compensations: 1, failure: "no space" });
    expect(life.condition.message).toContain(
      "backup failed: no space; it is being compensated: the storage is full",
    );
    life.pass("5s");
    expect(life.cycle("beforeEffects").effects).toMatchObject([{ kind: "compensateTask" }]);
    life.reports = [{ key, kind: "unanswered", hook: "compensate", since: life.now }];
    life.cycle();
    expect(life.task).toMatchObject({ compensations: 2, hanging: { hook: "compensate" } });
    expect(life.condition.message).toContain("compensate of the task backUp has not returned since 2026");
    life.pass("9s");
    expect(life.cycle().effects).toEqual([]);
    life.pass("1s");
    life.settle();
    expect(life.compensations).toEqual([key]);
    expect(life.state).toBe("HumanIntervention");
  });

  it("waits while the application is paused", () => {
    const life = servicing();
    life.finish(noSpace);
    life.cycle("beforeEffects");
    life.send("pause");
    for (let round = 0; round < 3; round += 1) expect(life.cycle().effects).toEqual([]);
    life.send("resume");
    life.settle();
    expect(life.compensations).toHaveLength(1);
  });

  it("ends where the operator has no such task any more", () => {
    const life = servicing();
    const { key } = life.task;
    life.finish(noSpace);
    life.cycle("beforeEffects");
    delete life.policies["backUp"];
    life.reports = [{ key, kind: "compensated" }];
    life.settle();
    expect(life.state).toBe("HumanIntervention");
  });

  it("is preceded by a cancel where somebody has edited the status: the task may run", () => {
    const life = servicing();
    const { key } = life.task;
    life.store({ ...life.status, tasks: { backup: { ...life.task, phase: "Compensating" } } });
    life.cycle();
    life.settle();
    expect(life.ends).toEqual([`cancel ${key}`, `compensate ${key}`]);
    expect(life.running.size).toBe(0);
    expect(life.condition.message).toContain("backup failed: it did not succeed");
  });

  it("is read back as it was written, and declared to the API server", () => {
    const life = servicing({ attempts: 2, delay: 1_000 });
    life.finish(noSpace);
    life.cycle();
    life.pass("1s");
    life.settle();
    life.finish(noSpace);
    life.cycle("beforeEffects");
    life.reports = [{ key: life.task.key, kind: "compensateFailed", message: "not yet" }];
    life.cycle();
    const written = JSON.parse(JSON.stringify(life.status)) as unknown;
    expect(readStatus(written).tasks["backup"]).toEqual(life.task);
    expect(readStatus(written)).toMatchObject({ edited: false, damaged: [] });
    const declared = JSON.stringify(lifecycleStatusSchema());
    for (const name of [...Object.keys(life.task), "Compensating", "compensate"]) {
      expect(declared).toContain(`"${name}"`);
    }
  });
});
