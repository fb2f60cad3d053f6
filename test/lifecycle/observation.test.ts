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
  ])("is refused with what it was: %j", (seen, what) => {
    expect(() => readObservation(seen)).toThrow(
      expect.objectContaining({ code: "OBSERVATION_INVALID", message: `observe returned ${what}` }),
    );
  });
});
