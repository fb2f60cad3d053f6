import { describe, expect, it, vi } from "vitest";
import { freeStyle, stepper } from "../../src/reconcile/engines/engine.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import { failedAnnotation, keptAnnotation } from "../../src/kinds/versions/convert.ts";
import { configMap } from "./support/children.ts";
import { Cache, crKey, finalizer, Harness } from "./support/harness.ts";

const never = new Promise<never>(() => undefined);

describe("pipeline", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
      "boom",
    ],
    ["rejects", () => Promise.reject(new Error("boom")), "boom"],
    [
      "throws a text",
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- what an author may do
        throw "boom";
      },
      'a hook threw "boom" instead of an error',
    ],
    [
      "throws null",
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- what an author may do
        throw null;
      },
      "a hook threw null instead of an error",
    ],
    ["rejects with nothing", () => Promise.reject(undefined), "a hook threw undefined instead of an error"],
  ])("contains a hook that %s", async (_name, hook: () => unknown, message) => {
    const harness = new Harness();
    const outcome = await harness.run({ engine: freeStyle(hook as never) });
    expect(outcome.error?.message).toBe(message);
    expect(harness.condition).toMatchObject({ status: "False", message });
  });

  it("makes no signals for a run that finds everything as it is declared", async () => {
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("settings")) },
    });
    await harness.run();
    const made = vi.spyOn(globalThis, "AbortController");
    try {
      expect(await harness.writesOf()).toEqual([]);
      expect(made).not.toHaveBeenCalled();
    } finally {
      made.mockRestore();
    }
  });

  it("gives hooks a context that they may copy, and leaves none of its functions to V8's old memory", async () => {
    const harness = new Harness();
    const seen: StepContext<never>[] = [];
    const hook = (context: unknown): void => void seen.push(context as StepContext<never>);
    for (let run = 0; run < 2; run += 1) await harness.run({ engine: freeStyle(hook as never) });
    const [first, second] = seen as [StepContext<never>, StepContext<never>];
    const copy = { ...first };
    expect([copy.client, copy.signal]).toEqual([first.client, first.signal]);
    expect(first.client).toBe(first.client);
    expect(first.client).not.toBe(second.client);
    // A getter of its own is kept by V8 with all that it refers to, after the run: see madeWhenAsked.
    const gettersOf = (context: object) =>
      Object.entries(Object.getOwnPropertyDescriptors(context)).flatMap(([name, { get }]) =>
        get === undefined ? [] : [[name, get]],
      );
    expect(gettersOf(first).map(([name]) => name)).toEqual(["client", "signal"]);
    expect(gettersOf(first).every(([, get], at) => get === gettersOf(second)[at]?.[1])).toBe(true);
  });

  it.each(["CRChecker", "ObjectsGetter", "Mutator", "Updater", "SuccessManager"] as const)(
    "cuts off a %s that hangs, and says so on the condition",
    async (stage) => {
      const harness = new Harness({ timeout: 60_000 });
      const running = harness.run({ engine: stepper({ [stage]: () => never }) });
      await harness.clock.advance(60_000);
      const outcome = await running;
      expect(outcome.error).toMatchObject({ code: "RECONCILE_TIMEOUT" });
      expect(outcome.path.at(-2)).toBe("ErrorManager");
      expect(harness.condition).toMatchObject({
        status: "False",
        message: `the reconcile timed out in ${stage}: it took longer than 60 s`,
      });
      expect(harness.clock.pendingTimers).toBe(0);
    },
  );

  it("tells a hook that it is cut off, and lets no resource be written after that", async () => {
    const harness = new Harness({ timeout: 60_000 });
    let reason: unknown;
    const running = harness.run({
      engine: freeStyle(async ({ registry, signal }) => {
        registry.add(configMap("a"));
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        reason = signal.reason;
        await registry.createOrUpdateAll();
      }),
    });
    await harness.clock.advance(60_000);
    await running;
    await harness.clock.settle();
    expect(reason).toMatchObject({ code: "RECONCILE_TIMEOUT" });
    expect(harness.client.childWrites("Cache")).toEqual([]);
  });

  it.each([["while it lives", false] as const, ["while it is being deleted", true] as const])(
    "does nothing for an object that could not be converted, %s, and says what is to be corrected where",
    async (_, isDeleted) => {
      const hook = vi.fn();
      const harness = new Harness({ engine: stepper({ CRChecker: hook, CRFinalizer: hook }), finalizer });
      const whole = { spec: { bytes: "1 G" }, status: {}, shown: harness.cr.spec };
      harness.client.edit(Cache, crKey, (cr) => {
        const metadata = cr["metadata"] as Record<string, unknown>;
        metadata["annotations"] = {
          [failedAnnotation]: "v1alpha1 to v1: 1 G is no number",
          [keptAnnotation]: JSON.stringify({ v1alpha1: { whole } }),
        };
      });
      if (isDeleted) harness.deleteCr([finalizer]);
      const outcome = await harness.run();
      expect(outcome).toMatchObject({ kind: "gaveUp", error: { code: "RESOURCE_UNCONVERTED" } });
      expect(harness.condition).toMatchObject({
        status: "False",
        reason: "ErrorAndGiveup",
        message: expect.stringMatching(
          /^its spec could not be converted \(v1alpha1 to v1: 1 G is no number\)\. Correct it as v1alpha1, .* kubectl edit caches\.v1alpha1\./,
        ),
      });
      expect(hook).not.toHaveBeenCalled();
      expect(harness.client.childWrites("Cache")).toEqual([]);
      expect(harness.cr.metadata.finalizers ?? []).toEqual(isDeleted ? [finalizer] : []);
    },
  );

  it("ends at once and writes nothing when the process stops", async () => {
    const stop = new AbortController();
    const harness = new Harness({ signal: stop.signal });
    const running = harness.run({ engine: stepper({ Updater: () => never }) });
    await harness.clock.settle();
    stop.abort(new Error("SIGTERM"));
    const outcome = await running;
    expect(outcome.error).toMatchObject({ code: "RECONCILE_ABORTED" });
    expect(harness.client.writes).toEqual([]);
    expect(harness.events).toEqual([]);
  });

  it("does not start a stage after the process stopped", async () => {
    const stop = new AbortController();
    stop.abort();
    const hook = vi.fn();
    const outcome = await new Harness({ signal: stop.signal }).run({ engine: stepper({ CRChecker: hook }) });
    expect(hook).not.toHaveBeenCalled();
    expect(outcome.error).toMatchObject({ code: "RECONCILE_ABORTED" });
  });

  it("leaves no timer and no listener behind", async () => {
    const harness = new Harness({ timeout: 60_000 });
    let signal: AbortSignal | undefined;
    await harness.run({ engine: freeStyle((context) => void ({ signal } = context)) });
    expect(harness.clock.pendingTimers).toBe(0);
    expect(signal?.aborted).toBe(true);
  });

  it("contains an ErrorManager hook that fails: the first error is told", async () => {
    const harness = new Harness({
      steps: {
        Updater: () => {
          throw new Error("first");
        },
        ErrorManager: () => {
          throw new Error("second");
        },
      },
    });
    const outcome = await harness.run();
    expect(outcome.error?.message).toBe("first");
    expect(harness.condition?.message).toBe("first");
  });

  it("contains an application that cannot even be made", async () => {
    const outcome = await new Harness({
      application: () => {
        throw new Error("no lifecycle");
      },
    }).run();
    expect(outcome).toMatchObject({ error: { message: "no lifecycle" } });
    expect(outcome.path.slice(-2)).toEqual(["ErrorManager", "End"]);
  });

  it("contains a status contribution that fails", async () => {
    const harness = new Harness({
      application: () => ({
        index: "application",
        kindName: "Application/basket",
        exists: true,
        lookUp: () => undefined,
        create: () => undefined,
        delete: () => undefined,
        contributeStatus: () => {
          throw new Error("no snapshot");
        },
      }),
    });
    const outcome = await harness.run();
    expect(outcome.error?.message).toBe("no snapshot");
    expect(outcome.path.at(-1)).toBe("End");
  });

  it("contains a tracer that throws", async () => {
    const outcome = await new Harness().run({
      onStage: () => {
        throw new Error("tracer");
      },
    });
    expect(outcome.error).toBeUndefined();
    expect(outcome.path.at(-1)).toBe("End");
  });

  it("gives each run a context of its own, with frozen cached objects", async () => {
    const contexts: StepContext<Cache>[] = [];
    const engine = freeStyle<Cache>((context) => void contexts.push(context));
    const harness = new Harness();
    await harness.run({ engine });
    await harness.run({ engine });
    const [one, two] = contexts;
    expect(one?.registry).not.toBe(two?.registry);
    expect(one?.results).not.toBe(two?.results);
    expect(Object.isFrozen(one?.cr)).toBe(true);
  });

  it("counts its own write requests", async () => {
    const harness = new Harness({
      finalizer: "a/b",
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a"), configMap("b")) },
    });
    expect((await harness.run()).writes).toBe(4);
    expect((await harness.run()).writes).toBe(0);
  });
});
