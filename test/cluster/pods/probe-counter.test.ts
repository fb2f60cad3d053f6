import { describe, expect, it } from "vitest";
import { countAnswer, startTally } from "../../../src/cluster/pods/probe-counter.ts";
import type { Probe } from "../../../src/kinds/builtin/parts.ts";

function verdicts(healthy: boolean, answers: string, probe: Probe): string {
  let tally = startTally(healthy);
  return Array.from(answers)
    .map((answer) => {
      tally = countAnswer(tally, answer === "+", probe);
      return tally.failedNow ? "!" : tally.healthy ? "+" : "-";
    })
    .join("");
}

describe("probe counter", () => {
  it("is healthy after the first success by default, and no longer after three failures in a row", () => {
    expect(verdicts(false, "-+--+---+", {})).toBe("-++++++!+");
  });

  it("needs as many successes in a row as the threshold says", () => {
    expect(verdicts(false, "+-++", { successThreshold: 2 })).toBe("---+");
  });

  it("fails at the first failure when the threshold is one, and says so again at each further one", () => {
    expect(verdicts(true, "--", { failureThreshold: 1 })).toBe("!!");
  });

  it("starts the count anew after a success", () => {
    expect(verdicts(true, "--+--+", { failureThreshold: 3 })).toBe("++++++");
  });
});
