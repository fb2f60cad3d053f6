// Own writes and staleness on a whole controller: what it has written, it must not do again because its watch is late, and
// what others have written, it must not overlook because its own write hid it.
import { afterEach, describe, expect, it } from "vitest";
import type { ControllerOptions } from "../../src/controller/declaration/controller-options.ts";
import { fromManifest, TerminalError } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import { FaultyController, namespace, Widget } from "./support/faulty-controller.ts";

let subject: FaultyController | undefined;
afterEach(() => subject?.stop());

async function start(options: ControllerOptions<Widget>): Promise<FaultyController> {
  subject = await FaultyController.start(options);
  return subject;
}

/** Makes a child of a generated name unless there is one. */
async function ensureChild({ cr, client, owned }: StepContext<Widget>): Promise<void> {
  if (owned(ConfigMap).length > 0) return;
  await client.create(ConfigMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace,
      generateName: `${cr.metadata.name}-`,
      ownerReferences: [
        {
          apiVersion: cr.apiVersion,
          kind: cr.kind,
          name: cr.metadata.name,
          uid: cr.metadata.uid,
          controller: true,
        },
      ],
    } as never,
  });
}

describe("an own write", () => {
  it("of a child with a generated name is seen by the next run although the watch is 2 s late (T19)", async () => {
    const running = await start({ steps: { Updater: ensureChild } });
    const { clock, faults } = running;
    faults.hold("configmaps");
    await running.create("a");
    await clock.settle();
    for (let edit = 2; edit < 6; edit += 1) {
      await running.edit("a", { spec: { size: edit } });
      await clock.advance(400);
    }
    faults.release("configmaps");
    await clock.advance(60_000);
    expect(running.runsOf("a")).toBeGreaterThan(4);
    expect(await running.children()).toHaveLength(1);
  });

  it("of a child with a generated name whose answer is lost is found again: no second child is made", async () => {
    const running = await start({ steps: { Updater: ensureChild } });
    const { clock, faults } = running;
    faults.hold("configmaps");
    faults.lostCreations = 3;
    await running.create("a");
    await clock.advance(5_000);
    expect(await running.children()).toHaveLength(1);
    expect(await running.get("a")).toMatchObject({
      status: { conditions: [{ status: "True" }, { type: "Ready", status: "True" }] },
    });
    faults.release("configmaps");
    await running.edit("a", { spec: { size: 3 } });
    await clock.advance(60_000);
    expect(await running.children()).toHaveLength(1);
    expect((await running.children())[0]?.metadata.name).toMatch(/^a-[a-z0-9]{5}$/);
  });

  it("of a child that somebody deletes at once leaves no ghost: it is made again (T23)", async () => {
    const running = await start({ steps: { Updater: ensureChild } });
    const { clock, faults } = running;
    faults.hold("configmaps");
    await running.create("a");
    await clock.settle();
    const [child] = await running.children();
    await running.person.delete(ConfigMap, child?.metadata ?? { name: "" });
    await clock.advance(2_000);
    expect(await running.children()).toEqual([]);
    faults.release("configmaps");
    await clock.advance(1_000);
    const [successor, ...others] = await running.children();
    expect(successor?.metadata.uid).not.toBe(child?.metadata.uid);
    expect(others).toEqual([]);
  });

  it("of a child does not hide what becomes of it later: who waits for the child goes on (T25)", async () => {
    const made = (name: string) =>
      fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { step: name } });
    const running = await start({
      steps: {
        ObjectsGetter: ({ registry, owned }) => {
          registry.add(made("first"));
          const [first] = owned(ConfigMap).filter(({ metadata }) => metadata.name === "first");
          if (first?.data?.["ready"] === "yes") registry.add(made("second"));
        },
      },
    });
    const { clock, faults, person } = running;
    const names = async (): Promise<string[]> =>
      (await running.children()).map(({ metadata }) => metadata.name);
    faults.hold("configmaps");
    await running.create("a");
    await clock.advance(1_000);
    await person.patch(
      ConfigMap,
      { name: "first", namespace },
      { type: "merge", body: { data: { ready: "yes" } } },
    );
    await running.edit("a", { spec: { size: 2 } });
    await clock.advance(1_000);
    expect(await names()).toEqual(["first"]);
    faults.release("configmaps");
    await clock.advance(1_000);
    expect(await names()).toEqual(["first", "second"]);
  });

  it("of the status is what the next run sees: never Busy after Ready (T20)", async () => {
    const seen: (string | undefined)[] = [];
    const running = await start({
      steps: {
        Updater: async ({ cr, status }) => {
          seen.push(cr.status?.phase);
          status.merge({ phase: "Busy", seen: cr.spec.size });
          await status.flush();
          status.merge({ phase: "Ready" });
        },
      },
    });
    const { clock, faults } = running;
    faults.hold("widgets");
    await running.create("a");
    faults.release("widgets");
    await clock.settle();
    faults.hold("widgets");
    // What reconciles while the watch of widgets is late comes from elsewhere.
    for (let run = 0; run < 3; run += 1) {
      running.controller.queue.add("default/a", { cause: { reason: "external" } });
      await clock.advance(500);
    }
    faults.release("widgets");
    await clock.advance(60_000);
    expect(seen[0]).toBeUndefined();
    expect(seen.length).toBeGreaterThan(3);
    expect(new Set(seen.slice(1))).toEqual(new Set(["Ready"]));
  });

  it.each(["in time", "after its event"])(
    "of the status of a resource that fails causes no run, with an answer %s",
    async (answer) => {
      const causes: unknown[] = [];
      subject = await FaultyController.start(
        {
          steps: {
            Updater: ({ status }) => {
              // The status differs in each run, and is written twice in it.
              status.merge({ seen: causes.length });
              throw new Error("it cannot be");
            },
            ErrorManager: ({ status }) => status.flush(),
          },
        },
        1,
        (_text, { message, fields }) => {
          if (message === "reconcile starts") causes.push(fields["cause"] ?? fields["causes"]);
        },
      );
      if (answer === "after its event") subject.faults.lateness = 50;
      await subject.create("a");
      await subject.clock.advance(600_000);
      expect(causes.length).toBeGreaterThan(5);
      expect(JSON.stringify(causes)).not.toContain("modified");
      expect((await subject.get("a")).status?.seen).toBe(causes.length);
    },
  );

  it("of the status does not hide a delete request that came with its answer: the clean-up runs (T21)", async () => {
    const cleaned: string[] = [];
    const running = await start({
      steps: {
        SuccessManager: ({ cr }) => ({ seen: cr.spec.size }),
        CRFinalizer: ({ cr }) => void cleaned.push(cr.metadata.name),
      },
    });
    const { clock, faults } = running;
    await running.create("a");
    await clock.advance(1_000);
    faults.lateness = 2_000;
    await running.edit("a", { spec: { size: 5 } });
    await clock.settle();
    await running.person.delete(Widget, { name: "a", namespace });
    await clock.advance(20_000);
    expect(cleaned).toEqual(["a"]);
    await expect(running.get("a")).rejects.toMatchObject({ code: "API_NOT_FOUND" });
  });

  it("of a status that does not change hides no edit made meanwhile (T22)", async () => {
    const sizes: number[] = [];
    let pause = (): Promise<void> => Promise.resolve();
    const running = await start({
      steps: {
        Updater: async ({ cr, client }) => {
          await pause();
          // Written whether it differs or not, as hooks do that do not compare.
          await client.patch(
            Widget,
            cr.metadata,
            { type: "merge", body: { status: { phase: "same" } } },
            {
              subresource: "status",
            },
          );
          sizes.push(cr.spec.size);
        },
      },
    });
    const { clock } = running;
    await running.create("a");
    await clock.advance(5_000);
    const gate = Promise.withResolvers<void>();
    pause = () => gate.promise;
    running.controller.queue.add("default/a");
    await clock.settle();
    await running.edit("a", { spec: { size: 7 } });
    gate.resolve();
    await clock.advance(5_000);
    expect(sizes.at(-1)).toBe(7);
  });

  it("of its own object by a hook that then fails for good is not repeated: it stays failed (T27)", async () => {
    let runs = 0;
    const running = await start({
      steps: {
        Updater: async ({ cr, client }) => {
          runs += 1;
          await client.patch(Widget, cr.metadata, {
            type: "merge",
            body: { metadata: { annotations: { patched: "yes" } } },
          });
          throw new TerminalError("BROKEN", "it cannot be");
        },
      },
    });
    const { clock } = running;
    await running.create("a");
    await clock.advance(300_000);
    // The patch is an edit of the resource like any other: looked at once more, and by then it changes nothing.
    expect(runs).toBeLessThanOrEqual(2);
    expect((await running.get("a")).status).toMatchObject({
      conditions: [
        { type: "ReconciliationSuccess", status: "False", reason: "ErrorAndGiveup" },
        { type: "Ready", status: "False" },
        { type: "Stalled", status: "True" },
      ],
    });
  });
});

