import { describe, expect, it } from "vitest";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { createWorkQueue } from "../../src/queue/keyed-work-queue.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { samplesOf } from "../support/samples.ts";

function setUp() {
  const clock = createVirtualClock();
  const metrics = createPrometheusMetrics();
  const queue = createWorkQueue({ clock, random: () => 0.5, metrics: { metrics, name: "widget" } });
  const read = async (name: string, labels = ""): Promise<number | undefined> =>
    samplesOf(await metrics.expose()).get(`${name}{name="widget",controller="widget"${labels}}`);
  return { clock, queue, read };
}

describe("metrics of the work queue", () => {
  it("counts a key that is merged with a waiting one once", async () => {
    const { queue, read } = setUp();
    expect(await read("workqueue_adds_total")).toBe(0);
    queue.add("a");
    queue.add("a");
    queue.add("b", { priority: -100 });
    expect(await read("workqueue_adds_total")).toBe(2);
    expect(await read("workqueue_depth", ',priority="0"')).toBe(1);
    expect(await read("workqueue_depth", ',priority="-100"')).toBe(1);
    await queue.take();
    await queue.take();
    expect(await read("workqueue_depth", ',priority="0"')).toBe(0);
    expect(await read("workqueue_depth", ',priority="-100"')).toBe(0);
  });

  it("counts a key that comes while it is processed once, and not again when it becomes ready", async () => {
    const { queue, read } = setUp();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.add("a");
    queue.done("a");
    await queue.take();
    expect(await read("workqueue_adds_total")).toBe(2);
  });

  it("counts delayed keys as retries, and as added when they are due", async () => {
    const { clock, queue, read } = setUp();
    queue.addAfter("a", 5_000);
    expect(await read("workqueue_retries_total")).toBe(1);
    expect(await read("workqueue_adds_total")).toBe(0);
    await clock.advance(5_000);
    expect(await read("workqueue_adds_total")).toBe(1);
    queue.addRateLimited("b");
    expect(await read("workqueue_retries_total")).toBe(2);
  });

  it("measures in seconds how long keys wait and are processed, also those in progress", async () => {
    const { clock, queue, read } = setUp();
    queue.add("a");
    queue.add("b");
    await clock.advance(2_000);
    await queue.take();
    await clock.advance(1_000);
    await queue.take();
    await clock.advance(4_000);
    expect(await read("workqueue_queue_duration_seconds_sum")).toBe(5);
    expect(await read("workqueue_unfinished_work_seconds")).toBe(9);
    expect(await read("workqueue_longest_running_processor_seconds")).toBe(5);
    expect(await read("workqueue_work_duration_seconds_count")).toBe(0);
    queue.done("a");
    expect(await read("workqueue_work_duration_seconds_sum")).toBe(5);
    expect(await read("workqueue_unfinished_work_seconds")).toBe(4);
    queue.done("b");
    expect(await read("workqueue_longest_running_processor_seconds")).toBe(0);
  });

  it("counts nothing that a queue which is shut down refuses", async () => {
    const { queue, read } = setUp();
    await queue.shutDown();
    queue.add("a");
    queue.addAfter("b", 10);
    expect(await read("workqueue_adds_total")).toBe(0);
    expect(await read("workqueue_retries_total")).toBe(0);
  });
});
