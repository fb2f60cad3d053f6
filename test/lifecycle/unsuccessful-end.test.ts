import { describe, expect, it } from "vitest";
import { longestRetryDelay, type TaskRecord } from "../../src/lifecycle/tasks/task-record.ts";
import { afterEnding } from "../../src/lifecycle/tasks/unsuccessful-end.ts";

const world = { uid: "1", policies: {}, now: Date.parse("2026-01-01T00:00:00Z") };

describe.each([
  ["Cancelling", "cancelFailed", "cancels"],
  ["Compensating", "compensateFailed", "compensations"],
] as const)("a task that is %s", (phase, kind, counter) => {
  it("is called again ever later, but never later than after the longest delay", () => {
    let task = { src: "work", key: "work-1-1", entry: 1, attempt: 1, phase } as TaskRecord;
    const delays: number[] = [];
    for (let count = 1; count <= 40; count += 1) {
      const report = { key: task.key, kind, message: "not now" };
      task = afterEnding("w", task, report, world) as TaskRecord;
      expect(task[counter]).toBe(count);
      delays.push(Date.parse(task.nextAttempt ?? "") - world.now);
    }
    expect(delays.slice(0, 3)).toEqual([5_000, 10_000, 20_000]);
    expect(delays.at(-1)).toBe(longestRetryDelay);
    expect(delays).toEqual(delays.toSorted((one, other) => one - other));
  });
});
