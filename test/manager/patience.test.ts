import { describe, expect, it } from "vitest";
import { patiently } from "../../src/manager/patience.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

const cut = (): Error => new OperatorError("CONNECTION_FAILED", "the connection was reset");

function start(outcomes: readonly (Error | string)[]) {
  const signal = new AbortController();
  const clock = createVirtualClock();
  let attempts = 0;
  const result = patiently(
    async () => {
      const outcome = outcomes[Math.min(attempts, outcomes.length - 1)];
      attempts += 1;
      if (typeof outcome === "string") return outcome;
      throw outcome ?? new Error("there is an outcome");
    },
    { clock, log: silentLogger, signal: signal.signal },
  );
  // Whether it fails is what the tests look at, some time later.
  result.catch(() => undefined);
  return { result, clock, attempts: () => attempts, abort: () => signal.abort() };
}

describe("a start", () => {
  it("is tried again when the connection is cut", async () => {
    const { result, clock, attempts } = start([cut(), cut(), "connected"]);
    await clock.advance(10_000);
    expect(await result).toBe("connected");
    expect(attempts()).toBe(3);
  });

  it("fails with the connection's error when there is none for longer", async () => {
    const { result, clock, attempts } = start([cut()]);
    await clock.advance(10_000);
    await expect(result).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    expect(attempts()).toBe(4);
  });

  it("fails at once for any other reason", async () => {
    const { result, attempts } = start([new OperatorError("CRD_MISSING", "no such kind"), "connected"]);
    await expect(result).rejects.toMatchObject({ code: "CRD_MISSING" });
    expect(attempts()).toBe(1);
  });

  it("is not tried again once it is to be given up", async () => {
    const { result, attempts, abort } = start([cut(), "connected"]);
    abort();
    await expect(result).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    expect(attempts()).toBe(1);
  });
});
