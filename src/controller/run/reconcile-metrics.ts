// What a controller tells about its reconciles, under the names of controller-runtime, so that dashboards made for that
// work. Fed by worker-pool.ts.
import type { Metrics } from "../../ports/metrics.ts";
import { isOperatorError } from "../../ports/operator-error.ts";
import type { ReconcileResult } from "../../reconcile/outcome/reconcile-result.ts";

/** What is measured of each reconcile. */
export interface ReconcileMetrics {
  started(): void;
  /** A reconcile that threw instead of ending with a result: a fault of ours. */
  threw(): void;
  /** Milliseconds. */
  ended(result: ReconcileResult, took: number): void;
}

/** Options of {@link createReconcileMetrics}. */
export interface ReconcileMetricsOptions {
  readonly metrics: Metrics;
  readonly controller: string;
  readonly workers: number;
}

/** Seconds; controller-runtime's own bounds. */
const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const results = ["success", "error", "requeue", "requeue_after"] as const;

/** Declares the families and every series of the controller, so that a rate is right from the first event on. */
export function createReconcileMetrics(options: ReconcileMetricsOptions): ReconcileMetrics {
  const { metrics, controller, workers } = options;
  const labels = ["controller"] as const;
  const own = { controller };
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `controller_runtime_${name}`, help, labels }).with(own);
  const total = metrics.counter({
    name: "controller_runtime_reconcile_total",
    help: "Number of reconciles, by result.",
    labels: ["controller", "result"],
  });
  const byResult = new Map(results.map((result) => [result, total.with({ controller, result })]));
  const errors = counter("reconcile_errors_total", "Reconciles that ended with an error.");
  const terminal = counter("terminal_reconcile_errors_total", "Reconciles that gave up with a reason.");
  const panics = counter(
    "reconcile_panics_total",
    "Reconciles that failed because of a fault in the library.",
  );
  const timeouts = counter("reconcile_timeouts_total", "Reconciles that exceeded their time limit.");
  const times = metrics
    .histogram({
      name: "controller_runtime_reconcile_time_seconds",
      help: "Duration of reconciles, in seconds.",
      labels,
      buckets,
    })
    .with(own);
  const active = metrics.gauge({
    name: "controller_runtime_active_workers",
    help: "Reconciles in progress.",
    labels,
  });
  metrics
    .gauge({
      name: "controller_runtime_max_concurrent_reconciles",
      help: "Maximum number of concurrent reconciles.",
      labels,
    })
    .set(own, workers);
  let running = 0;
  metrics.onScrape(() => active.set(own, running));
  return {
    started: () => void (running += 1),
    threw: () => panics.inc(),
    ended(result, took) {
      running -= 1;
      times.observe(took / 1_000);
      byResult.get(labelOf(result))?.inc();
      const isFailure = labelOf(result) === "error";
      if (isFailure) errors.inc();
      if (isFailure && result.kind === "gaveUp") terminal.inc();
      if (isFailure && isOperatorError(result.error, "RECONCILE_TIMEOUT")) timeouts.inc();
    },
  };
}

function labelOf({ kind, error, requeueAfter }: ReconcileResult): (typeof results)[number] {
  if (kind === "failed") return "error";
  // To give up without a reason is not an error: nothing is to be done until something changes.
  if (kind === "gaveUp") return error === undefined ? "requeue_after" : "error";
  if (requeueAfter === undefined) return "success";
  return requeueAfter === 0 ? "requeue" : "requeue_after";
}
