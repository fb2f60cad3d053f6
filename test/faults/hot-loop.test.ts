// A resource that is in a reconcile loop, on a whole controller: found, told, slowed down alone, and over by itself.
import { afterEach, describe, expect, it } from "vitest";
import type { ControllerOptions } from "../../src/controller/declaration/controller-options.ts";
import { findCondition, fromManifest } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import type { Condition } from "../../src/index.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import { FaultyController, namespace, Widget } from "./support/faulty-controller.ts";

let subject: FaultyController | undefined;
afterEach(() => subject?.stop());

async function start(options: ControllerOptions<Widget>): Promise<FaultyController> {
  subject = await FaultyController.start(options);
  return subject;
}

const child = (cr: Widget, data: Record<string, string>) =>
  fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: cr.metadata.name }, data });

async function conditionOf(running: FaultyController, name: string): Promise<Condition | undefined> {
  const { status } = await running.get(name);
  return findCondition(status?.conditions, "HotLoop");
}

describe("a reconcile that writes the time into a child", () => {
  let writesTime = true;
  const steps = {
    ObjectsGetter: ({ cr, registry, clock, owned }: StepContext<Widget>) => {
      // What it reads of them, it has to be shown again after each of its writes.
      owned(ConfigMap);
      const data = cr.spec.fail && writesTime ? { now: String(clock.now()) } : { size: String(cr.spec.size) };
      registry.add(child(cr, data));
    },
    SuccessManager: ({ cr }: StepContext<Widget>) => ({ seen: cr.spec.size }),
  };

  it("is found, told, and slowed down; other resources and user edits are not (T30)", async () => {
    writesTime = true;
    const running = await start({ steps });
    const { clock } = running;
    running.faults.lateness = 100;
    await running.create("a", { fail: true });
    await running.create("b");
    await clock.advance(10_000);
    expect(await conditionOf(running, "a")).toMatchObject({
      status: "True",
      reason: "OwnWrites",
      message: expect.stringContaining(
        `ConfigMap ${namespace}/a (data.now) is written repeatedly by this operator's own reconcile, as field manager "widgets"`,
      ) as string,
    });
    expect(running.events.filter(({ reason }) => reason === "HotLoop")).toMatchObject([
      { object: `${namespace}/a` },
    ]);
    expect(running.controller.health()).toMatchObject({
      heldCount: 1,
      held: [{ key: `${namespace}/a`, why: "hotLoop", message: (await conditionOf(running, "a"))?.message }],
    });
    const before = running.runsOf("a");
    await clock.advance(600_000);
    // One a minute, with a run or two more while the delay still grows.
    expect(running.runsOf("a") - before).toBeGreaterThan(8);
    expect(running.runsOf("a") - before).toBeLessThan(20);
    expect(running.events.filter(({ reason }) => reason === "HotLoop")).toHaveLength(1);
    expect(await conditionOf(running, "b")).toBeUndefined();

    await running.edit("a", { spec: { size: 7 } });
    await running.edit("b", { spec: { size: 8 } });
    await clock.advance(1_000);
    expect((await running.get("a")).status).toMatchObject({ seen: 7 });
    expect((await running.get("b")).status).toMatchObject({ seen: 8 });
  });

  it("recovers by itself when it no longer does: the condition turns False, and nothing more is written", async () => {
    writesTime = true;
    const running = await start({ steps, hotLoop: { runs: 5, within: "10s", longestDelay: "10s" } });
    const { clock } = running;
    running.faults.lateness = 100;
    await running.create("a", { fail: true });
    await clock.advance(10_000);
    expect(await conditionOf(running, "a")).toMatchObject({ status: "True" });
    writesTime = false;
    await clock.advance(30_000);
    expect(await conditionOf(running, "a")).toMatchObject({ status: "False", reason: "Recovered" });
    expect(running.controller.health().heldCount).toBe(0);
    const runs = running.runsOf("a");
    await clock.advance(600_000);
    expect(running.runsOf("a")).toBe(runs);
  });

  it("is not looked for when the author says so", async () => {
    writesTime = true;
    const running = await start({ steps, hotLoop: false });
    running.faults.lateness = 100;
    await running.create("a", { fail: true });
    await running.clock.advance(20_000);
    expect(running.runsOf("a")).toBeGreaterThan(90);
    expect(await conditionOf(running, "a")).toBeUndefined();
  });
});

