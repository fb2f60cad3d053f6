// Values that are made once and objects of others, on a whole controller whose cache does not show what is there: nothing is
// replaced, nothing is taken over, whatever the form of the write and wherever the author looks.
import { afterEach, describe, expect, it } from "vitest";
import type { ControllerOptions } from "../../src/controller/declaration/controller-options.ts";
import { fromManifest, kubernetesResource } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import type { WriteMode } from "../../src/reconcile/resources/object-writer.ts";
import { FaultyController, namespace, Widget } from "./support/faulty-controller.ts";

let subject: FaultyController | undefined;
afterEach(() => subject?.stop());

async function start(options: ControllerOptions<Widget>): Promise<FaultyController> {
  subject = await FaultyController.start(options);
  return subject;
}

const key = { namespace, name: "a" };

/** The ways in which authors keep a value that was made once; `make` makes one. */
const styles: Record<string, (make: () => string, write: WriteMode) => ControllerOptions<Widget>["steps"]> = {
  "by what the resource is given": (make, write) => ({
    ObjectsGetter: ({ registry }) =>
      registry.add(
        kubernetesResource<ConfigMap, Widget>({
          type: ConfigMap,
          key,
          write,
          mutateWithCR: (object, { spec }, { live }) => {
            object.data = kept(live, spec.size, make);
          },
        }),
      ),
  }),
  "by what the cache shows": (make, write) => ({
    ObjectsGetter: ({ cr, lookUp, registry }) =>
      registry.add(
        fromManifest(
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: key,
            data: kept(lookUp(ConfigMap, key), cr.spec.size, make),
          },
          { write },
        ),
      ),
  }),
};

/** One value for each size. */
function kept(
  live: ConfigMap | undefined,
  size: number,
  make: () => string,
): { size: string; value: string } {
  const before = live?.data?.["size"] === String(size) ? live.data["value"] : undefined;
  return { size: String(size), value: before ?? make() };
}

function maker(): () => string {
  let made = 0;
  return () => String((made += 1));
}

const forms = (["apply", "update", "patch"] as const).flatMap((write) =>
  Object.entries(styles).map(([style, steps]) => ({ write, style, steps })),
);

describe.each(forms)("a value made once, kept $style, written by $write", ({ write, steps }) => {
  it("stays when the answer to its creation is lost and the watch is late", async () => {
    const running = await start({ steps: steps(maker(), write) ?? {} });
    const { clock, faults } = running;
    faults.hold("configmaps");
    faults.lostCreations = 1;
    await running.create("a");
    await clock.advance(60_000);
    expect((await running.children())[0]?.data).toEqual({ size: "1", value: "1" });
    expect(faults.writes.filter(({ kind }) => kind === "ConfigMap")).toHaveLength(1);
    expect(await running.get("a")).toMatchObject({ status: { conditions: [{ status: "True" }, {}] } });
    faults.release("configmaps");
    await clock.advance(60_000);
    expect((await running.children())[0]?.data).toEqual({ size: "1", value: "1" });
  });

  it("stays when it was made by a process before this one, of which the cache shows nothing", async () => {
    const running = await start({ steps: steps(maker(), write) ?? {} });
    const { clock, faults, person } = running;
    faults.hold("configmaps");
    const { apiVersion, kind, metadata } = await running.create("a");
    const owner = { apiVersion, kind, name: "a", uid: metadata.uid, controller: true };
    await person.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...key, ownerReferences: [owner] },
      data: { size: "1", value: "old" },
    });
    await clock.advance(60_000);
    expect((await running.children())[0]?.data).toEqual({ size: "1", value: "old" });
  });
});

