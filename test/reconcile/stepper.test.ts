import { describe, expect, it, vi, type Mock } from "vitest";
import { GiveUpError } from "../../src/reconcile/outcome/failure-meaning.ts";
import { giveUpRecheck } from "../../src/reconcile/pipeline.ts";
import type { StepperHooks } from "../../src/reconcile/engines/engine.ts";
import { ConfigMap, configMap, namespace } from "./support/children.ts";
import { Harness, finalizer, type Cache } from "./support/harness.ts";

const cleanPath = ["CRChecker", "ObjectsGetter", "Mutator", "Updater", "SuccessManager", "End"];

type Spy = Mock<(context: unknown) => undefined>;

/** Every hook as a spy that does nothing, and those given. */
function spies(hooks: StepperHooks<Cache> = {}): Record<keyof StepperHooks<Cache>, Spy> {
  const spy = (name: keyof StepperHooks<Cache>): Spy => vi.fn(hooks[name] as (context: unknown) => undefined);
  return {
    CRChecker: spy("CRChecker"),
    ObjectsGetter: spy("ObjectsGetter"),
    Mutator: spy("Mutator"),
    Updater: spy("Updater"),
    SuccessManager: spy("SuccessManager"),
    CRFinalizer: spy("CRFinalizer"),
    ErrorManager: spy("ErrorManager"),
  };
}