describe("a reconcile that writes the time into a child which it does not read", () => {
  it("does not cause itself: there is no loop", async () => {
    const running = await start({
      steps: {
        ObjectsGetter: ({ cr, registry, clock }) => registry.add(child(cr, { now: String(clock.now()) })),
      },
    });
    running.faults.lateness = 100;
    await running.create("a");
    await running.clock.advance(600_000);
    expect(running.runsOf("a")).toBe(1);
  });
});

describe("a reconcile that makes another child in each run", () => {
  it("is found, told, and slowed down; a resource that makes many children at once is not", async () => {
    const running = await start({
      steps: {
        ObjectsGetter: ({ cr, registry, clock, owned }) => {
          owned(ConfigMap);
          const names = cr.spec.fail
            ? [`${cr.metadata.name}-${clock.now()}`]
            : Array.from({ length: 60 }, (_, index) => `${cr.metadata.name}-${index}`);
          for (const name of names) {
            registry.add(fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }));
          }
        },
      },
    });
    const { clock } = running;
    running.faults.lateness = 100;
    await running.create("a", { fail: true });
    await running.create("many");
    await clock.advance(10_000);
    expect(await conditionOf(running, "a")).toMatchObject({
      status: "True",
      reason: "OwnWrites",
      message: expect.stringMatching(
        /^A new ConfigMap, such as ConfigMap default\/a-\d+, is created in each run by this operator's own reconcile, as field manager "widgets"/,
      ) as string,
    });
    expect(running.events.filter(({ reason }) => reason === "HotLoop")).toMatchObject([
      { object: `${namespace}/a` },
    ]);
    const before = running.runsOf("a");
    await clock.advance(600_000);
    expect(running.runsOf("a") - before).toBeLessThan(20);
    expect(running.events.filter(({ reason }) => reason === "HotLoop")).toHaveLength(1);
    expect(await conditionOf(running, "many")).toBeUndefined();
  });
});

describe("a reconcile that deletes its child and makes it again in each run", () => {
  it.each([0, 100])(
    "is told as its own, and slowed down, with a watch that is late by %i ms",
    async (lateness) => {
      const running = await start({
        steps: {
          Updater: async ({ cr, client, owned }) => {
            const { apiVersion, kind, metadata } = cr;
            const { name, uid } = metadata;
            const key = { name, namespace };
            if (owned(ConfigMap).length > 0) await client.delete(ConfigMap, key);
            const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
            const child = { ...key, ownerReferences };
            await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: child });
          },
        },
      });
      running.faults.lateness = lateness;
      await running.create("a");
      await running.clock.advance(20_000);
      expect(await conditionOf(running, "a")).toMatchObject({
        status: "True",
        reason: "OwnWrites",
        message: expect.stringContaining(
          `ConfigMap ${namespace}/a is deleted and created repeatedly by this operator's own reconcile`,
        ) as string,
      });
      const before = running.runsOf("a");
      await running.clock.advance(600_000);
      expect(running.runsOf("a") - before).toBeLessThan(25);
    },
  );
});

