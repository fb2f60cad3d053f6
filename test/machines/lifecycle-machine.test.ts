// How authors write lifecycles: literally, typed, with a place for people.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { applicationLifecycle, humanIntervention, setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { checkLifecycle } from "../../src/lifecycle/check-lifecycle.ts";

describe("setting up a lifecycle", () => {
  it("keeps the author's configuration as it is written", () => {
    const config = {
      id: "mine",
      initial: "Start",
      states: { Start: { on: { "observed.Running": "HumanIntervention" } }, HumanIntervention: {} },
    } as const;
    expect(setupLifecycle().createMachine(config).config).toEqual(config);
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

  it("infers the names of the states", () => {
    const machine = setupLifecycle().createMachine({
      id: "mine",
      initial: "Start",
      states: { Start: {}, Running: {} },
    });
    const resolved = machine.resolveState({ value: "Start", context: {} });
    expect(resolved.matches("Running")).toBe(false);
    // @ts-expect-error no such state
    expect(resolved.matches("Runing")).toBe(false);
  });

  it("types the spec in guards", () => {
    setupLifecycle<{ spec: { size: number } }>({
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
      expect.objectContaining({ code: "DURATION_INVALID" }) as Error,
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