describe("an edit of its own object by a hook in each run", () => {
  it.each([
    ["its client", "in time"],
    ["another client", "in time"],
    ["another client", "late"],
  ])(
    "through %s, with a watch that is %s, keeps no status back and causes one run each",
    async (by, watch) => {
      const seen: unknown[] = [];
      const running: FaultyController = await start({
        steps: {
          Updater: async ({ cr, client }) => {
            seen.push(cr.status?.observedGeneration);
            if (seen.length > 3) return;
            if (watch === "late") running.faults.hold("widgets");
            const body = { metadata: { annotations: { run: String(seen.length) } } };
            const editor = by === "its client" ? client : running.person;
            await editor.patch(Widget, cr.metadata, { type: "merge", body });
          },
        },
      });
      const { clock, faults } = running;
      await running.create("a");
      for (let run = 0; run < 8; run += 1) {
        await clock.advance(1_000);
        faults.release("widgets");
      }
      await clock.advance(60_000);
      expect(seen).toEqual([-1, 1, 1, 1]);
      expect((await running.get("a")).status).toMatchObject({
        conditions: [{ status: "True" }, { type: "Ready", status: "True" }],
      });
    },
  );
});

describe("an edit", () => {
  it("right after the creation, before anything is recorded, creates nothing twice (T26)", async () => {
    const running = await start({ steps: { Updater: ensureChild } });
    const { clock, faults } = running;
    faults.lateness = 300;
    await running.create("a");
    await running.edit("a", { metadata: { labels: { early: "yes" } } });
    await clock.advance(30_000);
    expect(await running.children()).toHaveLength(1);
    expect(faults.writes.filter(({ verb }) => verb === "create")).toHaveLength(1);
  });

  it("during a run of 10 s is seen by exactly one further run, whatever their number (T28)", async () => {
    const sizes: number[] = [];
    const running = await start({
      steps: {
        Updater: async ({ cr, clock: time }) => {
          sizes.push(cr.spec.size);
          await new Promise<void>((resolve) => time.setTimeout(resolve, 10_000));
        },
      },
    });
    const { clock } = running;
    await running.create("a");
    await clock.advance(1_000);
    for (const size of [2, 3, 4]) {
      await running.edit("a", { spec: { size } });
      await clock.advance(1_000);
    }
    await clock.advance(120_000);
    expect(sizes).toEqual([1, 4]);
  });
});

