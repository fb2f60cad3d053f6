// How authors write lifecycles: literally, typed, with a place for people.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { applicationLifecycle, humanIntervention, setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { checkLifecycle } from "../../src/lifecycle/checks/check-lifecycle.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";

describe("setting up a lifecycle", () => {
  it("keeps the author's configuration as it is written", () => {
    const config = {
      id: "mine",
      initial: "Start",
      states: {
        Start: { on: { "observed.Running": "HumanIntervention" } },
        HumanIntervention: { tags: "intervention" },
      },
    } as const;
    expect(setupLifecycle().createMachine(config).config).toEqual(config);
  });

  it("takes HumanIntervention for any state unless it has the tag", () => {
    const start = { on: { "observed.Odd": "HumanIntervention", "observed.Bad": "Help" } };
    const states = {
      Start: start,
      Help: { tags: "intervention", on: { "human.go": "Start" } },
      HumanIntervention: { on: { "desired.Start": "Start" } },
    };
    const machine = setupLifecycle().createMachine({ id: "mine", version: "1", initial: "Start", states });
    expect(machine.config.states).toEqual(states);
    const { roles, desirable } = compileLifecycle(machine);
    expect(roles.states.get("HumanIntervention")?.role).toBe("stable");
    expect([...roles.intervention]).toEqual(["Help"]);
    expect(desirable).toContain("HumanIntervention");
  });

  it("does not replace a HumanIntervention without the tag: the checks ask for the tag or another name", () => {
    const states = {
      Start: { on: { "observed.Odd": "HumanIntervention" } },
      HumanIntervention: { on: { "human.retry": "Start" } },
    };
    const machine = setupLifecycle().createMachine({ id: "mine", version: "1", initial: "Start", states });
    expect(machine.config.states).toEqual(states);
    expect(checkLifecycle(machine).filter(({ severity }) => severity === "error")).toEqual([
      expect.objectContaining({
        code: "INTERVENTION_UNTAGGED",
        state: "HumanIntervention",
        remedy: expect.stringMatching(/tags: "intervention".*another name/) as string,
      }),
    ]);
  });

  it("adds a missing HumanIntervention, to which edges may lead", () => {
    const machine = setupLifecycle().createMachine({
      id: "mine",
      initial: "Start",
      states: { Start: { after: { startTimeout: "HumanIntervention" } } },
    });
    expect(Object.keys(machine.states)).toEqual(["Start", humanIntervention]);
    expect(machine.config.states).toMatchObject({
      HumanIntervention: { on: { "human.retry": "Start", "config.changed": "Start" } },
    });
  });

  it("adds no state where one has the tag, whatever it is called", () => {
    const tagged = {
      id: "mine",
      initial: "New",
      states: {
        New: { on: { "observed.Odd": "Help" } },
        Help: { tags: "intervention", on: { "human.go": "New" } },
      },
    } as const;
    expect(setupLifecycle().createMachine(tagged).config).toEqual(tagged);
  });

  it("knows what it was given and what it is extended by, and the last of two equal names", () => {
    const first = setupLifecycle({
      delays: { soon: "1m" },
      effects: ["ring"],
      guards: { isOpen: () => false },
    });
    const machine = first.extend({ delays: { soon: "2m", late: "3m" }, effects: ["call"] }).createMachine({
      id: "bell",
      initial: "Off",
      states: { Off: { after: { soon: "On", late: "On" }, exit: ["ring", "call"] }, On: {} },
    });
    const { delays, actions, guards } = machine.implementations as unknown as Record<
      string,
      Record<string, unknown>
    >;
    expect(delays).toMatchObject({ soon: 120_000, late: 180_000 });
    expect(Object.keys(actions ?? {})).toEqual(["ring", "call"]);
    expect(Object.keys(guards ?? {})).toEqual(["isOpen"]);
    expect(() => first.extend({ gaurds: {} } as object)).toThrow(/no option "gaurds"/);
  });

  it("refuses a task that its list of tasks does not have", () => {
    const config = { id: "m", initial: "A", states: { A: { invoke: { src: "werk" } } } };
    expect(() => setupLifecycle({ tasks: ["work"] }).createMachine(config)).toThrow(
      expect.objectContaining({
        code: "LIFECYCLE_INVALID",
        remedy: expect.stringMatching(/work/) as string,
      }) as Error,
    );
    expect(() => setupLifecycle({ tasks: ["werk"] }).createMachine(config)).not.toThrow();
  });

  it("types the spec in guards", () => {
    setupLifecycle<{ spec: { size: number } }>().extend({
      guards: {
        isBig: ({ event }) => event.spec.size > 3,
        // @ts-expect-error the spec has no such field
        isWrong: ({ event }) => event.spec.sise > 3,
      },
    });
    expect.assertions(0);
  });

  it("refuses a delay that is no duration", () => {
    expect(() => setupLifecycle({ delays: { soon: "quickly" } })).toThrow(
      expect.objectContaining({
        code: "LIFECYCLE_INVALID",
        fields: expect.objectContaining({
          problems: [expect.objectContaining({ code: "DURATION_INVALID", option: "delays.soon" })],
        }) as unknown,
      }) as Error,
    );
  });

  it.each<[string, unknown, RegExp]>([
    ["a guard that is a value", { guards: { g: true } }, /guards\.g is true, but must be a function/],
    ["an action that is a value", { actions: { a: 5 } }, /actions\.a is 5, but must be a function/],
    ["guards in a list", { guards: [() => true] }, /guards is a list, but must be an object/],
    ["effects in a word", { effects: "tell" }, /effects is "tell", but must be a list/],
    ["an effect that is no name", { effects: ["tell", 3] }, /effects\[1\] is 3, but must be a text/],
    ["a delay that is left open", { delays: { soon: null } }, /delays\.soon is null, but must be a duration/],
    ["a misspelt option", { gaurds: {} }, /no option "gaurds", .*Did you mean "guards"\?/],
    ["no options", null, /the options of setupLifecycle are null/],
    ["a word", "guards", /the options of setupLifecycle are "guards"/],
  ])("refuses %s", (_, options, message) => {
    expect(() => setupLifecycle(options as object)).toThrow(
      expect.objectContaining({
        code: "LIFECYCLE_INVALID",
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
  });

  it("tells all that is wrong at once, and takes an option that is undefined for one that is left out", () => {
    expect(() => setupLifecycle({ effects: "tell", guards: { g: 1, h: 2 } } as never)).toThrow(
      expect.objectContaining({ fields: expect.objectContaining({ errors: 3 }) as unknown }) as Error,
    );
    expect(() => setupLifecycle({ effects: undefined } as object)).not.toThrow();
  });

  it.each([undefined, null, "machine", [{}]])("refuses %j as a configuration", (config) => {
    expect(() => setupLifecycle().createMachine(config as never)).toThrow(
      expect.objectContaining({ code: "LIFECYCLE_INVALID" }) as Error,
    );
  });
});

describe("the default lifecycle", () => {
  it("has nothing to complain about", () => {
    expect(checkLifecycle(applicationLifecycle, { tasks: ["service", "stop"] })).toEqual([]);
  });

  it("is written as a literal call that editors find", () => {
    const code = readFileSync(new URL("../../machines/lifecycle-machine.ts", import.meta.url), "utf8");
    expect(code).toMatch(/applicationLifecycle = setupLifecycle\(\)\.createMachine\(\{/);
  });
});
