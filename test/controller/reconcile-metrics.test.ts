import { describe, expect, it } from "vitest";
import { createReconcileMetrics } from "../../src/controller/run/reconcile-metrics.ts";
import { startWorkers, type ReconcileFunction } from "../../src/controller/run/worker-pool.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { Runs } from "../../src/reconcile/runs.ts";
import { silentLogger, type Logger } from "../../src/ports/logger.ts";
import { sleep } from "../../src/ports/clock.ts";
import { createWorkQueue } from "../../src/queue/keyed-work-queue.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { samplesOf } from "../support/samples.ts";

function setUp(reconcile: ReconcileFunction, idPrefix?: string) {
  const clock = createVirtualClock();
  const metrics = createPrometheusMetrics();
  const queue = createWorkQueue({ clock, random: () => 0.5 });
  const abort = new AbortController();
  const told: (readonly [string, unknown])[] = [];
  const log: Logger = {
    ...silentLogger,
    error: (fields, message) => void told.push([message, fields["reconcileId"]]),
    warn: (fields, message) => void told.push([message, fields["reconcileId"]]),
  };
  void startWorkers({
    queue,
    workers: 2,
    reconcile,
    runs: new Runs({ clock, signal: abort.signal, timeout: 60_000, grace: 0 }),
    clock,
    log,
    metrics: createReconcileMetrics({ metrics, controller: "widget", workers: 2 }),
    ...(idPrefix === undefined ? {} : { idPrefix }),
    signal: abort.signal,
  });
  const read = async (name: string, labels = ""): Promise<number | undefined> =>
    samplesOf(await metrics.expose()).get(`controller_runtime_${name}{controller="widget"${labels}}`);
  const results = async () => ({
    success: await read("reconcile_total", ',result="success"'),
    error: await read("reconcile_total", ',result="error"'),
    requeue: await read("reconcile_total", ',result="requeue"'),
    requeueAfter: await read("reconcile_total", ',result="requeue_after"'),
    errors: await read("reconcile_errors_total"),
    terminal: await read("terminal_reconcile_errors_total"),
  });
  return { clock, queue, read, results, told };
}

const nothing = { success: 0, error: 0, requeue: 0, requeueAfter: 0, errors: 0, terminal: 0 };

describe("metrics of reconciles", () => {
  it.each([
    ["a settled reconcile", { kind: "settled" }, { success: 1 }],
    ["one that asks to come again later", { kind: "settled", requeueAfter: 600_000 }, { requeueAfter: 1 }],
    ["an error", { kind: "failed", error: new Error("no"), requeueAfter: 600_000 }, { error: 1, errors: 1 }],
    [
      "a give-up with a reason",
      { kind: "gaveUp", error: new Error("spec.size is too big"), requeueAfter: 600_000 },
      { error: 1, errors: 1, terminal: 1 },
    ],
    [
      "a give-up without one, which is no error",
      { kind: "gaveUp", requeueAfter: 600_000 },
      { requeueAfter: 1 },
    ],
  ] as const)("count %s", async (_, outcome, expected) => {
    const pool = setUp(() => Promise.resolve(outcome));
    expect(await pool.results()).toEqual(nothing);
    pool.queue.add("team/secret-project");
    await pool.clock.settle();
    expect(await pool.results()).toEqual({ ...nothing, ...expected });
  });

  it("count one that asks to come again at once apart", async () => {
    let left = 3;
    const pool = setUp(() =>
      Promise.resolve(left-- > 0 ? { kind: "settled", requeueAfter: 0 } : { kind: "settled" }),
    );
    pool.queue.add("a");
    await pool.clock.advance(10);
    expect(await pool.results()).toEqual({ ...nothing, requeue: 3, success: 1 });
  });

  it("count one that throws, and one that takes too long", async () => {
    const pool = setUp(({ key }) => {
      if (key === "throws") throw new Error("a fault");
      return new Promise(() => undefined);
    });
    pool.queue.add("hangs");
    await pool.clock.advance(59_999);
    expect(await pool.read("reconcile_timeouts_total")).toBe(0);
    await pool.clock.advance(1);
    expect(await pool.read("reconcile_timeouts_total")).toBe(1);
    expect(await pool.read("reconcile_panics_total")).toBe(0);
    pool.queue.add("throws");
    await pool.clock.settle();
    expect(await pool.read("reconcile_panics_total")).toBe(1);
  });

  it("measure how long a reconcile takes, and how many are under way of how many that may be", async () => {
    const pool = setUp(async () => {
      await sleep(pool.clock, 3_000);
      return { kind: "settled" };
    });
    for (const key of ["a", "b", "c"]) pool.queue.add(key);
    await pool.clock.advance(1_000);
    expect(await pool.read("max_concurrent_reconciles")).toBe(2);
    expect(await pool.read("active_workers")).toBe(2);
    await pool.clock.advance(2_000);
    expect(await pool.read("active_workers")).toBe(1);
    await pool.clock.advance(10_000);
    expect(await pool.read("active_workers")).toBe(0);
    expect(await pool.read("reconcile_time_seconds_sum")).toBe(9);
    expect(await pool.read("reconcile_time_seconds_count")).toBe(3);
  });
});

describe("the id of a reconcile", () => {
  it("is given to the reconcile and named in what is logged about its outcome", async () => {
    const ids: string[] = [];
    const pool = setUp((_item, { id }) => {
      ids.push(id);
      return Promise.resolve({ kind: "failed", error: new Error("no"), requeueAfter: 1_000 });
    }, "run-");
    pool.queue.add("a");
    await pool.clock.advance(1_500);
    expect(ids).toEqual(["run-1", "run-2"]);
    expect(pool.told).toEqual([
      ["reconcile failed", "run-1"],
      ["reconcile failed", "run-2"],
    ]);
  });
});
