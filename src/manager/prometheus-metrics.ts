// The metrics port over prom-client: one registry per operator, written out for a scrape.
// prom-client is loaded with the first metrics: a process without metrics does not load its 20 MB.
import { createRequire } from "node:module";
import type * as PromClient from "prom-client";
import type { Counter, Gauge, Histogram, Metric, Registry } from "prom-client";
import type {
  CounterSeries,
  HistogramOptions,
  HistogramSeries,
  Labels,
  MetricOptions,
  Metrics,
} from "../ports/metrics.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** Metrics that can be scraped. */
export interface PrometheusMetrics extends Metrics {
  /** Of what {@link expose} returns. */
  readonly contentType: string;
  /** Everything measured so far, in Prometheus' text format. */
  expose(): Promise<string>;
}

/** What Node and the process tell about themselves: observed once per process, whatever the number of operators in it. */
let processMetrics: Registry | undefined;

/**
 * Empty metrics of their own registry, together with those of the process (`process_*`, `nodejs_*`).
 *
 * For programs that embed an operator: give it to `runOperator` as `metrics`, declare families of your own on it, and serve
 * what {@link PrometheusMetrics.expose} returns; with `metricsBindAddress` the operator serves it itself.
 *
 * **Errors**: `METRIC_INVALID` when a name is declared as two types.
 *
 * @example
 * const metrics = createPrometheusMetrics();
 * const backups = metrics.counter({ name: "backups_total", help: "Backups done.", labels: ["result"] });
 * backups.with({ result: "success" }).inc();
 */
export function createPrometheusMetrics(): PrometheusMetrics {
  const client = loadPromClient();
  const registry = new client.Registry();
  const updates = new Set<() => void>();
  const counters = new Map<string, BufferedCounter>();
  const histograms = new Map<string, HistogramSeries>();
  const failedUpdates = new client.Counter({
    name: "xstate_operator_scrape_failures_total",
    help: "Values that could not be computed for a scrape.",
    registers: [registry],
  });

  /** The family of that name, made on first use. Errors: `METRIC_INVALID` when it was declared as something else. */
  function family<T extends Metric>(
    type: new (...options: never[]) => T,
    { name }: MetricOptions<string>,
    make: () => T,
  ): T {
    const known = registry.getSingleMetric(name);
    if (known === undefined) return make();
    if (known instanceof type) return known;
    throw new OperatorError("METRIC_INVALID", `the metric ${name} was already declared with another type`, {
      remedy: "Give it another name.",
    });
  }

  return {
    contentType: registry.contentType,
    counter<L extends string>(options: MetricOptions<L>) {
      const counter = family<Counter>(
        client.Counter,
        options,
        () => new client.Counter(settingsOf(options, registry)),
      );
      return {
        with: (labels: Labels<L>) =>
          once(counters, options.name, labels, () => new BufferedCounter(counter.labels(labels))),
      };
    },
    gauge<L extends string>(options: MetricOptions<L>) {
      const gauge = family<Gauge>(
        client.Gauge,
        options,
        () => new client.Gauge(settingsOf(options, registry)),
      );
      return {
        set: (labels: Labels<L>, value: number) => gauge.set(labels, value),
        reset: () => gauge.reset(),
      };
    },
    histogram<L extends string>(options: HistogramOptions<L>) {
      const settings = { ...settingsOf(options, registry), buckets: [...options.buckets] };
      const histogram = family<Histogram>(client.Histogram, options, () => new client.Histogram(settings));
      return {
        with: (labels: Labels<L>) =>
          once(histograms, options.name, labels, () => {
            histogram.zero(labels);
            const series = histogram.labels(labels);
            return { observe: (value) => void (Number.isFinite(value) && series.observe(value)) };
          }),
      };
    },
    onScrape(update) {
      updates.add(update);
      return () => void updates.delete(update);
    },
    async expose() {
      for (const counter of counters.values()) counter.handOver();
      for (const update of updates) {
        try {
          update();
        } catch {
          // One value that cannot be had must not cost all others; it shows in the counter.
          failedUpdates.inc();
        }
      }
      if (processMetrics === undefined) {
        processMetrics = new client.Registry();
        client.collectDefaultMetrics({ register: processMetrics });
        // Gauges with the name of a counter, which promtool refuses; each is the sum of another one by type.
        for (const { name, type } of processMetrics.getMetricsAsArray()) {
          if (String(type) === "gauge" && name.endsWith("_total")) processMetrics.removeSingleMetric(name);
        }
      }
      return `${await registry.metrics()}\n${await processMetrics.metrics()}`;
    },
  };
}

function loadPromClient(): typeof PromClient {
  return createRequire(import.meta.url)("prom-client") as typeof PromClient;
}

/** Adds up, and hands over for a scrape: prom-client looks up its series for every increment. */
class BufferedCounter implements CounterSeries {
  readonly #series: Counter.Internal;
  #pending = 0;

  constructor(series: Counter.Internal) {
    this.#series = series;
    series.inc(0);
  }

  inc(amount = 1): void {
    if (amount > 0 && Number.isFinite(amount)) this.#pending += amount;
  }

  handOver(): void {
    if (this.#pending > 0) this.#series.inc(this.#pending);
    this.#pending = 0;
  }
}

/** The one series of a family with these labels. */
function once<T>(series: Map<string, T>, name: string, labels: Labels<string>, make: () => T): T {
  const names = Object.keys(labels).sort();
  const key = JSON.stringify([name, names.map((label) => [label, labels[label]])]);
  let found = series.get(key);
  if (found === undefined) series.set(key, (found = make()));
  return found;
}

function settingsOf(
  { name, help, labels }: MetricOptions<string>,
  registry: Registry,
): { name: string; help: string; labelNames: string[]; registers: Registry[] } {
  return { name, help, labelNames: [...labels], registers: [registry] };
}
