// What a lifecycle has come to is in the status while it is at its end, and only a little of it.
import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { Life } from "./life.ts";

const report = setupLifecycle({
  actions: { keep: ({ event }) => ({ report: event.output ?? null }) },
}).createMachine({
  id: "report",
  version: "1",
  initial: "Working",
  context: { report: null },
  states: {
    Working: {
      invoke: { id: "work", src: "work", onDone: { target: "End", actions: "keep" }, onError: "Failed" },
      on: { "human.skip": "Skipped" },
    },
    Failed: { type: "final", output: { failed: true } },
    Skipped: { type: "final" },
    End: { type: "final", output: ({ context }) => ({ report: context["report"] }) },
  },
});

function ended(output: string): Life {
  const life = new Life(report);
  life.ask("End");
  life.settle();
  life.finish({ phase: "Succeeded", output });
  life.settle();
  expect(life.state).toBe("End");
  return life;
}

describe("the output of a lifecycle", () => {
  it("is in the status once it has ended, and stays there", () => {
    const life = ended("12 rows");
    expect(life.status?.output).toEqual({ report: "12 rows" });
    const { status } = life;
    life.pass("1d");
    life.cycle();
    expect(life.status).toEqual(status);
  });

  it("is not there before, nor when the final state has none", () => {
    const life = new Life(report);
    life.ask("Skipped");
    life.settle();
    expect(life.status).not.toHaveProperty("output");
    life.send("skip");
    life.settle();
    expect(life.state).toBe("Skipped");
    expect(life.status).not.toHaveProperty("output");
  });

  it("is gone in the next life", () => {
    const life = ended("12 rows");
    life.ask("Failed");
    life.settle();
    expect(life.state).toBe("Working");
    expect(life.status).not.toHaveProperty("output");
  });

  it("is left out when it is large, which is told once and keeps nothing from ending", () => {
    const life = new Life(report);
    life.ask("End");
    life.settle();
    life.finish({ phase: "Succeeded", output: "x".repeat(2_000) });
    const plans = life.settle();
    expect(life.state).toBe("End");
    expect(life.status).not.toHaveProperty("output");
    const told = plans.flatMap((plan) =>
      plan.pendingEvents.filter(({ reason }) => reason === "OutputTooLarge"),
    );
    expect(told).toHaveLength(1);
  });

  it("is that of the machine where it has one of its own", () => {
    const machine = setupLifecycle().createMachine({
      id: "own",
      version: "1",
      initial: "A",
      output: { from: "the machine" },
      states: {
        A: { on: { "observed.Done": "End" } },
        End: { type: "final", output: { from: "the state" } },
      },
    });
    const life = new Life(machine);
    life.ask("End");
    life.observed = "Done";
    life.settle();
    expect(life.status?.output).toEqual({ from: "the machine" });
  });
});
