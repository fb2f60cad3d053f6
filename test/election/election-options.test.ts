import { describe, expect, it } from "vitest";
import { compileElectionOptions, type LeaseOptions } from "../../src/election/election-options.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";

const compile = (options: LeaseOptions) =>
  compileElectionOptions(options, { namespace: "operators", name: "database-operator" });

describe("options of leader election", () => {
  it("default to the operator's name and the times of controller-runtime", () => {
    expect(compile({})).toEqual({
      namespace: "operators",
      name: "database-operator",
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2_000,
    });
  });

  it("take a name and durations, and round the lease up to what it can hold", () => {
    expect(
      compile({
        namespace: "elsewhere",
        name: "mine",
        leaseDuration: "2500ms",
        renewDeadline: "1s",
        retryPeriod: 200,
      }),
    ).toEqual({
      namespace: "elsewhere",
      name: "mine",
      leaseDuration: 3000,
      renewDeadline: 1000,
      retryPeriod: 200,
    });
  });

  it.each<[string, LeaseOptions, RegExp]>([
    ["no namespace", { namespace: "" }, /the namespace is missing/],
    ["no duration", { leaseDuration: 0, renewDeadline: 0 }, /leaseDuration is 0/],
    ["no margin", { leaseDuration: "10s", renewDeadline: "9500ms" }, /no margin/],
    ["a deadline beyond the lease", { leaseDuration: "5s" }, /no margin/],
    ["no second try", { retryPeriod: "6s" }, /no second attempt/],
    ["no pause", { retryPeriod: 0 }, /no second attempt/],
  ])("are refused with %s", (_, options, message) => {
    let caught: unknown;
    try {
      compile(options);
    } catch (error) {
      caught = error;
    }
    expect(isOperatorError(caught, "ELECTION_OPTIONS_INVALID")).toBe(true);
    expect(String(caught)).toMatch(message);
  });
});
