// Timers are instants in the status: a restart neither loses nor restarts one.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

const startTimeout = "xstate.after.startTimeout.database.Start";

describe("a timer", () => {
  it("is an absolute instant, armed when its state is entered", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    expect(life.status?.timers).toEqual({
      [startTimeout]: { state: "Start", delay: "startTimeout", due: "2026-01-01T00:10:00.000Z" },
    });
  });

  it("is neither lost nor restarted by later cycles and crashes", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    const { timers } = life.status ?? {};
    for (const crash of ["beforeWrite", "beforeEffects", "afterEffects", undefined] as const) {
      life.pass("2m");
      life.cycle(crash);
      expect(life.status?.timers).toEqual(timers);
      expect(life.state).toBe("Start");
    }
    life.pass("2m");
    life.cycle();
    expect(life.state).toBe("HumanIntervention");
    expect(life.status?.timers).toEqual({});
  });

  it("wakes the operator when it is due", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    life.pass("9m");
    life.cycle();
    life.pass("59s");
    expect(life.cycle().requeueAfter).toBe(1_000);
  });

  it("ends with its state, and begins anew with the next entry", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    life.pass("5m");
    life.observed = "Running";
    life.settle();
    expect(life.status?.timers).toEqual({});
    life.observed = "Down";
    life.cycle();
    expect(life.status?.timers[startTimeout]?.due).toBe("2026-01-01T00:15:00.000Z");
  });

  it("comes after what is observed", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    life.pass("1h");
    life.observed = "Running";
    life.settle();
    expect(life.state).toBe("Running");
  });

  it("is honoured beyond 2^31 milliseconds", () => {
    const life = new Life(
      setupLifecycle({ delays: { retirement: "60d" } }).createMachine({
        id: "old",
        version: "1",
        initial: "Working",
        states: { Working: { after: { retirement: "Retired" } }, Retired: {} },
      }),
    );
    life.cycle();
    life.pass("59d");
    life.cycle();
    expect(life.state).toBe("Working");
    life.pass("1d");
    life.cycle();
    expect(life.state).toBe("Retired");
  });

  it("accepts a duration as its name, a number, and a function of the spec", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "named",
        version: "1",
        initial: "A",
        states: { A: { after: { "90s": "B" } }, B: { after: { 5000: "C" } }, C: {} },
      }),
    );
    life.cycle();
    life.pass("89s");
    life.cycle();
    expect(life.state).toBe("A");
    life.pass("1s");
    life.cycle();
    expect(life.state).toBe("B");
    life.pass("4s");
    life.cycle();
    expect(life.state).toBe("B");
    life.pass("1s");
    life.cycle();
    expect(life.state).toBe("C");
  });

  it("counts from the entry of its state when its record was lost", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    const { timers } = life.status ?? {};
    life.pass("4m");
    life.store({ ...life.status, timers: {}, digest: undefined });
    life.cycle();
    expect(life.status?.timers).toEqual(timers);
  });

  it("is never longer than it was drawn when the clock jumps back", () => {
    const life = new Life(databaseLifecycle);
    life.cycle();
    life.now -= 86_400_000;
    life.cycle();
    expect(life.status?.timers[startTimeout]?.due).toBe("2025-12-31T00:10:00.000Z");
  });

  it("waits for its guard, without waking the operator all the time", () => {
    let open = false;
    const life = new Life(
      setupLifecycle({ guards: { isOpen: () => open } }).createMachine({
        id: "guarded",
        version: "1",
        initial: "A",
        states: { A: { after: { "1m": { target: "B", guard: "isOpen" } } }, B: {} },
      }),
    );
    life.cycle();
    life.pass("2m");
    expect(life.cycle().requeueAfter).toBe(60_000);
    expect(life.state).toBe("A");
    open = true;
    life.cycle();
    expect(life.state).toBe("B");
  });

  it("that leads nowhere acts once for each entry", () => {
    const life = new Life(
      setupLifecycle({ effects: ["remind"] }).createMachine({
        id: "reminder",
        version: "1",
        initial: "A",
        states: { A: { after: { "1m": { actions: "remind" } } } },
      }),
    );
    life.cycle();
    life.pass("2m");
    expect(life.cycle().effects).toEqual([{ kind: "runAction", action: { name: "remind" } }]);
    life.pass("2m");
    expect(life.cycle().effects).toEqual([]);
  });
});
