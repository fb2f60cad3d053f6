// What an author's function returns is never an event of the machine: it may look like one, and leads nowhere.
import { describe, expect, it } from "vitest";
import { reconciliationMachine } from "../../machines/reconciliation-machine.ts";
import { type Engine, freeStyle, stepper } from "../../src/reconcile/engines/engine.ts";
import { fromManifest } from "../../src/reconcile/resources/kubernetes-resource.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { configMap } from "./support/children.ts";
import { finalizer, Harness, type Cache } from "./support/harness.ts";

const clean = ["CRChecker", "ObjectsGetter", "Mutator", "Updater", "SuccessManager", "End"];
const failing = ["CRChecker", "ErrorManager", "End"];
const deleting = ["CRChecker", "CRFinalizer", "End"];
const paths = { CRFinalizer: deleting, ErrorManager: failing } as const;
const hooks = [
  "CRChecker",
  "ObjectsGetter",
  "Mutator",
  "Updater",
  "SuccessManager",
  "CRFinalizer",
  "ErrorManager",
] as const;
const events = [...reconciliationMachine.events, "stage.unknown", "xstate.stop", "xstate.error.actor.worker"];

function broken(): never {
  throw new Error("broken");
}

/** Runs one hook that returns the event, in the stage that calls it. */
async function pathWith(
  hook: (typeof hooks)[number],
  engine: Partial<Engine<Cache>>,
): Promise<readonly string[]> {
  const harness = new Harness({ engine: { ...engine, name: "returning" }, finalizer });
  if (hook === "CRFinalizer") harness.deleteCr([finalizer]);
  return (await harness.run()).path;
}

describe.each(events)("a hook that returns an event %s", (type) => {
  const returns = () => ({ type });
  const later = () => Promise.resolve({ type });

  it.each(hooks)("goes the same way in %s", async (hook) => {
    const failure = hook === "ErrorManager" ? { CRChecker: broken } : {};
    const expected = hook in paths ? paths[hook as keyof typeof paths] : clean;
    for (const returning of [returns, later]) {
      const engine = { ...failure, [hook]: returning };
      expect(await pathWith(hook, engine)).toEqual(expected);
      expect(await pathWith(hook, stepper(engine))).toEqual(expected);
    }
  });

  it("goes the same way in the one function of FreeStyle", async () => {
    expect(await pathWith("Updater", freeStyle(returns as never))).toEqual(clean);
    expect(await pathWith("Updater", freeStyle(later as never))).toEqual(clean);
  });
});

describe("ObjectsGetter", () => {
  it.each([
    ["a manifest", configMap("a")],
    ["a list of manifests", [configMap("a")]],
    ["a declared resource", fromManifest(configMap("a"))],
    ["a promise of manifests", Promise.resolve([configMap("a")])],
  ])("fails the run when it returns %s in place of registering it", async (_, returned) => {
    const harness = new Harness({ steps: { ObjectsGetter: () => returned as never } });
    const result = await harness.run();
    expect(result).toMatchObject({ kind: "failed", error: { code: "HOOK_RESULT_INVALID" } });
    expect(harness.condition?.message).toMatch(/^ObjectsGetter returned .* nothing of it is created$/);
  });

  it("fails the run when it registers after it has returned, and nothing of that is written", async () => {
    let later: (() => void) | undefined;
    const harness = new Harness({
      steps: {
        ObjectsGetter: ({ registry }) => {
          registry.add(configMap("a"));
          later = () => registry.add(configMap("late"));
        },
      },
    });
    const result = await harness.run({
      onStage: (stage) => {
        if (stage === "Mutator") later?.();
      },
    });
    expect(result).toMatchObject({ kind: "failed", error: { code: "REGISTRY_CLOSED" } });
    expect(result.error?.message).toBe("ConfigMap/late was registered after ObjectsGetter had returned");
    expect(harness.client.writes.map(({ object }) => object)).not.toContain("ConfigMap/late");
  });

  it.each<[string, unknown, RegExp]>([
    ["a promise of a resource", Promise.resolve(configMap("a")), /a promise.*\n.*Await it/],
    ["nothing", undefined, /undefined.*\n.*manifest/],
    ["something else", { metadata: { name: "a" } }, /something else.*\n.*manifest/],
  ])("fails the run when it registers %s, and says what to do", async (_, given, expected) => {
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(given as never) },
    });
    const { kind, error } = await harness.run();
    expect({ kind, error }).toMatchObject({ kind: "gaveUp", error: { code: "RESOURCE_INVALID" } });
    expect(`${error?.message}\n${(error as { remedy?: string }).remedy}`).toMatch(expected);
  });

  it("says on the condition which declaration is missing of what it reads", async () => {
    const remedy = "Add the type Secret to the controller's owns, reads or watches.";
    const harness = new Harness({
      steps: {
        ObjectsGetter: () => {
          throw new OperatorError("CACHE_UNDECLARED", "Secret (v1) is read but not declared", { remedy });
        },
      },
    });
    await harness.run();
    expect(harness.condition).toMatchObject({
      status: "False",
      message:
        "Secret (v1) is read but not declared. Add the type Secret to the controller's owns, reads or watches.",
    });
  });

  it("may be followed by hooks that register more", async () => {
    const harness = new Harness({
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(configMap("a")),
        Updater: async ({ registry }) => {
          await registry.createOrUpdateAll();
          registry.add(configMap("b"));
          await registry.createOrUpdateAll();
        },
      },
    });
    expect(await harness.run()).toMatchObject({ kind: "settled" });
    expect(harness.client.writes.map(({ object }) => object)).toEqual(
      expect.arrayContaining(["ConfigMap/a", "ConfigMap/b"]),
    );
  });

  it("gives up when it registers a child of a type of which nobody would notice that it is gone, and says what to do", async () => {
    const harness = new Harness({ steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")) } });
    const result = await harness.run({ isWatched: (type) => type.kind !== "ConfigMap" });
    expect(result).toMatchObject({
      kind: "gaveUp",
      error: { code: "CACHE_UNDECLARED", remedy: expect.stringContaining("owns") as unknown },
    });
    expect(harness.client.writes.filter(({ object }) => object === "ConfigMap/a")).toEqual([]);
    const apart = new Harness({
      steps: {
        ObjectsGetter: ({ registry }) =>
          registry.add(fromManifest(configMap("a"), { ownerReference: false })),
      },
    });
    expect(await apart.run({ isWatched: () => false })).toMatchObject({ kind: "settled" });
  });
});

describe("a hook whose fields go into the status", () => {
  const hooksWith = (returned: unknown) =>
    [
      ["SuccessManager", stepper({ SuccessManager: () => returned as never })],
      ["freeStyle", freeStyle(() => returned as never)],
    ] as const;

  it.each([undefined, null])("changes nothing when it returns %s", async (returned) => {
    for (const [, engine] of hooksWith(returned)) {
      const harness = new Harness({ engine });
      expect(await harness.run()).toMatchObject({ kind: "settled", path: clean });
    }
  });

  it.each(["End", 7, true, ["a"]])("is named in the error when it returns %s", async (returned) => {
    for (const [hook, engine] of hooksWith(returned)) {
      const { error } = await new Harness({ engine }).run();
      expect(error).toMatchObject({ code: "HOOK_RESULT_INVALID" });
      expect(error?.message).toContain(`${hook} returned`);
    }
  });
});
