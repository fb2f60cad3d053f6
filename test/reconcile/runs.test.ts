import { describe, expect, it } from "vitest";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { Runs } from "../../src/reconcile/runs.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

function setUp(grace?: number) {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const options = { clock, signal: stop.signal, timeout: 60_000 };
  return { clock, stop, runs: new Runs(grace === undefined ? options : { ...options, grace }) };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe("a run", () => {
  it("leaves a hook behind when it takes too long, each run at its own time", async () => {
    const { clock, runs } = setUp();
    const ended: string[] = [];
    const begin = (key: string): void => {
      const run = runs.begin(key, key);
      run.stage = "Updater";
      void run.within(never()).catch(({ message }: Error) => ended.push(`${key}: ${message}`));
    };
    begin("a");
    await clock.advance(20_000);
    begin("b");
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(39_999);
    expect(ended).toEqual([]);
    await clock.advance(1);
    const message = "the reconcile timed out in Updater: it took longer than 60 s";
    expect(ended).toEqual([`a: ${message}`]);
    await clock.advance(20_000);
    expect(ended).toEqual([`a: ${message}`, `b: ${message}`]);
  });

  it("is waited for by its worker a while longer, and then no more", async () => {
    const { clock, runs } = setUp(10_000);
    const run = runs.begin("ns/a", "1");
    let lost: unknown;
    void run.untilAbandoned(never()).catch((reason: unknown) => (lost = reason));
    await clock.advance(69_999);
    expect([run.isCutOff, run.isOver, lost]).toEqual([true, false, undefined]);
    await clock.advance(1);
    expect(lost).toMatchObject({ code: "RECONCILE_TIMEOUT", fields: { timeout: 70_000, key: "ns/a" } });
    expect(run.isOver).toBe(true);
  });

  it("is cut off in time while another one that was cut off is still waited for", async () => {
    const { clock, runs } = setUp(600_000);
    runs.begin("slow", "1");
    await clock.advance(61_000);
    const next = runs.begin("next", "2");
    await clock.advance(59_999);
    expect(next.isCutOff).toBe(false);
    await clock.advance(1);
    expect(next.isCutOff).toBe(true);
  });

  it("has signals that are aborted also when they are asked for only afterwards", async () => {
    const { clock, runs } = setUp();
    const run = runs.begin("a", "1");
    await clock.advance(60_000);
    expect(run.signal.reason).toMatchObject({ code: "RECONCILE_TIMEOUT" });
    expect(run.lifetime.over).toBeUndefined();
    runs.end(run);
    expect(run.lifetime.over?.reason).toMatchObject({ code: "RECONCILE_ABORTED" });
  });

  it("is ended by a stop, with its reason, whether it began before or begins afterwards", async () => {
    const { stop, runs } = setUp();
    const reason = new Error("SIGTERM");
    const run = runs.begin("a", "1");
    const { signal, lifetime } = run;
    const hook = run.within(never());
    stop.abort(reason);
    await expect(hook).rejects.toMatchObject({ code: "RECONCILE_ABORTED", cause: reason });
    expect([signal.reason, lifetime.over?.reason]).toEqual([reason, reason]);
    expect(() => runs.begin("b", "2").throwIfCutOff()).toThrow(OperatorError);
  });

  it("tells its worker when it leaves it, also when it has left before it is asked", () => {
    const run = setUp().runs.begin("a", "1");
    let times = 0;
    run.leaveWorker();
    run.whenLeft(() => (times += 1));
    expect(times).toBe(1);
  });
});