describe("stepper", () => {
  const givesUpInUpdater: StepperHooks<Cache> = {
    Mutator: ({ results }) => {
      results.success("Mutated");
      results.success("Mutated");
    },
    Updater: ({ results }) => results.giveUp("no such plan"),
    ErrorManager: ({ results }) => results.error(new Error("told")),
  };

  it("tells a give-up with a reason through ErrorManager, then gives up", async () => {
    const steps = spies(givesUpInUpdater);
    const harness = new Harness({ steps });
    const outcome = await harness.run();
    expect(outcome.path).toEqual([
      "CRChecker",
      "ObjectsGetter",
      "Mutator",
      "Updater",
      "ErrorManager",
      "GiveUp",
      "End",
    ]);
    expect(steps.SuccessManager).not.toHaveBeenCalled();
    expect(outcome.operations.filter(({ error }) => error !== undefined)).toHaveLength(2);
    expect(outcome).toMatchObject({ kind: "gaveUp", error: { message: "no such plan" } });
    expect(harness.condition).toMatchObject({ reason: "ErrorAndGiveup", message: "no such plan" });
  }); // OKT 14

  it("comes to the same outcome when run again", async () => {
    const harness = new Harness({ steps: givesUpInUpdater });
    const first = await harness.run();
    const second = await harness.run();
    expect(second.path).toEqual(first.path);
    expect([second.kind, second.error?.message]).toEqual([first.kind, first.error?.message]);
    expect(second.operations.filter(({ code }) => code === "Mutated")).toHaveLength(2);
    expect(second.writes).toBe(0);
  }); // OKT 15

  it("runs the hooks of a clean run in order, each once", async () => {
    const order: string[] = [];
    const steps = Object.fromEntries(
      Object.keys(spies()).map((name) => [name, () => void order.push(name)]),
    ) as StepperHooks<Cache>;
    const outcome = await new Harness({ steps }).run();
    expect(outcome.path).toEqual(cleanPath);
    expect(order).toEqual(cleanPath.slice(0, -1));
    expect(outcome.error).toBeUndefined();
    expect(outcome.requeueAfter).toBeUndefined();
  }); // OKT 16

  it("tells its stages as they are entered", async () => {
    const harness = new Harness();
    const { path } = await harness.run();
    expect(harness.stages).toEqual(path);
  });

  it("skips Mutator and Updater after an error in ObjectsGetter", async () => {
    const boom = new Error("no access");
    const steps = spies({
      ObjectsGetter: () => {
        throw boom;
      },
    });
    const outcome = await new Harness({ steps }).run();
    expect(outcome.path).toEqual(["CRChecker", "ObjectsGetter", "ErrorManager", "End"]);
    expect(steps.Mutator).not.toHaveBeenCalled();
    expect(steps.Updater).not.toHaveBeenCalled();
    expect(steps.ErrorManager).toHaveBeenCalledWith(expect.objectContaining({ error: boom }));
    expect(outcome.error).toBe(boom);
  }); // OKT 17

  it("leaves the status alone after a give-up without a reason", async () => {
    const steps = spies({
      CRChecker: () => {
        throw new GiveUpError();
      },
    });
    const harness = new Harness({ steps });
    const outcome = await harness.run();
    expect(outcome.path).toEqual(["CRChecker", "GiveUp", "End"]);
    expect(steps.SuccessManager).not.toHaveBeenCalled();
    expect(steps.ErrorManager).not.toHaveBeenCalled();
    expect(outcome.writes).toBe(0);
    expect(harness.cr.status).toBeUndefined();
    expect(outcome).toMatchObject({ kind: "gaveUp", error: undefined });
  }); // OKT 18

  it("looks at a give-up again on a slow timer, spread over a tenth", async () => {
    const steps: StepperHooks<Cache> = { CRChecker: ({ results }) => results.giveUp() };
    const early = await new Harness({ steps, random: () => 0 }).run();
    const late = await new Harness({ steps, random: () => 0.999 }).run();
    expect(early.requeueAfter).toBe(giveUpRecheck);
    expect(late.requeueAfter).toBeLessThanOrEqual(giveUpRecheck * 1.1);
    expect(late.requeueAfter).toBeGreaterThan(giveUpRecheck);
  });

  it("goes to ErrorManager in the same run after an error in SuccessManager", async () => {
    const harness = new Harness({
      steps: {
        SuccessManager: () => {
          throw new Error("no endpoint");
        },
      },
    });
    const outcome = await harness.run();
    expect(outcome.path).toEqual([...cleanPath.slice(0, -1), "ErrorManager", "End"]);
    const statusWrites = harness.client.writes.filter(({ subresource }) => subresource === "status");
    expect(statusWrites).toHaveLength(1);
    expect(harness.condition).toMatchObject({ status: "False", reason: "Error", message: "no endpoint" });
  }); // OKT 19

  it("enters no stage when the custom resource is gone", async () => {
    const harness = new Harness();
    const outcome = await harness.run({ cr: undefined });
    expect(outcome).toMatchObject({
      path: [],
      operations: [],
      writes: 0,
      kind: "settled",
    });
    expect(harness.client.writes).toEqual([]);
  }); // OKT 20

  it("enters no stage when the custom resource cannot be read, and tries again in 5 s", async () => {
    const unreadable = new Error("cache is not synced");
    const outcome = await new Harness().run({
      cr: () => {
        throw unreadable;
      },
    });
    expect(outcome).toMatchObject({ path: [], error: unreadable, requeueAfter: 5_000 });
  }); // OKT 21

  it("finalizes a resource that is being deleted and waits for us, then lets it go", async () => {
    const steps = spies();
    const harness = new Harness({ steps, finalizer });
    harness.deleteCr([finalizer]);
    const outcome = await harness.run();
    expect(outcome.path).toEqual(["CRChecker", "CRFinalizer", "End"]);
    expect(steps.CRFinalizer).toHaveBeenCalledOnce();
    expect(steps.ObjectsGetter).not.toHaveBeenCalled();
    expect(harness.crExists).toBe(false);
    expect(outcome.requeueAfter).toBeUndefined();
  }); // OKT 22

  it.each(["CRFinalizer", "CRChecker"] as const)(
    "keeps the finalizer and tries again when %s fails while deleting",
    async (stage) => {
      const fail = vi.fn(() => {
        throw new Error("bucket is locked");
      });
      const harness = new Harness({ steps: { [stage]: fail }, finalizer });
      harness.deleteCr([finalizer]);
      const outcome = await harness.run();
      expect(outcome.path.at(-2)).toBe("ErrorManager");
      expect(outcome.error?.message).toBe("bucket is locked");
      expect(harness.cr.metadata.finalizers).toEqual([finalizer]);
      expect(harness.condition?.message).toBe("bucket is locked");
      fail.mockImplementation(() => undefined as never);
      await harness.run();
      expect(harness.crExists).toBe(false);
    },
  ); // OKT 23

  it("touches no child of a resource that is being deleted without our finalizer", async () => {
    const steps = spies({ ObjectsGetter: ({ registry }) => registry.add(configMap("a")) });
    const harness = new Harness({ steps, finalizer });
    harness.deleteCr(["other/finalizer"]);
    const outcome = await harness.run();
    expect(outcome.path).toEqual(["CRChecker", "End"]);
    expect(harness.client.writes).toEqual([]);
    expect(steps.CRFinalizer).not.toHaveBeenCalled();
  }); // OKT 24

  it("adds the finalizer before any child exists", async () => {
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")) },
      finalizer,
    });
    const writes = await harness.writesOf();
    expect(writes).toEqual(["patch Cache/basket", "create ConfigMap/a", "patch Cache/basket/status"]);
    expect(harness.cr.metadata.finalizers).toEqual([finalizer]);
  }); // OKT 25

  it("creates no child when the finalizer cannot be added", async () => {
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")) },
      finalizer,
    });
    harness.client.fail({ verb: "patch", object: "Cache/basket", error: new Error("no answer") });
    const outcome = await harness.run();
    expect(outcome.path).toEqual(["CRChecker", "ErrorManager", "End"]);
    expect(harness.client.peek(ConfigMap, { namespace, name: "a" })).toBeUndefined();
    expect(outcome.error?.message).toBe("no answer");
  });

  it("does not add a finalizer that is no longer declared, but still removes it", async () => {
    const harness = new Harness({ finalizer, addFinalizer: false });
    await harness.run();
    expect(harness.cr.metadata.finalizers).toBeUndefined();
    harness.deleteCr([finalizer]);
    await harness.run();
    expect(harness.crExists).toBe(false);
  });

  it("runs the default stages when a hook is missing: mutate all, create or update all", async () => {
    const harness = new Harness({ steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")) } });
    const outcome = await harness.run();
    expect(outcome.path).toEqual(cleanPath);
    expect(harness.client.childWrites("Cache")).toEqual(["create ConfigMap/a"]);
  });

  it("mutates what a hook forgot to mutate", async () => {
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")), Mutator: () => undefined },
    });
    await harness.run();
    expect(harness.client.peek(ConfigMap, { namespace, name: "a" })?.data).toEqual({ size: "1" });
  });
});
