import { describe, expect, it } from "vitest";
import { startWorkers, type ReconcileFunction } from "../../src/controller/run/worker-pool.ts";
import type { ReconcileResult } from "../../src/reconcile/outcome/reconcile-result.ts";
import { Runs } from "../../src/reconcile/runs.ts";
import { sleep } from "../../src/ports/clock.ts";
import { silentLogger, type Logger } from "../../src/ports/logger.ts";
import { isOperatorError, messageOf } from "../../src/ports/operator-error.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { createWorkQueue } from "../../src/queue/keyed-work-queue.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

function startPool(reconcile: ReconcileFunction, workers = 1) {
  const clock = createVirtualClock();
  const queue = createWorkQueue({ clock, random: () => 0.5 });
  const abort = new AbortController();
  const problems: string[] = [];
  const runs = new Runs({ clock, signal: abort.signal, timeout: 60_000, grace: 0 });
  const warnings: string[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (fields) => problems.push(String(fields["error"])),
    warn: (fields, message) => warnings.push(`${String(fields["object"])}: ${message}`),
  };
  const ended = startWorkers({
    queue,
    workers,
    reconcile,
    clock,
    log,
    runs,
    signal: abort.signal,
  });
  return { clock, queue, abort, ended, problems, warnings, runs };
}

