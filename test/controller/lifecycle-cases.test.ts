// Faults that others shipped around the states of applications, each as the behaviour that is right; on the whole
// controller with virtual time, no server and no waiting.
import { afterEach, describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { SimulatedLife } from "./simulated-life.ts";

const installation = setupLifecycle().createMachine({
  id: "installation",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "desired.Ready": "Installing" } },
    Installing: { invoke: { id: "work", src: "work", onDone: "Ready", onError: "HumanIntervention" } },
    Ready: { on: { "observed.Broken": "Installing", "desired.End": "End", "config.changed": "Installing" } },
    End: { type: "final" },
  },
});

const lives: SimulatedLife[] = [];
afterEach(() => {
  for (const life of lives.splice(0)) life.end();
});

async function begin(): Promise<SimulatedLife> {
  const life = await SimulatedLife.begin(installation);
  lives.push(life);
  return life;
}

async function conditionOf(life: SimulatedLife) {
  const resource = await life.resource();
  const condition = resource?.status?.conditions?.find(({ type }) => type === "Lifecycle");
  return { ...condition, generation: resource?.metadata.generation };
}

describe("an application's condition", () => {
  it("is not complete for a generation before that generation's work is done (T57)", async () => {
    const life = await begin();
    await life.finish({ phase: "Succeeded" });
    expect(await conditionOf(life)).toMatchObject({ status: "True", reason: "Ready", observedGeneration: 1 });
    await life.edit();
    const during = await conditionOf(life);
    expect(during).toMatchObject({
      status: "False",
      reason: "Installing",
      generation: 2,
      observedGeneration: 2,
    });
    await life.finish({ phase: "Succeeded" });
    expect(await conditionOf(life)).toMatchObject({ status: "True", reason: "Ready", observedGeneration: 2 });
  });

  it("advances by itself to what is observed (T57)", async () => {
    const life = await begin();
    await life.finish({ phase: "Succeeded" });
    await life.see("Broken");
    expect(await conditionOf(life)).toMatchObject({ status: "False", reason: "Installing" });
  });
});

describe("an action that throws", () => {
  it("is named by the conditions, and by none once it is mended", async () => {
    let isBroken = true;
    const note = (): Readonly<Record<string, never>> => {
      if (isBroken) throw new Error("no size");
      return {};
    };
    const life = await SimulatedLife.begin(
      setupLifecycle({ actions: { note } }).createMachine({
        id: "installation",
        version: "1",
        initial: "Start",
        states: { Start: { on: { "desired.Ready": { target: "Ready", actions: "note" } } }, Ready: {} },
      }),
    );
    lives.push(life);
    const conditions = async (): Promise<Record<string, string | undefined>> =>
      Object.fromEntries(
        ((await life.resource())?.status?.conditions ?? []).map(({ type, status }) => [type, status]),
      );
    expect(await conditions()).toMatchObject({
      LifecycleProblem: "True",
      Lifecycle: "False",
      Ready: "False",
    });
    isBroken = false;
    await life.pass(60_000);
    expect(await conditions()).toMatchObject({ Lifecycle: "True", Ready: "True" });
    expect(await conditions()).not.toHaveProperty("LifecycleProblem");
  });
});

describe("an operator that is killed in the middle of a step (T58)", () => {
  it("finds the running task again and goes on from the state that is stored", async () => {
    const life = await begin();
    expect((await life.status())?.state).toBe("Installing");
    expect(life.application.starts).toHaveLength(1);
    await life.kill();
    await life.look();
    expect((await life.status())?.tasks["work"]).toMatchObject({ phase: "Running", attempt: 1 });
    expect(life.application.starts).toHaveLength(1);
    await life.finish({ phase: "Succeeded" });
    expect((await life.status())?.state).toBe("Ready");
  });

  it("starts the task once when it was killed after the intent was stored and before the start", async () => {
    const life = await begin();
    await life.finish({ phase: "Succeeded" });
    const { length } = life.application.starts;
    life.planDeath({ at: 0, moment: "after" });
    await life.see("Broken");
    await life.look();
    expect(life.deaths).toBe(1);
    expect((await life.status())?.state).toBe("Installing");
    expect(life.application.starts).toHaveLength(length + 1);
    expect(life.application.startedTwice()).toEqual([]);
  });
});

describe("a task that was called off and leaves something behind", () => {
  const working = setupLifecycle().createMachine({
    id: "working",
    version: "1",
    initial: "Working",
    states: {
      Working: {
        invoke: { id: "work", src: "work", onDone: "Idle", onError: "Failed" },
        on: { "human.abort": "Idle" },
      },
      Idle: {},
      Failed: {},
    },
  });
  const compensate = (): void => undefined;

  it.each(["before", "after"] as const)(
    "is compensated by the next operator, where one is killed between cancel and compensate (%s a write)",
    async (moment) => {
      let deaths = 0;
      // As long as there is a further write between the two to die at.
      for (let at = 0; at === deaths; at += 1) {
        const life = await SimulatedLife.begin(working, 1, { compensate });
        lives.push(life);
        const { cancels, compensations } = life.application;
        const when = (): boolean => cancels.length > 0 && compensations.length === 0;
        life.planDeath({ at, moment, when });
        await life.annotate({ "lifecycle.xstate-operator.dev/event": "abort" });
        await life.pass(60_000);
        deaths += life.deaths;
        expect((await life.status())?.state).toBe("Idle");
        expect((await life.status())?.tasks).toEqual({});
        expect(new Set(cancels)).toEqual(new Set(life.application.starts.map(({ key }) => key)));
        expect(compensations).toEqual([cancels[0]]);
      }
      expect(deaths).toBeGreaterThan(0);
    },
  );

  it("tells a failure to the machine only once its compensation has returned", async () => {
    const life = await SimulatedLife.begin(working, 1, { compensate });
    lives.push(life);
    life.application.compensateError = "the storage does not answer";
    await life.finish({ phase: "Failed", message: "no space" });
    await life.pass(60_000);
    expect(await conditionOf(life)).toMatchObject({
      reason: "Working",
      message: expect.stringContaining(
        "work failed: no space; it is being compensated: the storage does not answer",
      ),
    });
    life.application.compensateError = undefined;
    await life.pass(120_000);
    expect(life.application.compensations).toHaveLength(1);
    expect((await life.status())?.state).toBe("Failed");
    expect((await life.status())?.last?.cause).toBe("work failed: no space");
  });
});

describe("an application that has failed (T76)", () => {
  it("takes a corrected spec for the repair, and leaves the failure", async () => {
    const life = await begin();
    await life.finish({ phase: "Failed", message: "no such address" });
    expect(await conditionOf(life)).toMatchObject({ status: "False", reason: "HumanIntervention" });
    await life.jump(60 * 60_000);
    expect((await life.status())?.state).toBe("HumanIntervention");
    await life.edit();
    expect((await life.status())?.state).toBe("Installing");
    await life.finish({ phase: "Succeeded" });
    expect(await conditionOf(life)).toMatchObject({ status: "True", reason: "Ready", observedGeneration: 2 });
  });
});
