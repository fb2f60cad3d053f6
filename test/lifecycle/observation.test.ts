import { describe, expect, it } from "vitest";
import { readObservation } from "../../src/lifecycle/observation.ts";

describe("what an observer returned", () => {
  it.each([{}, { state: "Running" }, { state: "Down", message: "no pod", facts: { pods: 0 } }])(
    "is taken as it is: %j",
    (seen) => {
      expect(readObservation(seen)).toBe(seen);
    },
  );

  it("says nothing when it is nothing", () => {
    expect(readObservation(undefined)).toEqual({});
  });

  it.each([
    [42, "a number"],
    [null, "null"],
    [[], "a list"],
    ["Running", "a string"],
    [{ state: 5 }, "a state that is a number"],
    [{ state: "Idle", message: { a: 1 } }, "a message that is an object"],
    [{ facts: [] }, "facts that are a list"],
    [{ stat: "Running" }, 'an object with the field "stat", which an observation does not have'],
    [{ state: "Idle", pods: 3 }, 'an object with the field "pods", which an observation does not have'],
    [{ phase: "Running" }, 'an object with the field "phase", which an observation does not have'],
  ])("is refused with what it was: %j", (seen, what) => {
    expect(() => readObservation(seen)).toThrow(
      expect.objectContaining({ code: "OBSERVATION_INVALID", message: `observe returned ${what}` }),
    );
  });

  it("is refused with what to write, and with the field that was probably meant", () => {
    expect(() => readObservation({ stat: "Running" })).toThrow(
      expect.objectContaining({
        remedy: expect.stringMatching(/^Did you mean "state"\? Return an object: \{ state: /) as string,
      }),
    );
  });
});
