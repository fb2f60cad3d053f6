// What a person says counts where the current state declares it, once.
import { describe, expect, it } from "vitest";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { Life } from "./life.ts";

describe("a human event", () => {
  it("is accepted where the current state declares it, and recorded with who asked", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("1h");
    life.settle();
    life.human = { event: "retry", id: "1", by: "kubectl-annotate" };
    const plan = life.cycle();
    expect(plan.human).toMatchObject({ event: "retry", accepted: true });
    expect(plan.moved).toMatchObject({ from: "HumanIntervention", to: "Start", event: "human.retry" });
    expect(life.status?.human).toEqual({
      event: "retry",
      id: "1",
      by: "kubectl-annotate",
      accepted: true,
      message: "retry was requested by kubectl-annotate",
    });
  });

  it.each([
    ["", '""'],
    ["x".repeat(3_000), `"${"x".repeat(100)}…"`],
    ["no such event", '"no such event"'],
  ])(
    "is refused and recorded so that the record can be read again, whatever was written: %j",
    (event, shown) => {
      const life = new Life(databaseLifecycle);
      life.observed = "Running";
      life.settle();
      life.human = { event, id: "1", by: "kubectl-annotate" };
      const plan = life.cycle();
      expect(plan.human?.message).toBe(
        `${shown} by kubectl-annotate is not accepted in Running; accepted: pause`,
      );
      expect(life.cycle().problems).toEqual([]);
      expect(life.status?.human).toMatchObject({ event: shown, accepted: false });
    },
  );

  it("is refused elsewhere, with the accepted ones", () => {
    const life = new Life(databaseLifecycle);
    life.observed = "Running";
    life.settle();
    life.ask("Servicing");
    life.settle();
    life.send("retry");
    const plan = life.cycle();
    expect(plan.human).toMatchObject({ accepted: false });
    expect(plan.human?.message).toContain("not accepted in Servicing; accepted: abort");
    expect(plan.moved).toBeUndefined();
    expect(life.status?.human).toMatchObject({
      event: "retry",
      accepted: false,
      message: plan.human?.message,
    });
    expect(plan.pendingEvents).toContainEqual(
      expect.objectContaining({ type: "Warning", reason: "HumanEventRefused" }),
    );
  });

  it("is not taken twice when the annotation is still there after a crash", () => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "steps",
        version: "1",
        initial: "A",
        states: { A: { on: { "human.next": "B" } }, B: { on: { "human.next": "C" } }, C: {} },
      }),
    );
    life.settle();
    const request = { event: "next", id: "seen-at-12:00" };
    life.human = request;
    life.cycle();
    expect(life.state).toBe("B");
    life.human = request;
    const plan = life.cycle();
    expect(life.state).toBe("B");
    expect(plan.human).toMatchObject({ accepted: false, message: "next was handled before" });
    expect(life.status?.human).toMatchObject({ id: "seen-at-12:00", accepted: true });
    life.human = { ...request, id: "seen-at-12:01" };
    life.cycle();
    expect(life.state).toBe("C");
  });

  it("is another one, also with the same id, once the annotation of the first was seen to be gone", () => {
    const life = new Life(databaseLifecycle);
    life.settle();
    life.pass("1h");
    life.settle();
    const request = { event: "shout", id: "shout@12:00" };
    life.human = request;
    expect(life.cycle()).toMatchObject({ requeueAfter: 0, human: { accepted: false } });
    expect(life.status?.human?.removed).toBeUndefined();
    life.cycle();
    expect(life.status?.human).toMatchObject({ id: "shout@12:00", removed: true });
    life.human = request;
    const plan = life.cycle();
    expect(plan.human?.repeated).toBeUndefined();
    expect(plan.human?.message).toContain("shout is not accepted in HumanIntervention");
    expect(life.status?.human?.removed).toBeUndefined();
  });

  it("that throws is refused, and its problem lasts as long as it would throw", () => {
    let isBroken = true;
    const machine = setupLifecycle({
      actions: {
        note: () => {
          if (isBroken) throw new Error("no note");
          return {};
        },
      },
    }).createMachine({
      id: "noting",
      version: "1",
      initial: "Idle",
      states: { Idle: { on: { "human.note": { target: "Noted", actions: "note" } } }, Noted: {} },
    });
    const life = new Life(machine);
    life.ask("Idle");
    life.settle();
    life.send("note");
    const plan = life.cycle();
    expect(plan.human).toMatchObject({ accepted: false });
    expect(plan.human?.message).toContain("the action note");
    expect(plan.problem).toMatchObject({ reason: "MachineFailed" });
    life.human = undefined;
    life.settle();
    expect(life.state).toBe("Idle");
    expect(life.cycle().problem).toMatchObject({ reason: "MachineFailed" });
    isBroken = false;
    expect(life.cycle().problem).toBeUndefined();
  });

  it.each(["abort", "retry", "skip"])("can be %s in any state that declares it", (event) => {
    const life = new Life(
      setupLifecycle().createMachine({
        id: "steps",
        version: "1",
        initial: "Failing",
        states: {
          Failing: {
            invoke: { id: "step", src: "step", onDone: "Done", onError: "Failed" },
            on: { "human.abort": "Aborted" },
          },
          Failed: { on: { "human.abort": "Aborted", "human.retry": "Failing", "human.skip": "Done" } },
          Done: {},
          Aborted: {},
        },
      }),
    );
    life.ask("Done");
    life.settle();
    life.finish({ phase: "Failed", message: "always" });
    life.settle();
    expect(life.state).toBe("Failed");
    life.send(event);
    life.cycle();
    expect(life.state).toBe({ abort: "Aborted", retry: "Failing", skip: "Done" }[event]);
  });
});
