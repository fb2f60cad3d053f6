import { describe, expect, it } from "vitest";
import { createTaskRunner } from "../../src/lifecycle/tasks/task-runner.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { systemClock } from "../../src/ports/system-clock.ts";

const task = { src: "backUp", key: "k-1", entry: 1, attempt: 1, phase: "Intended" } as const;

describe("the start of a task", () => {
  it.each([
    ["CONNECTION_FAILED", "unanswered"],
    ["REQUEST_TIMEOUT", "unanswered"],
    ["API_FORBIDDEN", "startFailed"],
  ])("that ends with %s is told as %s: a lost answer is no failed attempt", async (code, kind) => {
    const start = () => Promise.reject(new OperatorError(code, "no", { remedy: "none" }));
    const observe = () => ({ phase: "NotFound" }) as const;
    const runner = createTaskRunner({
      tasks: { backUp: { start, observe } },
      context: {},
      clock: systemClock,
    });
    expect(await runner.run({ kind: "startTask", id: "backup", task })).toMatchObject({ key: "k-1", kind });
  });
});
