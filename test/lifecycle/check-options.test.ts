// Options that no compiler has seen: what is wrong with each, and what was meant.
import { describe, expect, it } from "vitest";
import { createMachine } from "xstate";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { checkLifecycle } from "../../src/lifecycle/checks/check-lifecycle.ts";
import type { LifecycleOptions } from "../../src/lifecycle/graph/compile-lifecycle.ts";

const third = setupLifecycle().createMachine({
  id: "shop",
  version: "3",
  initial: "Start",
  states: {
    Start: { on: { "observed.Running": "Running" } },
    Running: { on: { "observed.Down": "Restarting", "desired.Servicing": "Servicing" } },
    Restarting: { after: { "1m": "Running" } },
    Servicing: { after: { "1m": "Running" } },
  },
});

/** Options as plain JavaScript may have them. */
const problems = (options: object, machine: LifecycleMachine = third): string[] =>
  checkLifecycle(machine, {}, options as LifecycleOptions).map(
    ({ code, severity, option = "", message, remedy }) =>
      `${severity} ${code} ${option}: ${message}. ${remedy}`,
  );

const same = (old: unknown): unknown => old;

describe("the options of a lifecycle", () => {
  it("are right when they name states, versions and policies that exist", () => {
    const options = {
      defaultDesiredState: "Running",
      renames: { Serving: "Online", Online: "Running" },
      specEdits: "queue",
      snapshotBudget: 16_384,
      migrate: { "1": same, "2": same },
    };
    expect(problems(options)).toEqual([]);
    expect(problems({ migrate: same, defaultDesiredState: undefined })).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    [
      "an option that is none",
      { specEdit: "queue" },
      /^error OPTION_UNKNOWN specEdit: .*Did you mean "specEdits"\?/,
    ],
    [
      "a target for no state",
      { defaultDesiredState: "Runing" },
      /^error STATE_UNKNOWN defaultDesiredState: .*Did you mean Running\?/,
    ],
    [
      "a target that is none",
      { defaultDesiredState: "Restarting" },
      /^error TARGET_IMPOSSIBLE defaultDesiredState: .*left by itself/,
    ],
    [
      "an empty target",
      { defaultDesiredState: "" },
      /^error OPTION_INVALID defaultDesiredState: defaultDesiredState is ""/,
    ],
    [
      "a new name of no state",
      { renames: { Up: "Runing" } },
      /^error STATE_UNKNOWN renames\.Up: .*Running\?/,
    ],
    ["a circle of names", { renames: { Up: "Down", Down: "Up" } }, /^error STATE_UNKNOWN renames\.Up/],
    [
      "an old name that is a state",
      { renames: { Start: "Running" } },
      /^warning RENAME_OF_PRESENT renames\.Start/,
    ],
    ["a new name that is not a text", { renames: { Up: 3 } }, /^error OPTION_INVALID renames\.Up: .* is 3/],
    ["a policy that is none", { specEdits: "Queue" }, /^error OPTION_INVALID specEdits: .*Write "queue"/],
    ["a budget in words", { snapshotBudget: "8Ki" }, /^error OPTION_INVALID snapshotBudget: .*"8Ki"/],
    ["a negative budget", { snapshotBudget: -1 }, /^error OPTION_INVALID snapshotBudget: /],
    ["a budget that nothing fits into", { snapshotBudget: 1 }, /from 1024 to 524288/],
    ["a budget that no object has room for", { snapshotBudget: 2e9 }, /from 1024 to 524288/],
    [
      "a migration that is none",
      { migrate: { "1": "2" } },
      /^error OPTION_INVALID migrate\.1: .*must be a function/,
    ],
    ["migrations in a list", { migrate: [same] }, /^error OPTION_INVALID migrate: .*a list/],
    [
      "a version without a function",
      { migrate: { "1": same } },
      /^warning MIGRATION_MISSING migrate: .*not 2/,
    ],
    [
      "a function under the version that it writes",
      { migrate: { "2": same, "3": same } },
      /^warning MIGRATION_UNUSED migrate\.3: .*never called/,
    ],
  ])("are told about %s", (_, options, message) => {
    expect(problems(options)[0]).toMatch(message);
    expect(problems(options)[0]).toMatch(/\.$/);
  });

  it("count versions only where people count them", () => {
    expect(problems({ migrate: { "0.9": same } })).toEqual([]);
  });
});

describe("a machine as it is written", () => {
  const written = (config: object): string[] => problems({}, createMachine(config as never));

  it.each<[string, object, RegExp]>([
    ["no states", { id: "m", version: "1" }, /^error LIFECYCLE_EMPTY : "m" has no states/],
    [
      "a beginning that is not a state",
      { id: "m", initial: "AA", states: { A: {} } },
      /^error INITIAL_UNKNOWN .*"AA"/,
    ],
    [
      "an inner beginning that is misspelt",
      { id: "m", initial: "Aaa", states: { Aaa: { initial: "Bb", states: { Bbb: {} } } } },
      /^error INITIAL_UNKNOWN .*Name one of Bbb/,
    ],
    [
      "a key that means nothing",
      { id: "m", version: "1", initial: "A", states: { A: { onn: {} } } },
      /^warning STATE_KEY_UNKNOWN onn: A has "onn", which is unknown/,
    ],
    [
      "an event without a name",
      { id: "m", version: "1", initial: "A", states: { A: { on: { "human.": "A" } } } },
      /^error EVENT_NAME_INVALID : A has an edge for "human\."/,
    ],
    [
      "an event with a blank",
      { id: "m", version: "1", initial: "A", states: { A: { on: { "human.a b": "A" } } } },
      /^error EVENT_NAME_INVALID /,
    ],
    [
      "an event with a control character",
      { id: "m", version: "1", initial: "A", states: { A: { on: { "observed.a\u0007": "A" } } } },
      /^error EVENT_NAME_INVALID : .*"observed.a\\u0007"/,
    ],
  ])("is told about %s", (_, config, message) => {
    expect(written(config).join("\n")).toMatch(message);
  });

  it("says which state does not say where it begins", () => {
    const states = { Aaa: { states: { Bbb: {} } } };
    expect(() => setupLifecycle().createMachine({ id: "m", initial: "Aaa", states })).toThrow(
      expect.objectContaining({
        fields: {
          machine: "m",
          problems: [expect.objectContaining({ code: "INITIAL_MISSING", state: "Aaa" })],
        },
        remedy: "Write initial: one of Bbb.",
      }) as Error,
    );
  });

  it("says which edge leads nowhere, and which option setupLifecycle does not have", () => {
    const states = { Aaa: { invoke: { id: "x", src: "x", onDone: { target: "Bee" } } }, Beee: {} };
    expect(() => setupLifecycle().createMachine({ id: "m", initial: "Aaa", states })).toThrow(
      expect.objectContaining({
        code: "LIFECYCLE_INVALID",
        fields: {
          machine: "m",
          problems: [expect.objectContaining({ code: "STATE_UNKNOWN", state: "Aaa", event: "done.x" })],
        },
        remedy: expect.stringContaining("Did you mean Beee?") as string,
      }) as Error,
    );
    expect(() => setupLifecycle({ effect: [] } as object)).toThrow(/setupLifecycle has no option "effect"/);
  });
});