describe("a status", () => {
  it("that is as it was is not written, and causes no run (T31)", async () => {
    const running = await start({ steps: { SuccessManager: () => ({ phase: "same" }) } });
    const { clock, faults } = running;
    await running.create("a");
    await clock.advance(5_000);
    const before = { writes: faults.writes.length, runs: running.runsOf("a") };
    running.controller.queue.add("default/a");
    await clock.advance(60_000);
    expect(running.runsOf("a")).toBe(before.runs + 1);
    expect(faults.writes.length).toBe(before.writes);
  });
});

describe("a status that the server refuses", () => {
  it("is told and counted as an error, less and less often retried, and has its conditions all the same", async () => {
    const lines: string[] = [];
    subject = await FaultyController.start(
      { steps: { SuccessManager: ({ cr }) => ({ seen: (cr.spec.size === 1 ? "abc" : 2) as number }) } },
      1,
      (_text, { message }) => lines.push(message),
    );
    const { clock } = subject;
    await subject.create("a");
    await clock.advance(600_000);
    const runs = subject.runsOf("a");
    expect(runs).toBeGreaterThan(5);
    expect(runs).toBeLessThan(20);
    expect(lines.filter((message) => message === "reconcile failed")).toHaveLength(runs);
    const message = expect.stringMatching(/^the status could not be written: .*status\.seen/) as string;
    expect((await subject.get("a")).status).toMatchObject({
      observedGeneration: 1,
      conditions: [
        { type: "ReconciliationSuccess", status: "False", reason: "Error", message },
        { type: "Ready", status: "False" },
        { type: "Stalled", status: "True" },
      ],
    });
    expect(new Set(subject.events.map(({ note }) => note)).size).toBe(1);
    expect(subject.events[0]).toEqual({ object: "default/a", reason: "ReconcileFailed", note: message });
    await subject.edit("a", { spec: { size: 2 } });
    await clock.settle();
    expect((await subject.get("a")).status).toMatchObject({
      seen: 2,
      conditions: [{ status: "True" }, { type: "Ready", status: "True" }],
    });
  });
});