describe("somebody who deletes a child again and again", () => {
  it("is told as somebody else, and the resource is slowed down", async () => {
    const running = await start({
      steps: { ObjectsGetter: ({ cr, registry }) => registry.add(child(cr, { size: "1" })) },
    });
    await running.create("a");
    await running.clock.advance(100);
    const remove = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await running.person.delete(ConfigMap, { name: "a", namespace }).catch(() => undefined);
        await running.clock.advance(500);
      }
    };
    await remove(40);
    const condition = await conditionOf(running, "a");
    expect(condition).toMatchObject({
      status: "True",
      reason: "ForeignWrites",
      message: expect.stringContaining(
        `ConfigMap ${namespace}/a is deleted repeatedly by another client`,
      ) as string,
    });
    expect(condition?.message).not.toContain("widgets");
    const before = running.runsOf("a");
    await remove(200);
    expect(running.runsOf("a") - before).toBeLessThan(20);
  });
});

describe("somebody who writes a field of the resource without end", () => {
  it("is named with the field; the resource is slowed down, and is no more when they stop", async () => {
    const running = await start({ steps: { SuccessManager: ({ cr }) => ({ seen: cr.spec.size }) } });
    const { clock } = running;
    await running.create("a");
    await running.create("b");
    const beat = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        await running.edit("a", { metadata: { annotations: { beat: String(clock.now()) } } });
        await clock.advance(500);
      }
    };
    await beat(60);
    expect(await conditionOf(running, "a")).toMatchObject({
      status: "True",
      reason: "ForeignWrites",
      message: expect.stringMatching(/metadata\.annotations\.beat\) .* by field manager "[^"]+"/) as string,
    });
    const before = running.runsOf("a");
    await beat(600);
    expect(running.runsOf("a") - before).toBeLessThan(15);
    // Another change goes through, although it is not of the spec.
    const runs = running.runsOf("a");
    await running.edit("a", { metadata: { labels: { team: "x" } } });
    await clock.advance(100);
    expect(running.runsOf("a")).toBe(runs + 1);
    await running.edit("b", { spec: { size: 3 } });
    await clock.advance(100);
    expect((await running.get("b")).status).toMatchObject({ seen: 3 });

    await clock.advance(130_000);
    expect(await conditionOf(running, "a")).toMatchObject({ status: "False", reason: "Recovered" });
    expect(running.events.filter(({ reason }) => reason === "HotLoop")).toHaveLength(1);
  });
});

describe("what is busy for a reason", () => {
  it("is not slowed down: a resource that polls, and writes what it sees into its status each time", async () => {
    const running = await start({
      steps: {
        ObjectsGetter: ({ cr, registry }) => registry.add(child(cr, { size: String(cr.spec.size) })),
        Updater: ({ results }) => results.success("Polling", { requeueAfter: 500 }),
        SuccessManager: ({ clock }) => ({ phase: `seen at ${clock.now()}` }),
      },
    });
    const { clock } = running;
    await running.create("a");
    await clock.advance(60_000);
    expect(running.runsOf("a")).toBeGreaterThan(110);
    expect(await conditionOf(running, "a")).toBeUndefined();
  });
});

describe("the finalizer that a reconcile adds", () => {
  it("does not cause another reconcile", async () => {
    const running = await start({ steps: { CRFinalizer: () => undefined } });
    await running.create("a");
    await running.clock.advance(60_000);
    expect((await running.get("a")).metadata.finalizers).toHaveLength(1);
    expect(running.runsOf("a")).toBe(1);
  });

  it("hides no delete request that came with it (T21)", async () => {
    const cleaned: string[] = [];
    const running = await start({ steps: { CRFinalizer: ({ cr }) => void cleaned.push(cr.metadata.name) } });
    const { clock, faults } = running;
    faults.lateness = 2_000;
    await running.create("a");
    // The run has written its finalizer; its watch event is still on the way when the delete comes.
    await clock.advance(2_000);
    expect((await running.get("a")).metadata.finalizers).toHaveLength(1);
    await running.person.delete(Widget, { name: "a", namespace });
    await clock.advance(20_000);
    expect(cleaned).toEqual(["a"]);
    await expect(running.get("a")).rejects.toMatchObject({ code: "API_NOT_FOUND" });
  });
});
