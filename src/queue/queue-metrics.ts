// What a work queue tells about itself, under the names of client-go's workqueue, so that dashboards made for those work.
// Fed by keyed-work-queue.ts; times come in as milliseconds and go out as seconds.
import { tenfoldBuckets, type Metrics } from "../ports/metrics.ts";

/** Where a queue's measurements go, and under which name. */
export interface QueueMetricsOptions {
  readonly metrics: Metrics;
  /** Name of the queue and of its controller. */
  readonly name: string;
}

/** What is read for each scrape. */
export interface QueueReading {
  /** Keys that are ready, by priority. */
  depths(): ReadonlyMap<number, number>;
  /** Milliseconds for which each key that is being processed has been so. */
  running(): Iterable<number>;
}

/** What is counted as it happens. Times are milliseconds. */
export interface QueueMetrics {
  added(): void;
  /** Added with a delay. */
  retried(): void;
  taken(waited: number): void;
  done(worked: number): void;
}

/** A subset of client-go's bounds, from a millisecond, the resolution of our clock, to 1,000 seconds. */
const buckets = tenfoldBuckets(0.001, 7);

/** Declares the families and reads the gauges for each scrape. */
export function createQueueMetrics(
  { metrics, name }: QueueMetricsOptions,
  reading: QueueReading,
): QueueMetrics {
  const labels = ["name", "controller"] as const;
  const own = { name, controller: name };
  const depth = metrics.gauge({
    name: "workqueue_depth",
    help: "Keys that are ready, by priority.",
    labels: [...labels, "priority"],
  });
  const unfinished = metrics.gauge({
    name: "workqueue_unfinished_work_seconds",
    help: "Total seconds of work in progress that work_duration does not include yet.",
    labels,
  });
  const longest = metrics.gauge({
    name: "workqueue_longest_running_processor_seconds",
    help: "How long the longest running reconcile has been running, in seconds.",
    labels,
  });
  const adds = metrics
    .counter({
      name: "workqueue_adds_total",
      help: "Keys added, without those merged with a queued key.",
      labels,
    })
    .with(own);
  const retries = metrics
    .counter({ name: "workqueue_retries_total", help: "Keys added with a delay or a backoff.", labels })
    .with(own);
  const waits = metrics
    .histogram({
      name: "workqueue_queue_duration_seconds",
      help: "How long a key waited before a worker took it, in seconds.",
      labels,
      buckets,
    })
    .with(own);
  const works = metrics
    .histogram({
      name: "workqueue_work_duration_seconds",
      help: "How long a key was processed, in seconds.",
      labels,
      buckets,
    })
    .with(own);
  // There are as many priorities as this package uses: a handful.
  const priorities = new Set([0]);
  metrics.onScrape(() => {
    const depths = reading.depths();
    for (const priority of depths.keys()) priorities.add(priority);
    for (const priority of priorities) {
      depth.set({ ...own, priority: String(priority) }, depths.get(priority) ?? 0);
    }
    let [sum, most] = [0, 0];
    for (const milliseconds of reading.running()) {
      sum += milliseconds;
      most = Math.max(most, milliseconds);
    }
    unfinished.set(own, sum / 1_000);
    longest.set(own, most / 1_000);
  });
  return {
    added: () => adds.inc(),
    retried: () => retries.inc(),
    taken: (waited) => waits.observe(waited / 1_000),
    done: (worked) => works.observe(worked / 1_000),
  };
}
