// Long actions: intended before they are started, found again after a crash, limited, retried, cancelled.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import type { TaskPolicy } from "../../src/lifecycle/tasks/task-record.ts";
import { taskKeyOf } from "../../src/lifecycle/tasks/task-key.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

/** On the way into Servicing: the next cycle enters it. */
function asking(policy: Partial<TaskPolicy> = {}): Life {
  const life = new Life(databaseLifecycle, { policies: { backUp: policy } });
  life.observed = "Running";
  life.settle();
  life.ask("Servicing");
  return life;
}

function servicing(policy: Partial<TaskPolicy> = {}): Life {
  const life = asking(policy);
  life.settle();
  return life;
}

describe("a task", () => {
  it("is persisted as an intent in the cycle whose effect starts it", () => {
    const life = asking();
    const plan = life.cycle();
    const { key } = life.task;
    expect(life.task).toMatchObject({ src: "backUp", phase: "Intended", attempt: 1, entry: 1 });
    expect(plan.effects).toMatchObject([{ kind: "startTask", id: "backup", task: { key } }]);
    expect(plan.requeueAfter).toBe(0);
  });

  it("is found running after a crash between start and record, and not started again", () => {
    const life = asking();
    life.cycle("afterEffects");
    expect(life.starts).toHaveLength(1);
    life.settle();
    expect(life.task.phase).toBe("Running");
    expect(life.starts).toHaveLength(1);
  });

  it("is started after a crash between intent and start, with the same key", () => {
    const life = asking();
    life.cycle("beforeEffects");
    const { key } = life.task;
    expect(life.starts).toEqual([]);
    life.settle();
    expect(life.starts).toEqual([key]);
  });

  it("is not started when the write of its intent was lost", () => {
    const life = asking();
    life.cycle("beforeWrite");
    expect(life.starts).toEqual([]);
    life.settle();
    expect(life.starts).toHaveLength(1);
  });

  it("does not fall back when a look cannot tell how far it is, and begins anew with another attempt", () => {
    const life = servicing({ attempts: 2 });
    life.finish({ phase: "Running", progress: 0.99, message: "streaming" });
    life.cycle();
    life.finish({ phase: "Running", message: "storing" });
    life.cycle();
    expect(life.task).toMatchObject({ progress: 0.99, message: "storing" });
    expect(life.condition.message).toContain("backup 99 % done: storing");
    life.finish({ phase: "Running", progress: 0.5 });
    life.cycle();
    expect(life.task.progress).toBe(0.5);
    expect(life.task.message).toBeUndefined();
    life.finish({ phase: "Failed", message: "disk full" });
    life.cycle();
    expect(life.task).toMatchObject({ attempt: 2, phase: "Intended" });
    expect(life.task.progress).toBeUndefined();
  });

  it("shows its progress and message in the condition", () => {
    const life = servicing();
    life.finish({ phase: "Running", progress: 0.4249, message: "table users" });
    life.cycle();
    expect(life.task).toMatchObject({ progress: 0.42 });
    expect(life.condition.message).toBe("backup 42 % done: table users");
  });

  it("hands its output to the edge that its end takes", () => {
    const life = new Life(
      setupLifecycle({
        actions: { remember: ({ event }) => ({ size: event.output ?? null }) },
      }).createMachine({
        id: "sized",
        version: "1",
        initial: "Measuring",
        context: { size: 0 },
        states: {
          Measuring: {
            invoke: {
              id: "measure",
              src: "measure",
              onDone: { target: "Measured", actions: "remember" },
              onError: "Measured",
            },
          },
          Measured: {},
        },
      }),
    );
    life.settle();
    life.finish({ phase: "Succeeded", output: 42 });
    life.settle();
    expect(life.status?.snapshot.context).toEqual({ size: 42 });
    expect(life.status?.tasks).toEqual({});
  });

  it("is tried again after a delay that doubles, each attempt under its own key", () => {
    const life = servicing({ attempts: 3, delay: 10_000 });
    life.finish({ phase: "Failed", message: "no space" });
    life.cycle();
    expect(life.task).toMatchObject({ phase: "Intended", attempt: 2 });
    expect(life.task.message).toBe("attempt 1 of 3 failed: no space");
    expect(life.cycle().requeueAfter).toBeLessThanOrEqual(10_000);
    expect(life.starts).toHaveLength(1);
    life.pass("10s");
    life.settle();
    expect(life.starts).toHaveLength(2);
    life.finish({ phase: "Failed", message: "no space" });
    life.cycle();
    life.pass("19s");
    life.cycle();
    expect(life.starts).toHaveLength(2);
    life.pass("1s");
    life.settle();
    expect(new Set(life.starts).size).toBe(3);
    life.finish({ phase: "Failed", message: "no space" });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.starts).toHaveLength(3);
  });

  it("is not tried again when its failure says so", () => {
    const life = servicing({ attempts: 3 });
    life.finish({ phase: "Failed", message: "no permission", retry: false });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.starts).toHaveLength(1);
  });

  it("counts a start that throws as a failed attempt", () => {
    const life = asking({ attempts: 2, delay: 1_000 });
    life.cycle("beforeEffects");
    life.reports = [{ key: life.task.key, kind: "startFailed", message: "quota" }];
    life.cycle();
    expect(life.task).toMatchObject({ attempt: 2, phase: "Intended" });
    expect(life.starts).toEqual([]);
  });

  it("counts a task that vanished as a failed attempt", () => {
    const life = servicing({ attempts: 2, delay: 1_000 });
    life.running.clear();
    life.cycle();
    expect(life.task).toMatchObject({ attempt: 2 });
    expect(life.task.message).toContain("it has disappeared");
  });

  it("keeps its state while it cannot be looked at", () => {
    const life = servicing();
    life.reports = [{ key: life.task.key, kind: "lookFailed", message: "timeout" }];
    life.cycle();
    expect(life.task).toMatchObject({ phase: "Running", message: "cannot be observed: timeout" });
    expect(life.state).toBe("Servicing");
  });

  it.each(["start", "observe"] as const)("whose %s hangs says so, since when, and what to do", (hook) => {
    const life = asking();
    life.cycle("beforeEffects");
    const { key } = life.task;
    const since = "2026-01-01T00:00:00.000Z";
    for (let round = 0; round < 2; round += 1) {
      life.reports = [{ key, kind: "unanswered", hook, since: life.now }];
      life.cycle();
      expect(life.task).toMatchObject({ phase: "Intended", attempt: 1, hanging: { hook, since } });
      life.pass("10s");
    }
    expect(life.condition.message).toContain(`${hook} of the task backUp has not returned since ${since}`);
    expect(life.condition.message).toContain("return at once, let the work continue");
    expect(life.starts).toEqual([]);
    life.reports = [{ key, kind: "observed", observation: { phase: "Running" } }];
    life.cycle();
    expect(life.task).not.toHaveProperty("hanging");
    expect(life.condition.message).not.toContain("has not returned");
  });

  it("whose cancel hangs says so, and is cancelled again later", () => {
    const life = servicing();
    const { key } = life.task;
    life.send("abort");
    life.cycle("beforeEffects");
    life.reports = [{ key, kind: "unanswered", hook: "cancel", since: life.now }];
    life.cycle("beforeEffects");
    expect(life.status?.tasks[key]).toMatchObject({ phase: "Cancelling", cancels: 1 });
    expect(life.condition.message).toContain("cancel of the task backUp has not returned since 2026");
    life.pass("5s");
    life.cycle();
    life.cycle();
    expect(life.cancels).toEqual([key]);
    expect(life.status?.tasks).toEqual({});
  });

  it("fails at its deadline by the wall clock, over all attempts, and is cancelled", () => {
    const life = servicing({ timeout: 3_600_000, attempts: 5 });
    const { key } = life.task;
    life.pass("59m");
    life.cycle();
    expect(life.state).toBe("Servicing");
    life.pass("2m");
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("not done by its deadline");
    expect(life.cancels).toEqual([key]);
    expect(life.status?.tasks).toEqual({});
  });

  it("succeeds when its end is seen together with its deadline", () => {
    const life = servicing({ timeout: 3_600_000 });
    life.pass("2h");
    life.finish();
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.cancels).toEqual([]);
  });

  it("is cancelled when its state is left, until the cancelling is done", () => {
    const life = servicing();
    const { key } = life.task;
    life.send("abort");
    life.cycle("beforeEffects");
    expect(life.status?.tasks).toMatchObject({ [key]: { phase: "Cancelling" } });
    life.reports = [{ key, kind: "cancelFailed", message: "not now" }];
    life.cycle("beforeEffects");
    expect(life.status?.tasks).toMatchObject({ [key]: { phase: "Cancelling", cancels: 1 } });
    expect(life.cycle().effects).toEqual([]);
    life.pass("5s");
    life.cycle();
    life.cycle();
    expect(life.cancels).toEqual([key]);
    expect(life.status?.tasks).toEqual({});
  });

  it("goes to a person when it fails and no edge says where to", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.ask("End");
    life.settle();
    expect(life.state).toBe("Stopping");
    life.finish({ phase: "Failed", message: "stuck connections" });
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain("task drain failed (no onError): stuck connections");
  });

  it("fails at once when nobody can run it", () => {
    const life = asking();
    delete life.policies["backUp"];
    life.settle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.condition.message).toContain('no task is named "backUp"');
    expect(life.starts).toEqual([]);
  });

  it("is looked at more rarely the longer it runs, at most every 30 s", () => {
    const life = servicing();
    expect(life.cycle().requeueAfter).toBe(1_000);
    const delays = ["4s", "20s", "10m"].map((duration) => {
      life.pass(duration);
      return life.cycle().requeueAfter ?? 0;
    });
    expect(delays).toEqual([2_000, 12_000, 30_000]);
  });
});

describe("the key of a task", () => {
  const identity = { uid: "0b0b", entry: 3, id: "backup", attempt: 1 };

  it("is a Kubernetes name of at most 52 characters, whatever the id", () => {
    for (const id of ["backup", "0.database.Servicing", "ÄÖÜ", "x".repeat(200), "-a-", ""]) {
      for (const entry of [0, 999_999_999]) {
        const key = taskKeyOf({ ...identity, id, entry });
        expect(key).toMatch(/^[a-z]([-a-z0-9]*[a-z0-9])?$/);
        expect(key.length).toBeLessThanOrEqual(52);
      }
    }
  });

  it("is the same for the same attempt and differs for every other", () => {
    expect(taskKeyOf(identity)).toBe(taskKeyOf({ ...identity }));
    const others = [
      { ...identity, uid: "0b0c" },
      { ...identity, entry: 4 },
      { ...identity, id: "drain" },
      { ...identity, attempt: 2 },
    ];
    const keys = new Set([identity, ...others].map(taskKeyOf));
    expect(keys.size).toBe(5);
  });
});