describe("worker pool", () => {
  it("looks again after the delay that a settled reconcile asked for, and not before", async () => {
    const runs: number[] = [];
    const pool = startPool(() => {
      runs.push(pool.clock.now());
      return Promise.resolve({ kind: "settled", requeueAfter: 5_000 });
    });
    const start = pool.clock.now();
    pool.queue.add("a");
    await pool.clock.advance(4_999);
    expect(runs).toEqual([start]);
    await pool.clock.advance(1);
    expect(runs).toEqual([start, start + 5_000]);
  });

  it("honours a delay that comes with an error", async () => {
    const runs: number[] = [];
    const pool = startPool(() => {
      runs.push(pool.clock.now());
      return Promise.resolve({ kind: "failed", error: new Error("no"), requeueAfter: 7_000 });
    });
    const start = pool.clock.now();
    pool.queue.add("a");
    await pool.clock.advance(6_999);
    expect(runs).toHaveLength(1);
    await pool.clock.advance(1);
    expect(runs).toEqual([start, start + 7_000]);
    expect(pool.problems).toEqual(["no", "no"]);
  });

  it("backs off more and more without a delay, and starts over after a success", async () => {
    let outcome: ReconcileResult = { kind: "failed", error: new Error("no") };
    const failures: number[] = [];
    const pool = startPool((item) => {
      failures.push(item.failures);
      return Promise.resolve(outcome);
    });
    pool.queue.add("a");
    await pool.clock.advance(1_000);
    expect(failures.slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(failures.length).toBeLessThan(12);
    outcome = { kind: "settled" };
    await pool.clock.advance(600_000);
    const before = failures.length;
    pool.queue.add("a");
    await pool.clock.settle();
    expect(failures.slice(before)).toEqual([0]);
  });

  it.each([
    ["looks again every 5 s", { kind: "settled", requeueAfter: 5_000 }],
    ["waits for something outstanding", { kind: "settled", requeueAfter: 5_000, pending: true }],
    ["fails", { kind: "failed", error: new Error("no") }],
    ["gives up", { kind: "gaveUp", requeueAfter: 5_000 }],
  ] as const)("takes news before 500 keys of which each %s", async (_, result) => {
    const took = 100;
    const begun = new Map<string, number>();
    const pool = startPool(async ({ key }) => {
      begun.set(key, pool.clock.now());
      await sleep(pool.clock, took);
      return result;
    }, 4);
    for (let number = 0; number < 500; number += 1) pool.queue.add(`old-${number}`);
    await pool.clock.advance(60_000);
    expect(pool.queue.depth).toBeGreaterThan(100);
    const waits: number[] = [];
    for (const key of ["new", "old-7", "old-250"]) {
      const at = pool.clock.now();
      begun.delete(key);
      pool.queue.add(key, { cause: { reason: "modified" } });
      await pool.clock.advanceUntil(() => begun.has(key));
      waits.push((begun.get(key) ?? Infinity) - at);
      await pool.clock.advance(1_000);
    }
    // A worker is free within one run; an edit of a key that is at work waits for that run as well.
    expect(Math.max(...waits)).toBeLessThanOrEqual(3 * took);
    begun.clear();
    await pool.clock.advance(30_000);
    expect(begun.size).toBeGreaterThan(450);
  });

  it("gives the worker of a run that waits to other keys, and the waiting key to nobody", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun: string[] = [];
    const pool = startPool(async ({ key }, run) => {
      begun.push(key);
      if (key === "slow" && begun.length === 1) {
        run.leaveWorker();
        await promise;
      }
      return { kind: "settled" };
    });
    pool.queue.add("slow");
    await pool.clock.settle();
    pool.queue.add("slow");
    pool.queue.add("other");
    await pool.clock.settle();
    expect(begun).toEqual(["slow", "other"]);
    expect(pool.runs.list(0).map(({ key }) => key)).toEqual(["slow"]);
    let isOver = false;
    void pool.ended.then(() => (isOver = true));
    resolve();
    await pool.clock.settle();
    expect(begun).toEqual(["slow", "other", "slow"]);
    expect(isOver).toBe(false);
  });

  it("waits at its end for the runs that go on without a worker", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const pool = startPool(async (_item, run) => {
      run.leaveWorker();
      await promise;
      return { kind: "settled" };
    });
    let isOver = false;
    void pool.ended.then(() => (isOver = true));
    pool.queue.add("slow");
    await pool.clock.settle();
    void pool.queue.shutDown();
    await pool.clock.settle();
    expect(isOver).toBe(false);
    resolve();
    await pool.ended;
    expect(pool.runs.list(0)).toEqual([]);
  });

  it("lets no more than sixteen runs for each worker go on without one", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const pool = startPool(async (_item, run) => {
      begun += 1;
      run.leaveWorker();
      await promise;
      return { kind: "settled" };
    });
    for (let count = 0; count < 40; count += 1) pool.queue.add(`key-${count}`);
    await pool.clock.settle();
    expect(begun).toBe(17);
    resolve();
    await pool.clock.settle();
    expect(begun).toBe(40);
  });

  it("survives a reconcile that throws, and treats it as an error", async () => {
    const pool = startPool(() => {
      throw new Error("thrown");
    });
    pool.queue.add("a");
    await pool.clock.settle();
    expect(pool.problems).toEqual(["thrown"]);
  });

  it("gives a hung reconcile's key free after the time limit, and says which (T45)", async () => {
    let hangs = true;
    const seen: unknown[] = [];
    const pool = startPool((_item, run) => {
      if (!hangs) return Promise.resolve({ kind: "settled" });
      hangs = false;
      run.stage = "Updater";
      run.signal.addEventListener("abort", () => seen.push(run.signal.reason));
      return new Promise(() => undefined);
    });
    pool.queue.add("ns/hung");
    await pool.clock.advance(59_999);
    expect(pool.queue.processing).toBe(1);
    await pool.clock.advance(1);
    expect(pool.queue.processing).toBe(0);
    expect(pool.problems).toEqual([
      "the reconcile of ns/hung timed out in Updater: it took longer than 60 s",
    ]);
    expect(isOperatorError(seen[0], "RECONCILE_TIMEOUT")).toBe(true);
    await pool.clock.advance(10_000);
    expect(pool.queue.depth).toBe(0);
    expect(pool.problems).toHaveLength(1);
  });

  it("never runs one key twice at once, however many workers there are", async () => {
    let running = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const pool = startPool(async () => {
      most = Math.max(most, (running += 1));
      await new Promise<void>((resolve) => release.push(resolve));
      running -= 1;
      return { kind: "settled" };
    }, 4);
    for (let round = 0; round < 5; round += 1) {
      pool.queue.add("same");
      await pool.clock.settle();
    }
    expect(most).toBe(1);
    release.shift()?.();
    await pool.clock.settle();
    expect(release).toHaveLength(1);
    expect(most).toBe(1);
  });

  it("ends when the queue is shut down, after what is under way", async () => {
    let finish: (outcome: ReconcileResult) => void = () => undefined;
    const pool = startPool(() => new Promise((resolve) => (finish = resolve)));
    pool.queue.add("a");
    await pool.clock.settle();
    let drained = false;
    const shutDown = pool.queue.shutDown().then(() => (drained = true));
    await pool.clock.settle();
    expect(drained).toBe(false);
    finish({ kind: "settled", requeueAfter: 1_000 });
    await shutDown;
    await pool.ended;
    expect(pool.clock.pendingTimers).toBe(0);
  });

  it("aborts what is under way with the pool's reason, and does not retry it", async () => {
    let reason: unknown;
    const pool = startPool(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(new Error("aborted"));
          }),
        ),
    );
    pool.queue.add("a");
    await pool.clock.settle();
    pool.abort.abort(new Error("stopping"));
    await pool.ended;
    expect(messageOf(reason)).toBe("stopping");
    expect(pool.problems).toEqual([]);
  });

  it("makes a key wait that asks to be looked at at once again and again", async () => {
    let runs = 0;
    const pool = startPool(() => {
      runs += 1;
      return Promise.resolve({ kind: "settled", requeueAfter: runs === 100 ? 5_000 : 0 });
    });
    pool.queue.add("a");
    await pool.clock.advance(0);
    expect(runs).toBe(21);
    // It is said once, as nothing else would tell of it.
    expect(pool.warnings).toEqual([
      "a: a reconcile asks to run again at once, again and again; it is slowed down",
    ]);
    await pool.clock.advance(10_000);
    expect(pool.warnings).toHaveLength(1);
    // After 10, 20, 40, … 640 ms, then every second.
    expect(runs).toBe(21 + 7 + 8);
    runs = 99;
    await pool.clock.advance(1_000);
    expect(runs).toBe(100);
    // Who has waited once is patient again.
    await pool.clock.advanceUntil(() => runs > 100);
    await pool.clock.settle();
    expect(runs).toBe(121);
    expect(pool.warnings).toHaveLength(2);
    pool.abort.abort();
    await pool.queue.shutDown();
  });

  it("lets timers, sockets and signals have their turn while every run waits for promises alone", async () => {
    const queue = createWorkQueue({ clock: systemClock });
    const abort = new AbortController();
    const end = performance.now() + 1_500;
    let [runs, heard] = [0, 0];
    const ended = startWorkers({
      queue,
      workers: 2,
      // Without turns nothing else in this process would run until the last one.
      reconcile: ({ key }) => {
        runs += 1;
        if (performance.now() < end) queue.add(key);
        return Promise.resolve({ kind: "settled" });
      },
      runs: new Runs({ clock: systemClock, signal: abort.signal, timeout: 60_000 }),
      clock: systemClock,
      log: silentLogger,
      signal: abort.signal,
    });
    const timer = setInterval(() => (heard += 1), 20);
    for (const key of ["a", "b", "c"]) queue.add(key);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = { runs, heard, inTime: performance.now() < end };
    clearInterval(timer);
    abort.abort();
    await queue.shutDown();
    await ended;
    expect(before.inTime).toBe(true);
    expect(before.heard).toBeGreaterThan(1);
    expect(before.runs).toBeGreaterThan(100);
  });
});
