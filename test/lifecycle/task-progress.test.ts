// How far a task is: in its record, in the condition, and no more often than is worth a write.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { createTaskRunner } from "../../src/lifecycle/tasks/task-runner.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { Life } from "./life.ts";

const copying = setupLifecycle().createMachine({
  id: "copying",
  version: "1",
  initial: "Idle",
  states: {
    Idle: { on: { "desired.Copying": "Copying" } },
    Copying: { invoke: { id: "copy", src: "copy", onDone: "Idle", onError: "Idle" } },
  },
});

function copyingLife(): Life {
  const life = new Life(copying, { policies: { copy: { attempts: 2, delay: 1_000 } } });
  life.settle();
  life.ask("Copying");
  life.settle();
  return life;
}

describe("the progress of a task", () => {
  it("is counted in units of its own, in the record and in the condition", () => {
    const life = copyingLife();
    life.finish({ phase: "Running", progress: { done: 3, total: 5, what: "tables copied" } });
    life.pass("2s");
    life.cycle();
    expect(life.task).toMatchObject({ progress: 0.6, counted: { done: 3, total: 5, what: "tables copied" } });
    expect(life.condition.message).toContain("copy: 3 of 5 tables copied");
  });

  it("is recorded again after five seconds, or when all is done, and not with each look", () => {
    const life = copyingLife();
    const find = (done: number): number | undefined => {
      life.finish({ phase: "Running", progress: { done, total: 50 } });
      life.pass("1s");
      life.cycle();
      return life.task.counted?.done;
    };
    expect([1, 2, 3, 4, 5, 6, 7, 50].map(find)).toEqual([1, 1, 1, 1, 1, 6, 6, 50]);
  });

  it("stays what it was when a look cannot tell", () => {
    const life = copyingLife();
    life.finish({ phase: "Running", progress: { done: 3 } });
    life.cycle();
    life.finish({ phase: "Running", message: "busy" });
    life.pass("1m");
    life.cycle();
    expect(life.task).toMatchObject({ counted: { done: 3 }, message: "busy" });
    expect(life.condition.message).toContain("copy: 3 done: busy");
  });

  it("is taken from what an author says only as far as it makes sense", async () => {
    const seen = [
      { done: 7, total: 5 },
      { done: -1, total: 5 },
      { done: 1, total: Number.NaN, what: "" },
      "half",
      { total: 3 },
    ];
    const { task } = copyingLife();
    const reports = seen.map((progress) =>
      createTaskRunner({
        tasks: { copy: { start: () => undefined, observe: () => ({ phase: "Running", progress }) as never } },
        context: {},
        clock: systemClock,
      }).look(task),
    );
    const found = (await Promise.all(reports)).map((report) => "observation" in report && report.observation);
    expect(found).toEqual([
      { phase: "Running", progress: { done: 7, total: 7 } },
      { phase: "Running" },
      { phase: "Running", progress: { done: 1 } },
      { phase: "Running" },
      { phase: "Running" },
    ]);
  });

  it("loses the error of an earlier attempt when the next one starts", () => {
    const life = copyingLife();
    life.finish({ phase: "Failed", message: "the disk is full" });
    life.pass("10s");
    life.cycle();
    expect(life.condition.message).toContain("attempt 1 of 2 failed: the disk is full");
    life.pass("10s");
    life.cycle();
    life.cycle();
    expect(life.task).toMatchObject({ attempt: 2, phase: "Running" });
    expect(life.condition.message).not.toContain("the disk is full");
  });
});

describe("the progress of an application", () => {
  it("is that of the task that runs, as long as it does", () => {
    const life = copyingLife();
    life.finish({ phase: "Running", progress: 0.42 });
    life.cycle();
    expect(life.status?.progress).toMatchObject({ done: 42, total: 100, what: "percent of copy" });
    life.finish();
    life.settle();
    expect(life.status).not.toHaveProperty("progress");
  });

  it("is that of the children whose pods are replaced, in the condition too, and recorded no more often than every five seconds", () => {
    const life = new Life(copying);
    life.settle();
    const input = life.input.bind(life);
    const seen = [1, 2, 3, 4].map((done) => {
      life.input = () => ({
        ...input(),
        rollout: { done, total: 5, what: "pods of StatefulSet/db updated" },
      });
      life.pass("2s");
      life.cycle();
      expect(life.condition.message).toContain(
        `${life.status?.progress?.done} of 5 pods of StatefulSet/db updated`,
      );
      return life.status?.progress?.done;
    });
    expect(seen).toEqual([1, 1, 1, 4]);
    life.input = input;
    life.cycle();
    expect(life.status).not.toHaveProperty("progress");
  });
});
