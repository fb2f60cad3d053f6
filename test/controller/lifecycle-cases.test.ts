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

describe("a step that fails for ever (T54)", () => {
  const upgrading = setupLifecycle().createMachine({
    id: "upgrading",
    version: "1",
    initial: "Old",
    states: {
      Old: { on: { "desired.New": "Upgrading" } },
      Upgrading: {
        invoke: { id: "work", src: "work", onDone: "New", onError: "HumanIntervention" },
        on: {
          "human.abort": "Old",
          "human.retry": { target: "Upgrading", reenter: true },
          "human.skip": "Cleaning",
        },
      },
      Cleaning: { on: { "observed.Clean": "New" } },
      New: {},
    },
  });

  async function failing(): Promise<SimulatedLife> {
    const life = await SimulatedLife.begin(upgrading, 1_000);
    lives.push(life);
    await life.ask("New", "1");
    for (let hour = 0; hour < 3; hour += 1) {
      await life.finish({ phase: "Failed", message: "no space" });
      await life.jump(60 * 60_000);
    }
    expect(await life.status()).toMatchObject({ state: "Upgrading", tasks: { work: { attempt: 4 } } });
    return life;
  }

  const send = (life: SimulatedLife, event: string): Promise<void> =>
    life.annotate({ "lifecycle.xstate-operator.dev/event": event });

  it("can be ended by abort, is cancelled then, and begins anew only when it is asked for", async () => {
    const life = await failing();
    const key = life.application.starts.at(-1)?.key;
    await send(life, "abort");
    expect(await life.status()).toMatchObject({ state: "Old", tasks: {} });
    expect(life.application.cancels).toContain(key);
    const starts = life.application.starts.length;
    for (let day = 0; day < 3; day += 1) await life.jump(24 * 60 * 60_000);
    await life.kill();
    await life.look();
    expect(life.application.starts).toHaveLength(starts);
    expect(await conditionOf(life)).toMatchObject({
      status: "False",
      reason: "Old",
      message:
        'New was ended for "1" by human.abort; now Old; change spec.lifecycle.request to request it again',
    });
    await life.ask("New", "2");
    expect((await life.status())?.state).toBe("Upgrading");
    await life.finish({ phase: "Succeeded" });
    expect(await conditionOf(life)).toMatchObject({ status: "True", reason: "New" });
  });

  it("can be left by skip, is cancelled then, and the way goes on", async () => {
    const life = await failing();
    const key = life.application.starts.at(-1)?.key;
    await send(life, "skip");
    expect(await life.status()).toMatchObject({ state: "Cleaning", tasks: {} });
    expect(life.application.cancels).toContain(key);
    await life.see("Clean");
    expect(await conditionOf(life)).toMatchObject({ status: "True", reason: "New" });
  });

  it("can be begun anew by retry, as another task", async () => {
    const life = await failing();
    const keys = new Set(life.application.starts.map(({ key }) => key));
    await send(life, "retry");
    expect(await life.status()).toMatchObject({ state: "Upgrading", tasks: { work: { attempt: 1 } } });
    expect(keys).not.toContain(life.application.starts.at(-1)?.key);
    await life.finish({ phase: "Succeeded" });
    expect((await life.status())?.state).toBe("New");
  });

  it("stays what it is when it is asked for what its state does not declare", async () => {
    const life = await failing();
    const starts = life.application.starts.length;
    await send(life, "restore");
    expect((await life.status())?.state).toBe("Upgrading");
    expect(life.application.starts).toHaveLength(starts);
    const { accepted, message } = (await life.status())?.human ?? {};
    expect(accepted).toBe(false);
    for (const event of ["abort", "retry", "skip"]) expect(message).toContain(event);
  });
});

describe("a cleanup that fails (T55)", () => {
  const cleaning = setupLifecycle().createMachine({
    id: "cleaning",
    version: "1",
    initial: "Running",
    states: {
      Running: { on: { "desired.End": "Stopping" } },
      Stopping: { invoke: { id: "work", src: "work", onDone: "End", onError: "HumanIntervention" } },
      HumanIntervention: { tags: "intervention", on: { "human.retry": "Stopping" } },
      End: { type: "final" },
    },
  });

  it("is tried ever less often, says so, and ends with a person's word", async () => {
    const life = await SimulatedLife.begin(cleaning, 5);
    lives.push(life);
    life.application.startError = "the backup store does not answer";
    await life.delete();
    expect(await conditionOf(life)).toMatchObject({
      status: "False",
      reason: "Stopping",
      message: expect.stringContaining("the backup store does not answer"),
    });
    for (let minute = 0; minute < 60; minute += 1) await life.jump(60_000);
    // All attempts, and once more, as a deletion leads out of a dead end once.
    expect(life.application.refusedStarts).toBe(2 * 5);
    expect(await conditionOf(life)).toMatchObject({
      reason: "HumanIntervention",
      message: expect.stringContaining("the backup store does not answer"),
    });
    const writes = life.writes.length;
    for (let hour = 0; hour < 24; hour += 1) await life.jump(60 * 60_000);
    expect(life.writes).toHaveLength(writes);
    life.application.startError = undefined;
    await life.annotate({ "lifecycle.xstate-operator.dev/event": "retry" });
    await life.finish({ phase: "Succeeded" });
    expect(await life.resource()).toBeUndefined();
  });
});

describe("a failure whose cause goes away (T62)", () => {
  it("is over at the next look, and the next look does not take longer however long it lasted", async () => {
    const probed = setupLifecycle().createMachine({
      id: "probed",
      version: "1",
      initial: "Running",
      states: {
        Running: { on: { "observed.ReadOnly": "Failed" } },
        Failed: { on: { "observed.Running": "Running" }, tags: ["degraded"] },
      },
    });
    const life = await SimulatedLife.begin(probed);
    lives.push(life);
    await life.see("ReadOnly");
    expect((await life.status())?.state).toBe("Failed");
    for (let hour = 0; hour < 8; hour += 1) await life.jump(60 * 60_000);
    // Nobody says so: the operator asks by itself, once a minute here (`poll`).
    life.application.observation = { state: "Running" };
    await life.pass(60_000);
    expect((await life.status())?.state).toBe("Running");
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
