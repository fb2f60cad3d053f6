import { describe, expect, it } from "vitest";
import { restartDelay } from "../../../src/cluster/pods/restart-backoff.ts";
import { isRestarted } from "../../../src/cluster/pods/restart-policy.ts";

describe("restart back-off", () => {
  it("restarts at once, then after a doubling delay of at most five minutes", () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 7, 60].map((row) => restartDelay(row) / 1000);
    expect(delays).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it.each([
    ["Always", 0, true],
    ["Always", 1, true],
    ["OnFailure", 0, false],
    ["OnFailure", 137, true],
    ["Never", 0, false],
    ["Never", 1, false],
  ] as const)("with policy %s and exit code %i says %s", (policy, exitCode, expected) => {
    expect(isRestarted({ policy }, exitCode)).toBe(expected);
  });
});