describe("a deletion", () => {
  const source = { name: "source", namespace };

  it("is cleaned up by what the status remembers, when what it was made from is gone first (T50)", async () => {
    const cleaned: unknown[] = [];
    const running = await start({
      reads: [ConfigMap],
      steps: {
        SuccessManager: ({ lookUp }) => ({ phase: lookUp(ConfigMap, source)?.data?.["bucket"] ?? "" }),
        CRFinalizer: ({ cr, lookUp }) =>
          void cleaned.push(lookUp(ConfigMap, source)?.data?.["bucket"] ?? cr.status?.phase),
      },
    });
    const { clock, person } = running;
    const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: source, data: { bucket: "b-17" } };
    await person.create(ConfigMap, manifest);
    await running.create("a");
    await clock.advance(1_000);
    await person.delete(ConfigMap, source);
    await person.delete(Widget, { name: "a", namespace });
    await clock.advance(10_000);
    expect(cleaned).toEqual(["b-17"]);
    await expect(running.get("a")).rejects.toMatchObject({ code: "API_NOT_FOUND" });
  });

  it("ends although the creation never finished (T50)", async () => {
    const running = await start({
      steps: {
        Updater: () => {
          throw new TerminalError("NEVER_MADE", "it cannot be made");
        },
        CRFinalizer: () => undefined,
      },
    });
    const { clock } = running;
    await running.create("a");
    await clock.advance(5_000);
    await running.person.delete(Widget, { name: "a", namespace });
    await clock.advance(10_000);
    await expect(running.get("a")).rejects.toMatchObject({ code: "API_NOT_FOUND" });
  });

  it("asked for while the watch is late is seen by the first event, and cleaned up once", async () => {
    let cleanUps = 0;
    const running = await start({ steps: { CRFinalizer: () => void (cleanUps += 1) } });
    const { clock, faults } = running;
    await running.create("a");
    await clock.advance(1_000);
    faults.hold("widgets");
    await running.edit("a", { spec: { size: 2 } });
    await running.person.delete(Widget, { name: "a", namespace });
    await clock.advance(60_000);
    expect(cleanUps).toBe(0);
    faults.repeats = true;
    faults.release("widgets");
    await clock.advance(60_000);
    expect(cleanUps).toBe(1);
    await expect(running.get("a")).rejects.toMatchObject({ code: "API_NOT_FOUND" });
  });
});

describe("a hung reconcile", () => {
  it("is cut off, says so, frees its key, and a new spec is taken (T45)", async () => {
    const zombie = Promise.withResolvers<void>();
    const late: Promise<string>[] = [];
    const running = await start({
      timeout: "30s",
      steps: {
        Updater: async ({ cr, client, log }) => {
          if (!cr.spec.fail) return;
          await zombie.promise;
          log.debug({}, "the zombie goes on");
          const write = client.patch(Widget, cr.metadata, { type: "merge", body: { spec: { size: 99 } } });
          late.push(
            write.then(
              () => "written",
              (error: unknown) => (error as { code: string }).code,
            ),
          );
        },
        SuccessManager: ({ cr }) => ({ seen: cr.spec.size }),
      },
    });
    const { clock } = running;
    await running.create("a", { fail: true });
    await clock.advance(30_000);
    expect((await running.get("a")).status).toMatchObject({
      conditions: [
        { status: "False", message: "the reconcile timed out in Updater: it took longer than 30 s" },
        { type: "Ready", status: "False" },
        { type: "Reconciling", status: "True" },
      ],
    });
    expect(running.events).toMatchObject([
      {
        object: "default/a",
        reason: "ReconcileFailed",
        note: expect.stringContaining("timed out in Updater") as string,
      },
    ]);
    await running.edit("a", { spec: { fail: false, size: 3 } });
    await clock.advance(10_000);
    expect((await running.get("a")).status).toMatchObject({
      seen: 3,
      conditions: [{ status: "True" }, { type: "Ready", status: "True" }],
    });
    zombie.resolve();
    await clock.settle();
    expect(await Promise.all(late)).toEqual(["RECONCILE_TIMEOUT"]);
    expect((await running.get("a")).spec.size).toBe(3);
  });
});
