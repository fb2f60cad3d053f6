import { describe, expect, it } from "vitest";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { compileLifecycle } from "../../src/lifecycle/graph/compile-lifecycle.ts";
import {
  overlap,
  readStates,
  type ApplicationStates,
} from "../../src/reconcile/resources/application-states.ts";
import { canBeTogether, statesOf } from "../../src/statechart/configuration.ts";

const { index } = compileLifecycle(
  setupLifecycle().createMachine({
    id: "house",
    version: "1",
    initial: "Building",
    states: {
      Building: { on: { "observed.Up": "Up" } },
      Up: {
        type: "parallel",
        states: {
          Light: { initial: "Off", states: { Off: { on: { "human.light": "On" } }, On: {} } },
          Heating: { initial: "Cold", states: { Cold: { on: { "human.heat": "Warm" } }, Warm: {} } },
        },
      },
    },
  }),
);
const states: ApplicationStates = {
  names: statesOf(index),
  canBeTogether: (one, other) => canBeTogether(index, one, other),
  isIn: () => undefined,
  persistMove: () => Promise.resolve(),
};

describe("the states of a resource", () => {
  it.each([
    [
      "a misspelt state",
      { in: ["Bilding"] },
      /"Bilding", which the lifecycle does not have/,
      /mean "Building"/,
    ],
    ["a state of another lifecycle", { in: ["Servicing"] }, /"Servicing"/, /Building, Up, Up:Light/],
    ["one name in place of a list", { in: "Up" }, /not a list of names/, /in: \["Running"/],
    ["an empty list", { in: [] }, /no state/, /at least one/],
    ["another option", { in: ["Up"], adopt: true }, /the option "adopt"/, /It has two/],
  ])("refuse %s, and say what to write", (_, options, message, remedy) => {
    const refused = (): unknown => readStates(options, states);
    expect(refused).toThrow(expect.objectContaining({ code: "RESOURCE_STATES_INVALID" }));
    expect(refused).toThrow(message);
    expect(refused).toThrow(expect.objectContaining({ remedy: expect.stringMatching(remedy) as unknown }));
  });

  it("are refused in a kind without a lifecycle", () => {
    expect(() => readStates({ in: ["Up"] }, undefined)).toThrow(/its kind has no lifecycle/);
  });

  it.each([
    [["Building"], ["Up"], false],
    [["Up"], ["Up:Light:On"], true],
    [["Up:Light:On"], ["Up:Light:Off"], false],
    [["Up:Light:On"], ["Up:Heating:Warm"], true],
    [["Building", "Up:Light:On"], ["Up:Light:Off"], false],
    [undefined, ["Building"], true],
  ])("%j and %j may be active together: %s", (one, other, together) => {
    expect(overlap(states, one, other)).toBe(together);
  });
});
