// Somebody else and the operator overwrite one field of an owned object in turns, on a whole controller.
import { afterEach, describe, expect, it } from "vitest";
import type { ControllerOptions } from "../../src/controller/declaration/controller-options.ts";
import { findCondition, fromManifest, type Condition } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import { FaultyController, namespace, type Widget } from "./support/faulty-controller.ts";

let subject: FaultyController | undefined;
afterEach(() => subject?.stop());

const steps = {
  ObjectsGetter: ({ cr, registry }: StepContext<Widget>) => {
    for (const name of [cr.metadata.name, `${cr.metadata.name}-2`]) {
      const data = { mode: "ours", size: String(cr.spec.size) };
      registry.add(fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }));
    }
  },
};

async function start(options: ControllerOptions<Widget> = {}): Promise<FaultyController> {
  subject = await FaultyController.start({ steps, ...options });
  return subject;
}

async function conditionOf(
  running: FaultyController,
  name: string,
  type: string,
): Promise<Condition | undefined> {
  return findCondition((await running.get(name)).status?.conditions, type);
}

async function dataOf(running: FaultyController, name: string): Promise<Record<string, string> | undefined> {
  return (await running.person.get(ConfigMap, { name, namespace })).data;
}

/** Sets the mode whenever it is not theirs, once a second. */
async function overwrite(running: FaultyController, name: string, seconds: number): Promise<number> {
  let writes = 0;
  for (let second = 0; second < seconds; second += 1) {
    if ((await dataOf(running, name))?.["mode"] !== "theirs") {
      writes += 1;
      const patch = { type: "merge", body: { data: { mode: "theirs" } } } as const;
      await running.person.patch(ConfigMap, { name, namespace }, patch, { fieldManager: "gitops" });
    }
    await running.clock.advance(1_000);
  }
  return writes;
}

describe("a field that somebody else overwrites again and again", () => {
  it("is told with the other's name, and repaired less often; nothing else is left alone", async () => {
    const running = await start();
    const { clock } = running;
    await running.create("a");
    await running.create("b");
    await clock.advance(1_000);
    const writes = await overwrite(running, "a", 300);
    // Five at once, then after 5, 10, 20, 40, 80, 160 s.
    expect(writes).toBeGreaterThan(8);
    expect(writes).toBeLessThan(13);
    const message =
      'field manager "gitops" keeps overwriting data.mode of ConfigMap/a, which this operator declares; ' +
      "it is corrected less and less often until that ends";
    expect(await conditionOf(running, "a", "FieldFight")).toMatchObject({
      status: "True",
      reason: "FieldOverwritten",
      message,
    });
    expect(await conditionOf(running, "a", "ReconciliationSuccess")).toMatchObject({
      status: "Unknown",
      reason: "Pending",
    });
    // What is declared is not in force, however healthy the object is that has another value.
    expect(await conditionOf(running, "a", "Ready")).toMatchObject({
      status: "False",
      reason: "ResourcesNotReady",
      message: "ConfigMap/a: another client overwrites what is declared: see the condition FieldFight",
    });
    expect(running.events.filter(({ reason }) => reason === "FieldFight")).toEqual([
      { object: `${namespace}/a`, reason: "FieldFight", note: message },
    ]);
    expect(running.controller.health()).toMatchObject({
      heldCount: 1,
      held: [{ key: `${namespace}/a`, why: "fieldFight", message }],
    });
    expect(await dataOf(running, "a")).toMatchObject({ mode: "theirs" });
    expect(await conditionOf(running, "b", "FieldFight")).toBeUndefined();

    // Another object of the same resource, another resource, and a change of the spec.
    const edit = { type: "merge", body: { data: { mode: "edited" } } } as const;
    await running.person.patch(ConfigMap, { name: "a-2", namespace }, edit);
    await running.person.patch(ConfigMap, { name: "b", namespace }, edit);
    await clock.advance(100);
    expect(await dataOf(running, "a-2")).toMatchObject({ mode: "ours" });
    expect(await dataOf(running, "b")).toMatchObject({ mode: "ours" });
    await running.edit("a", { spec: { size: 5 } });
    await clock.advance(100);
    expect(await dataOf(running, "a")).toEqual({ mode: "ours", size: "5" });
  });

  it("is over when the other stops: repaired for good, and the condition turns False", async () => {
    const running = await start();
    const { clock } = running;
    await running.create("a");
    await clock.advance(1_000);
    await overwrite(running, "a", 60);
    for (let second = 0; second < 60 && (await dataOf(running, "a"))?.["mode"] !== "ours"; second += 1) {
      await clock.advance(1_000);
    }
    await clock.advance(100);
    // It is as declared, although the other may come back.
    for (const type of ["FieldFight", "ReconciliationSuccess", "Ready"]) {
      expect(await conditionOf(running, "a", type)).toMatchObject({ type, status: "True" });
    }
    await clock.advance(120_000);
    expect(await dataOf(running, "a")).toMatchObject({ mode: "ours" });
    expect(await conditionOf(running, "a", "FieldFight")).toMatchObject({
      status: "False",
      reason: "Recovered",
    });
    expect(running.controller.health().heldCount).toBe(0);
    expect(await conditionOf(running, "a", "ReconciliationSuccess")).toMatchObject({ status: "True" });
    const runs = running.runsOf("a");
    await clock.advance(600_000);
    expect(running.runsOf("a")).toBe(runs);
  });

  it("is repaired at once for ever when the author says so", async () => {
    const running = await start({ fieldFights: false, hotLoop: false });
    await running.create("a");
    await running.clock.advance(1_000);
    expect(await overwrite(running, "a", 60)).toBe(60);
    expect(await conditionOf(running, "a", "FieldFight")).toBeUndefined();
  });
});
