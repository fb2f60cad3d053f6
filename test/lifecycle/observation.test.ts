import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { readObservation } from "../../src/lifecycle/observation.ts";
import { Life } from "./life.ts";

/** Two regions that are observed apart; a task of one of them has no edge for its failure. */
const plant = setupLifecycle().createMachine({
  id: "plant",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Plant": "Plant" } },
    Plant: {
      type: "parallel",
      on: { "desired.End": "End" },
      states: {
        Data: {
          initial: "Fresh",
          states: {
            Fresh: { on: { "observed.Stale": "Syncing" } },
            Syncing: { invoke: { id: "sync", src: "sync", onDone: "Fresh" } },
          },
        },
        Web: {
          initial: "Closed",
          states: {
            Closed: { on: { "observed.Serving": "Serving" } },
            Serving: { on: { "observed.Gone": "Closed" } },
          },
        },
      },
    },
    HumanIntervention: { tags: ["intervention"], on: { "human.retry": "Plant" } },
    End: { type: "final" },
  },
});

describe("what an observer returned", () => {
  it.each([{}, { state: "Running" }, { state: "Down", message: "no pod", facts: { pods: 0 } }])(
    "is taken as it is: %j",
    (seen) => {
      expect(readObservation(seen)).toBe(seen);
    },
  );

  it("says nothing when it is nothing", () => {
    expect(readObservation(undefined)).toEqual({});
  });

  it.each([
    [42, "a number"],
    [null, "null"],
    [[], "a list"],
    ["Running", "a string"],
    [{ state: 5 }, "a state that is a number"],
    [{ state: "Idle", message: { a: 1 } }, "a message that is an object"],
    [{ facts: [] }, "facts that are a list"],
    [{ states: "Running" }, "states that are not a list of words"],
    [{ states: ["Running", 5] }, "states that are not a list of words"],
    [{ stat: "Running" }, 'an object with the field "stat", which an observation does not have'],
    [{ state: "Idle", pods: 3 }, 'an object with the field "pods", which an observation does not have'],
    [{ phase: "Running" }, 'an object with the field "phase", which an observation does not have'],
  ])("is refused with what it was: %j", (seen, what) => {
    expect(() => readObservation(seen)).toThrow(
      expect.objectContaining({ code: "OBSERVATION_INVALID", message: `observe returned ${what}` }),
    );
  });

  it("is refused with what to write, and with the field that was probably meant", () => {
    expect(() => readObservation({ stat: "Running" })).toThrow(
      expect.objectContaining({
        remedy: expect.stringMatching(/^Did you mean "state"\? Return an object: \{ state: /) as string,
      }),
    );
  });
});

describe("several observations", () => {
  const { index } = new Life(plant).lifecycle;

  it("move each region by its own, one after the other, and nothing else", () => {
    const life = new Life(plant);
    life.observed = "Plant";
    life.settle();
    life.observedStates = ["Serving", "Stale"];
    life.settle();
    expect(life.status?.state).toBe("Plant:Data:Syncing,Plant:Web:Serving");
    life.observedStates = ["Gone"];
    life.settle();
    expect(life.status?.state).toBe("Plant:Data:Syncing,Plant:Web:Closed");
    expect(life.starts).toHaveLength(1);
  });

  it("are what a lost status is restored from", () => {
    const life = new Life(plant);
    life.observed = "Plant";
    life.settle();
    life.store("garbage");
    life.conditions = [];
    life.observed = undefined;
    life.observedStates = ["Plant:Data:Syncing", "Plant:Web:Serving"];
    life.cycle();
    expect(life.status?.state).toBe("Plant:Data:Syncing,Plant:Web:Serving");
  });

  it("are each compared with what edges take: a misspelt one is reported with the word that was probably meant", () => {
    const life = new Life(plant);
    life.observed = "Plant";
    life.settle();
    life.ask("Plant:Web:Serving");
    life.observedStates = ["Fresh", "Servin"];
    const plan = life.cycle();
    expect(plan.condition.message).toContain(
      'observe returned "Servin", which no edge takes; did you mean "Serving" (observed.Serving)?',
    );
  });

  it.each(["setup", "extension"])(
    "that the %s declares for people to read are not called unknown",
    (where) => {
      const words = { observations: ["Outdated"] } as const;
      const setup = where === "setup" ? setupLifecycle(words) : setupLifecycle().extend(words);
      const life = new Life(
        setup.createMachine({
          id: "shop",
          version: "1",
          initial: "Start",
          states: { Start: { on: { "observed.Running": "Running" } }, Running: { tags: "stable" } },
        }),
      );
      for (const [word, isUnknown] of [
        ["Outdated", false],
        ["Runing", true],
      ] as const) {
        life.observed = word;
        const { condition, pendingEvents } = life.cycle();
        expect(condition.message.includes("which no edge takes")).toBe(isUnknown);
        expect(pendingEvents.some(({ reason }) => reason === "ObservationUnknown")).toBe(isUnknown);
      }
    },
  );

  it.each([
    [{ states: ["Serving", "Gone"] }, '"Serving" and "Gone", two words for the region Plant:Web'],
    [
      { states: ["Plant:Web:Serving", "Plant:Web:Closed"] },
      '"Plant:Web:Serving" and "Plant:Web:Closed", two words for the region Plant:Web',
    ],
    [{ state: "Plant", states: ["Start"] }, '"Plant" and "Start", two words for the application'],
  ])("are refused where two are about one region: %j", (seen, what) => {
    expect(() => readObservation(seen, index)).toThrow(
      expect.objectContaining({ code: "OBSERVATION_INVALID", message: `observe returned ${what}` }),
    );
  });

  it.each([
    { states: ["Serving", "Stale"] },
    { state: "Plant", states: ["Serving", "Serving"] },
    { states: ["Serving", "ForPeople", "Other"] },
  ])("are taken where each is about another region, or about none: %j", (seen) => {
    expect(readObservation(seen, index)).toBe(seen);
  });

  it("lead to intervention where the task of one region fails, and the state around it stays one that is maintained", () => {
    const life = new Life(plant);
    life.observed = "Plant";
    life.settle();
    life.observedStates = ["Stale", "Serving"];
    life.settle();
    life.finish({ phase: "Failed", message: "no disk" });
    life.settle();
    expect(life.status).toMatchObject({
      state: "HumanIntervention",
      target: { state: "Plant", reached: false },
    });
    expect(life.status?.target).not.toHaveProperty("outcome");
    life.observedStates = ["Serving"];
    life.send("retry");
    life.settle();
    expect(life.status).toMatchObject({
      state: "Plant:Data:Fresh,Plant:Web:Serving",
      target: { state: "Plant", reached: true },
    });
    life.observedStates = ["Gone"];
    life.settle();
    expect(life.status?.target).toMatchObject({ state: "Plant", reached: true });
  });
});
