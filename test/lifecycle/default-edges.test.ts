// Where a life goes by itself: what is taken when nothing else is wanted, and when several edges hold at once.
import { describe, expect, it } from "vitest";
import { applicationLifecycle, setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { Life } from "./life.ts";

/** One that runs. */
function running(): Life {
  const life = new Life(applicationLifecycle);
  life.observed = "Running";
  life.settle();
  return life;
}

describe("a life that is only driven by what happens to it", () => {
  it("goes from service back to running by itself, however often it is serviced", () => {
    const life = running();
    for (let round = 1; round <= 11; round += 1) {
      life.ask("Servicing", `round-${round}`);
      life.settle();
      expect(life.state).toBe("Servicing");
      life.finish();
      life.settle();
      expect(life.state).toBe("Running");
    }
    const rounds = Array.from({ length: 11 }, () => ["Servicing", "Running"]).flat();
    expect(life.path).toEqual(["Start", "Running", ...rounds]);
    expect(new Set(life.starts).size).toBe(11);
  }); // OKT 79

  it("walks from start to end by nothing but its defaults: it runs unless it is told otherwise, and ends when it is deleted", () => {
    const life = running();
    life.deleting = true;
    life.settle();
    life.finish();
    life.settle();
    expect(life.path).toEqual(["Start", "Running", "Stopping", "End"]);
    expect(life.plans.at(-1)?.ended).toBe(true);
  }); // OKT 82
});

describe("edges that hold at once", () => {
  it.each([
    ["stop first", { "desired.End": "Stop", "observed.Up": "Run" }],
    ["run first", { "observed.Up": "Run", "desired.End": "Stop" }],
  ] as const)(
    "are decided by what they are for, what is observed before what is desired, not by the order in which they are drawn (%s)",
    (_order, on) => {
      const life = new Life(
        setupLifecycle().createMachine({
          id: "graph",
          version: "1",
          initial: "Service",
          states: {
            Service: { on },
            Run: { tags: ["stable"], on: { "desired.End": "Stop" } },
            Stop: { on: { "observed.Down": "End" } },
            End: { type: "final" },
          },
        }),
      );
      life.cycle();
      expect(life.state).toBe("Service");
      life.observed = "Up";
      life.deleting = true;
      life.settle();
      expect(life.path).toEqual(["Service", "Run", "Stop"]);
    },
  ); // OKT 80
});

describe("the budget of the snapshot", () => {
  it("does not hold up a deletion", () => {
    const life = new Life(
      setupLifecycle({
        actions: { grow: () => ({ filler: "x".repeat(9_000) }) },
      }).createMachine({
        id: "growing",
        version: "1",
        initial: "Run",
        states: {
          Run: { tags: ["stable"], on: { "desired.End": { target: "Stop", actions: "grow" } } },
          Stop: { invoke: { id: "stop", src: "stop", onDone: "End" } },
          End: { type: "final" },
        },
      }),
    );
    life.settle();
    life.deleting = true;
    life.settle();
    expect(life.state).toBe("Stop");
    life.finish();
    life.settle();
    expect(life.plans.at(-1)?.ended).toBe(true);
  });
});
