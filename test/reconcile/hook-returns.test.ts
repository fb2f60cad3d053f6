// What an author's function returns is never an event of the machine: it may look like one, and leads nowhere.
import { describe, expect, it } from "vitest";
import { reconciliationMachine } from "../../machines/reconciliation-machine.ts";
import { type Engine, freeStyle, stepper } from "../../src/reconcile/engines/engine.ts";
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
