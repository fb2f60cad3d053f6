import { describe, expect, it } from "vitest";
import { controllerHealth } from "../../src/controller/controller-health.ts";
import type { ReconcileResult } from "../../src/reconcile/outcome/reconcile-result.ts";
import { RecentFailures } from "../../src/controller/run/recent-failures.ts";
import { Runs } from "../../src/reconcile/runs.ts";
import { startWorkers } from "../../src/controller/run/worker-pool.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import type { HeldKey } from "../../src/ports/operator-health.ts";
import { createWorkQueue } from "../../src/queue/keyed-work-queue.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

function startPool(outcomes: Readonly<Record<string, ReconcileResult | "hangs">>, workers = 2) {
  const clock = createVirtualClock();
  const queue = createWorkQueue({ clock, random: () => 0.5 });
  const { signal } = new AbortController();
  const runs = new Runs({ clock, signal, timeout: 3_600_000 });
  const failures = new RecentFailures();
  void startWorkers({
    queue,
    workers,
    reconcile: ({ key }, run) => {
      run.stage = "Updater";
      const outcome = outcomes[key] ?? { kind: "settled" };
      return outcome === "hangs" ? new Promise(() => undefined) : Promise.resolve(outcome);
    },
    clock,
    log: silentLogger,
    runs,
    failures,
    signal,
  });
  const health = (held: readonly HeldKey[] = []) =>
    controllerHealth({ kind: "Lamp", workers, queue, runs, held, failures, clock });
  return { clock, queue, health };
}

describe("the health of a controller", () => {
  it("tells who is busy and with what for longest, and what waits", async () => {
    const { clock, queue, health } = startPool({ "ns/a": "hangs", "ns/b": "hangs" });
    const start = clock.now();
    queue.add("ns/a");
    await clock.advance(2_000);
    for (const key of ["ns/b", "ns/c", "ns/d"]) queue.add(key);
    queue.addAfter("ns/later", 600_000);
    await clock.advance(1_000);
    expect(health()).toEqual({
      kind: "Lamp",
      workers: 2,
      busy: 2,
      queued: 2,
      delayed: 1,
      longest: { key: "ns/a", stage: "Updater", since: start },
      heldCount: 0,
      held: [],
      failureCount: 0,
      failures: [],
    });
  });

  it("counts what failed or gave up within the last minutes, and names the last", async () => {
    const { clock, queue, health } = startPool({
      "ns/bad": { kind: "failed", error: new Error("no such disk"), requeueAfter: 60_000 },
      "ns/given-up": { kind: "gaveUp", error: new Error("it cannot be"), requeueAfter: 86_400_000 },
      "ns/waits": { kind: "gaveUp", requeueAfter: 86_400_000 },
    });
    for (const key of ["ns/given-up", "ns/waits", "ns/bad"]) queue.add(key);
    await clock.settle();
    expect(health().failureCount).toBe(2);
    expect(health().failures).toEqual([
      { at: clock.now(), key: "ns/bad", message: "no such disk" },
      { at: clock.now(), key: "ns/given-up", message: "it cannot be" },
    ]);
    await clock.advance(3_600_000);
    // One a minute, and nothing of an hour ago.
    expect(health().failureCount).toBe(5);
    expect(health().failures.map(({ key }) => key)).toEqual(Array(5).fill("ns/bad"));
  });

  it("names some of very many keys that are held", () => {
    const { health } = startPool({});
    const held = Array.from({ length: 500 }, (_, index): HeldKey => ({
      key: `ns/${index}`,
      why: "hotLoop",
      message: "again and again",
    }));
    expect(health(held)).toMatchObject({ heldCount: 500, held: held.slice(0, 10) });
  });
});
