// A status that somebody has wiped: what tasks have started is found again by its name, and nothing runs twice.
import { describe, expect, it } from "vitest";
import { readTaskKey, taskKeyOf } from "../../src/lifecycle/tasks/task-key.ts";
import type { TaskObservation } from "../../src/lifecycle/tasks/task-definition.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

/** In the middle of a backup that was desired once, among children with other names. */
function servicing(): Life {
  const life = new Life(databaseLifecycle, { policies: { backUp: { attempts: 3 } } });
  life.version = 100;
  life.observed = "Running";
  life.settle();
  life.ask("Servicing", "nightly");
  life.settle();
  expect(life.state).toBe("Servicing");
  expect(life.starts).toHaveLength(1);
  life.children = ["orders", "orders-config", "backup-1-1-0123456789abcdef", ...life.starts];
  return life;
}

function wipe(life: Life, what: "everything" | "lifecycle" | "replaced"): void {
  life.store(what === "replaced" ? { graph: "nothing@0" } : undefined);
  if (what !== "lifecycle") life.conditions = [];
  life.pass("1m");
}

function end(life: Life, observation: TaskObservation): void {
  life.finish(observation);
  life.settle();
}

describe("a key", () => {
  const identity = { uid: "u", id: "backup", entry: 12, attempt: 3 };

  it("says what it was made of, to who knows resource and invoke", () => {
    expect(readTaskKey(taskKeyOf(identity), { uid: "u", id: "backup" })).toEqual(identity);
  });

  it.each([
    ["another resource", { uid: "v", id: "backup" }],
    ["another invoke", { uid: "u", id: "restore" }],
  ])("says nothing to %s", (_, other) => {
    expect(readTaskKey(taskKeyOf(identity), other)).toBeUndefined();
  });

  it.each([
    "backup",
    "backup-12-3",
    "backup-12-3-0123456789abcdef",
    taskKeyOf(identity).replace("-12-", "-13-"),
  ])("is not %s", (name) => {
    expect(readTaskKey(name, { uid: "u", id: "backup" })).toBeUndefined();
  });
});

describe("a status that is wiped while a task runs", () => {
  it.each(["everything", "lifecycle", "replaced"] as const)(
    "is found by what the task has started, and one target gives one run: %s",
    (what) => {
      const life = servicing();
      const { key } = life.task;
      wipe(life, what);
      life.settle();
      expect(life.state).toBe("Servicing");
      expect(life.task).toMatchObject({ key, phase: "Running", attempt: 1 });
      expect(life.status?.target).toMatchObject({ state: "Servicing", request: "nightly", reached: false });
      end(life, { phase: "Succeeded" });
      expect(life.state).toBe("Running");
      expect(life.status?.target).toMatchObject({ request: "nightly", reached: true });
      life.pass("1h");
      life.settle();
      expect(life.starts).toHaveLength(1);
      expect(life.cancels).toEqual([]);
    },
  );

  it("gives the task that is found its deadline anew", () => {
    const life = new Life(databaseLifecycle, { policies: { backUp: { timeout: 7_200_000 } } });
    life.observed = "Running";
    life.settle();
    life.ask("Servicing", "nightly");
    life.settle();
    life.children = life.starts;
    wipe(life, "everything");
    life.settle();
    expect(life.task.deadline).toBe(new Date(life.now + 7_200_000).toISOString());
    life.pass("3h");
    life.settle();
    expect(life.cancels).toEqual(life.starts);
    expect(life.state).toBe("HumanIntervention");
  });

  it("waits while nobody can look at the task, and starts nothing", () => {
    const life = servicing();
    const [key = ""] = life.starts;
    wipe(life, "everything");
    life.observed = undefined;
    life.observationError = "refused";
    life.reports = [{ key, kind: "lookFailed", message: "timeout" }];
    life.cycle();
    expect(life.state).toBe("Servicing");
    expect(life.task).toMatchObject({ key, phase: "Intended", lost: true });
    life.settle();
    expect(life.task.phase).toBe("Running");
    expect(life.starts).toHaveLength(1);
  });

  it("ends the task when the resource is deleted then", () => {
    const life = servicing();
    const [key] = life.starts;
    wipe(life, "everything");
    life.deleting = true;
    life.cycle();
    expect(life.status?.target).toMatchObject({ state: "End", deletion: true });
    end(life, { phase: "Succeeded" });
    expect(life.starts.filter((each) => each.startsWith("backup"))).toEqual([key]);
  });
});

describe("a status that is wiped when a task has ended", () => {
  it("does not know for which target that was, starts nothing again, and a new request does", () => {
    const life = servicing();
    life.running.set(life.task.key, { phase: "Succeeded" });
    wipe(life, "everything");
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.target).toMatchObject({ request: "nightly", reached: false, outcome: "lost" });
    expect(life.condition.message).toContain(
      'whether Servicing was done for "nightly" is not known, because its record was lost; now Running; ' +
        "change spec.lifecycle.request to request it again",
    );
    expect(life.starts).toHaveLength(1);
    const [first = ""] = life.starts;
    life.ask("Servicing", "again");
    life.settle();
    expect(life.starts).toHaveLength(2);
    expect(life.starts[1]).not.toBe(first);
  });

  it("holds a stable target as ever, and begins a life where nothing is seen", () => {
    const life = servicing();
    end(life, { phase: "Succeeded" });
    life.ask("Running");
    wipe(life, "everything");
    life.observed = undefined;
    life.cycle();
    expect(life.state).toBe("Start");
    life.observed = "Running";
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.condition.status).toBe("True");
    expect(life.starts).toHaveLength(1);
  });

  it("is no sign that a new resource was desired Servicing before", () => {
    const life = new Life(databaseLifecycle);
    life.children = ["orders", "backup-1-1-0123456789abcdef"];
    life.observed = "Running";
    life.ask("Servicing", "first");
    life.settle();
    expect(life.state).toBe("Servicing");
    expect(life.starts).toHaveLength(1);
  });
});