describe("a value that goes with a change", () => {
  it.each(forms)(
    "stays when the answer is lost, kept $style, written by $write",
    async ({ write, steps }) => {
      const running = await start({ steps: steps(maker(), write) ?? {} });
      const { clock, faults } = running;
      await running.create("a");
      await clock.advance(5_000);
      faults.hold("configmaps");
      faults.lostChanges = 1;
      await running.edit("a", { spec: { size: 2 } });
      await clock.advance(60_000);
      const written = (await running.children())[0];
      faults.release("configmaps");
      await clock.advance(60_000);
      const writes = faults.writes.filter(({ kind }) => kind === "ConfigMap");
      expect(writes.map(({ object }) => (object as ConfigMap).data)).toEqual([
        { size: "1", value: "1" },
        { size: "2", value: "2" },
      ]);
      expect((await running.children())[0]).toEqual(written);
    },
  );
});

describe("an object of somebody else", () => {
  const foreign = { apiVersion: "v1", kind: "ConfigMap", metadata: key, data: { theirs: "1" } };
  const declared = (more: { readonly adopt?: boolean } = {}): ControllerOptions<Widget>["steps"] => ({
    ObjectsGetter: ({ registry }) =>
      registry.add(
        fromManifest(
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { ours: "1" } },
          more,
        ),
      ),
  });

  it.each(["shows", "does not show"])("is left alone, and named, when the cache %s it", async (what) => {
    const running = await start({ steps: declared() ?? {} });
    const { clock, faults, person } = running;
    if (what === "does not show") faults.hold("configmaps");
    const before = await person.create(ConfigMap, foreign, { fieldManager: "helm" });
    await clock.settle();
    await running.create("a");
    await clock.advance(5_000);
    expect(await person.get(ConfigMap, key)).toEqual(before);
    expect(await running.get("a")).toMatchObject({
      status: {
        conditions: [
          {
            status: "False",
            reason: "ErrorAndGiveup",
            message: expect.stringMatching(
              /ConfigMap\/a exists already and was not made by this operator but by "helm"; it was left alone/,
            ) as string,
          },
          {},
          {},
        ],
      },
    });
    expect(running.events.map(({ note }) => note).join()).toContain('"helm"');
    await person.delete(ConfigMap, key);
    faults.release("configmaps");
    await clock.advance(1_200_000);
    expect((await running.children()).map(({ data }) => data)).toEqual([{ ours: "1" }]);
  });

  it("is taken over with adopt, and keeps what is not declared", async () => {
    const running = await start({ steps: declared({ adopt: true }) ?? {} });
    const { clock, person } = running;
    await person.create(ConfigMap, foreign, { fieldManager: "helm" });
    await running.create("a");
    await clock.advance(5_000);
    expect(await running.children()).toMatchObject([{ data: { theirs: "1", ours: "1" } }]);
    expect(running.faults.writes.filter(({ kind }) => kind === "ConfigMap")).toHaveLength(1);
  });

  it("is not deleted when the resource goes", async () => {
    const running = await start({
      steps: {
        ...declared(),
        CRFinalizer: async ({ registry }) => {
          registry.add(fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }));
          await registry.deleteAll();
        },
      },
    });
    const { clock, person } = running;
    await person.create(ConfigMap, foreign);
    await running.create("a");
    await clock.advance(5_000);
    await person.delete(Widget, key);
    await clock.advance(20_000);
    await expect(running.get("a")).rejects.toMatchObject({ code: "API_NOT_FOUND" });
    expect((await person.get(ConfigMap, key)).data).toEqual({ theirs: "1" });
  });

  it.each(["apply", "update", "patch"] as const)(
    "is not changed by a basic controller that writes by %s, nor is its own child",
    async (write) => {
      let value = 0;
      const running = await start({
        basic: true,
        steps: {
          ObjectsGetter: ({ registry }) => {
            const data = { value: String((value += 1)) };
            registry.add(
              fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data }, { write }),
            );
          },
        },
      });
      const { clock, faults } = running;
      faults.hold("configmaps");
      faults.lostCreations = 1;
      await running.create("a");
      await clock.advance(60_000);
      faults.release("configmaps");
      await running.edit("a", { spec: { size: 2 } });
      await clock.advance(60_000);
      expect(value).toBeGreaterThan(2);
      expect((await running.children())[0]?.data).toEqual({ value: "1" });
    },
  );
});
