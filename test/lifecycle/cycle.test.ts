// The walk through a whole life: one cycle after the other, as the controller would run them.
import { describe, expect, it } from "vitest";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

describe("the cycle of an application", () => {
  it("walks through start, run, service, stop and end, one state a cycle", () => {
    const life = new Life(databaseLifecycle);
    const first = life.cycle();
    expect(first.moved).toMatchObject({ to: "Start" });
    expect(first.operation).toBe("create");
    expect(life.condition).toMatchObject({ status: "False", reason: "Start" });
    life.observed = "Running";
    life.settle();
    expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
    life.ask("Servicing", "nightly");
    life.settle();
    expect(life.state).toBe("Servicing");
    expect(life.starts).toHaveLength(1);
    expect(life.task).toMatchObject({ phase: "Running", attempt: 1 });
    life.finish();
    life.settle();
    expect(life.state).toBe("Running");
    expect(life.status?.wish).toMatchObject({ state: "Servicing", request: "nightly", fulfilled: true });
    expect(life.condition).toMatchObject({ status: "True", reason: "Running" });
    life.deleting = true;
    life.settle();
    expect(life.state).toBe("Stopping");
    life.finish();
    const last = life.settle().at(-1);
    expect(life.state).toBe("End");
    expect(last?.ended).toBe(true);
    expect(life.path).toEqual(["Start", "Running", "Servicing", "Running", "Stopping", "End"]);
    expect(life.starts).toHaveLength(2);
  });
});
