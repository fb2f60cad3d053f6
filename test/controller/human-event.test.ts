// What a person sends is done once: however soon the same is sent again, and wherever the operator is killed meanwhile.
import { afterEach, describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { humanEventAnnotation, humanEventIdAnnotation } from "../../src/lifecycle/human-event-annotation.ts";
import type { DeathMoment } from "../../src/testing/simulation/mortal-client.ts";
import { SimulatedLife } from "./simulated-life.ts";

const counter = setupLifecycle({
  actions: { count: ({ context }) => ({ count: Number(context["count"]) + 1 }) },
}).createMachine({
  id: "counter",
  version: "1",
  context: { count: 0 },
  initial: "Idle",
  states: {
    Idle: {
      on: { "human.count": { target: "Idle", reenter: true, actions: "count" }, "desired.End": "End" },
    },
    End: { type: "final" },
  },
});

const lives: SimulatedLife[] = [];
afterEach(() => {
  for (const life of lives.splice(0)) life.end();
});

async function begin(): Promise<SimulatedLife> {
  const life = await SimulatedLife.begin(counter);
  lives.push(life);
  return life;
}

async function counted(life: SimulatedLife): Promise<unknown> {
  return (await life.status())?.snapshot.context["count"];
}

async function annotationsOf(life: SimulatedLife): Promise<readonly string[]> {
  return Object.keys((await life.resource())?.metadata.annotations ?? {});
}

describe("a human event", () => {
  it("counts each time, when the same manager sends it thrice within one second", async () => {
    const life = await begin();
    for (let sent = 1; sent <= 3; sent += 1) {
      await life.annotate({ [humanEventAnnotation]: "count" });
      expect(await counted(life)).toBe(sent);
      expect(await annotationsOf(life)).not.toContain(humanEventAnnotation);
    }
    await life.kill();
    await life.look();
    expect(await counted(life)).toBe(3);
  });

  it.each(
    [0, 1, 2, 3, 4].flatMap((at) =>
      (["before", "after"] as const).map((moment): [number, DeathMoment] => [at, moment]),
    ),
  )("is neither lost nor done twice by a death at write %i, %s it was stored", async (at, moment) => {
    const life = await begin();
    for (let sent = 1; sent <= 2; sent += 1) {
      life.planDeath({ at, moment });
      await life.annotate({ [humanEventAnnotation]: "count", [humanEventIdAnnotation]: `request-${sent}` });
      await life.settle();
      expect(await counted(life)).toBe(sent);
      const annotations = await annotationsOf(life);
      expect(annotations).not.toContain(humanEventAnnotation);
      expect(annotations).not.toContain(humanEventIdAnnotation);
    }
    await life.look();
    expect(await counted(life)).toBe(2);
    if (at < 2) expect(life.deaths).toBeGreaterThan(0);
  });

  it("is told from one that is sent while its annotation is still there, by its id", async () => {
    const life = await begin();
    // The status with the first is stored, its annotation is not removed yet.
    life.planDeath({ at: 1, moment: "before" });
    await life.annotate({ [humanEventAnnotation]: "count", [humanEventIdAnnotation]: "first" });
    expect(life.deaths).toBe(1);
    expect(await counted(life)).toBe(1);
    await life.annotate({ [humanEventAnnotation]: "count", [humanEventIdAnnotation]: "second" });
    expect(await counted(life)).toBe(2);
    expect((await life.status())?.human).toMatchObject({ id: "count@second by kubectl", removed: true });
  });

  it("that is refused is removed once, recorded, and writes nothing after that", async () => {
    const life = await begin();
    await life.annotate({ [humanEventAnnotation]: "shout" });
    expect((await life.status())?.human).toMatchObject({ event: "shout", accepted: false, removed: true });
    expect(await annotationsOf(life)).not.toContain(humanEventAnnotation);
    const writes = life.writes.length;
    await life.look();
    await life.kill();
    await life.look();
    expect(life.writes).toHaveLength(writes);
  });
});
