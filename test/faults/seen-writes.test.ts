// What the controller has written of a child itself: no run follows where its hooks know all of it, one does where a hook may have gone
// by what was there before, and nothing that others do is overlooked.
import { afterEach, describe, expect, it } from "vitest";
import type { ControllerOptions } from "../../src/controller/declaration/controller-options.ts";
import { fromManifest, kubernetesResource } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import type { WriteMode } from "../../src/reconcile/resources/object-writer.ts";
import { FaultyController, namespace, type Widget } from "./support/faulty-controller.ts";

let subject: FaultyController | undefined;
afterEach(() => subject?.stop());

async function start(options: ControllerOptions<Widget>): Promise<FaultyController> {
  subject = await FaultyController.start(options);
  return subject;
}

type Steps = NonNullable<ControllerOptions<Widget>["steps"]>;
type Context = StepContext<Widget>;

const key = { namespace, name: "a" };
const child = (cr: Widget, write?: WriteMode) =>
  fromManifest(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { size: String(cr.spec.size) } },
    write === undefined ? {} : { write },
  );
const register = ({ cr, registry }: Context): void => registry.add(child(cr));

const forms = ([undefined, "apply", "update", "patch"] as const).flatMap((write) =>
  [0, 100].map((lateness) => ({ write, lateness, form: write ?? "whatever costs least" })),
);

describe("an own write of a child", () => {
  it.each(forms)("by $form, answered $lateness ms late, causes no other run", async ({ write, lateness }) => {
    const running = await start({
      steps: { ObjectsGetter: ({ cr, registry }) => registry.add(child(cr, write)) },
    });
    running.faults.lateness = lateness;
    await running.create("a");
    await running.clock.advance(30_000);
    expect(running.runsOf("a")).toBe(1);
    await running.edit("a", { spec: { size: 5 } });
    await running.clock.advance(30_000);
    expect(running.runsOf("a")).toBe(2);
    expect((await running.children())[0]?.data).toEqual({ size: "5" });
    expect((await running.get("a")).status).toMatchObject({ observedGeneration: 2 });
  });

  const before: Record<string, Steps> = {
    "looks it up": { ObjectsGetter: (context) => (context.lookUp(ConfigMap, key), register(context)) },
    "lists its type": { ObjectsGetter: (context) => (context.list(ConfigMap), register(context)) },
    "asks for what is owned": { ObjectsGetter: (context) => (context.owned(ConfigMap), register(context)) },
    "reads it before all others": { CRChecker: ({ owned }) => owned(ConfigMap), ObjectsGetter: register },
    "reads it from the server": {
      ObjectsGetter: async (context) => {
        await context.client.get(ConfigMap, key).catch(() => undefined);
        register(context);
      },
    },
    "asks whether it exists": {
      ObjectsGetter: register,
      Updater: async ({ registry }) => {
        await registry.mutateAll();
        if (registry.resources.every(({ exists }) => !exists)) await registry.createAll();
        else await registry.updateAll();
      },
    },
    "renders it by what is there": {
      ObjectsGetter: ({ registry }) =>
        registry.add(
          kubernetesResource<ConfigMap, Widget>({
            type: ConfigMap,
            key,
            mutateWithCR: (object, _cr, { live }) => {
              object.data = { made: live?.data?.["made"] ?? "once" };
            },
          }),
        ),
    },
  };
  it.each(Object.entries(before))("causes one where a hook %s before", async (_how, steps) => {
    const running = await start({ steps });
    await running.create("a");
    await running.clock.advance(30_000);
    expect(running.runsOf("a")).toBe(2);
  });

  it("causes none where a hook reads it only once it is written", async () => {
    const running = await start({
      steps: {
        ObjectsGetter: register,
        SuccessManager: ({ lookUp }) => ({ phase: lookUp(ConfigMap, key)?.data?.["size"] ?? "none" }),
      },
    });
    await running.create("a");
    await running.clock.advance(30_000);
    expect(running.runsOf("a")).toBe(1);
    expect((await running.get("a")).status?.phase).toBe("1");
  });

  it("causes one where the author has written it through the client", async () => {
    const running = await start({
      steps: {
        Updater: async ({ cr, client }) => {
          const { apiVersion, kind, metadata } = cr;
          const { name, uid } = metadata;
          const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
          const metadataOfChild = { ...key, ownerReferences };
          await client
            .create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: metadataOfChild })
            .catch(() => undefined);
        },
      },
    });
    await running.create("a");
    await running.clock.advance(30_000);
    expect(running.runsOf("a")).toBe(2);
  });

  it("does not hide that the run has failed after it: it is tried again", async () => {
    let isBroken = true;
    const running = await start({
      steps: {
        ObjectsGetter: register,
        SuccessManager: () => {
          if (isBroken) throw new Error("not yet");
        },
      },
    });
    await running.create("a");
    await running.clock.advance(100);
    isBroken = false;
    await running.clock.advance(60_000);
    expect((await running.get("a")).status).toMatchObject({ observedGeneration: 1 });
    expect((await running.get("a")).status).toMatchObject({ conditions: [{ status: "True" }, {}] });
  });
});

describe("what somebody does to a child", () => {
  const others: Record<string, (running: FaultyController) => Promise<unknown>> = {
    "changes it": ({ person }) =>
      person.patch(ConfigMap, key, { type: "merge", body: { data: { size: "666" } } }),
    "deletes it": ({ person }) => person.delete(ConfigMap, key),
    "takes the owner reference off it": ({ person }) =>
      person.patch(ConfigMap, key, { type: "merge", body: { metadata: { ownerReferences: null } } }),
  };
  const times = ["before its event has come", "before its answer has come", "while the watch is cut"];
  const cases = Object.entries(others).flatMap(([what, act]) => times.map((time) => ({ what, time, act })));

  it.each(cases)("is put right when somebody $what $time", async ({ time, act }) => {
    const running = await start({ steps: { ObjectsGetter: register } });
    const { clock, faults } = running;
    if (time === "before its answer has come") faults.lateness = 1_000;
    else faults.hold("configmaps");
    await running.create("a");
    await clock.advance(500);
    await act(running);
    if (time === "while the watch is cut") faults.cut();
    await clock.advance(500);
    faults.release("configmaps");
    await clock.advance(120_000);
    const [left, ...more] = await running.children();
    expect(left).toMatchObject({ data: { size: "1" }, metadata: { ownerReferences: [{ name: "a" }] } });
    expect(more).toEqual([]);
    const runs = running.runsOf("a");
    await clock.advance(60_000);
    expect(running.runsOf("a")).toBe(runs);
  });
});
