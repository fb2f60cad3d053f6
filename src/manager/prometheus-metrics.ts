// The metrics port over prom-client: one registry per operator, written out for a scrape.
// Loaded only when metrics are served: whoever does not measure does not pay.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type Metric } from "prom-client";
import type { HistogramOptions, Labels, MetricOptions, Metrics } from "../ports/metrics.ts";
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

/** Empty metrics of their own registry, together with those of the process (`process_*`, `nodejs_*`). */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry();
  const updates = new Set<() => void>();
  /** Histogram series that exist. */
  const zeroed = new Set<string>();
  const failedUpdates = new Counter({
    name: "xstate_operator_scrape_failures_total",
    help: "Values that could not be worked out for a scrape.",
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
    throw new OperatorError("METRIC_INVALID", `the metric ${name} was declared as another type before`, {
      remedy: "Give it another name.",
    });
  }

  return {
    contentType: registry.contentType,
    counter<L extends string>(options: MetricOptions<L>) {
      const counter = family<Counter>(Counter, options, () => new Counter(settingsOf(options, registry)));
      return {
        with: (labels: Labels<L>) => {
          const series = counter.labels(labels);
          series.inc(0);
          return { inc: (amount = 1) => void (amount > 0 && Number.isFinite(amount) && series.inc(amount)) };
        },
      };
    },
    gauge<L extends string>(options: MetricOptions<L>) {
      const gauge = family<Gauge>(Gauge, options, () => new Gauge(settingsOf(options, registry)));
      return {
        set: (labels: Labels<L>, value: number) => gauge.set(labels, value),
        reset: () => gauge.reset(),
      };
    },
    histogram<L extends string>(options: HistogramOptions<L>) {
      const settings = { ...settingsOf(options, registry), buckets: [...options.buckets] };
      const histogram = family<Histogram>(Histogram, options, () => new Histogram(settings));
      return {
        with: (labels: Labels<L>) => {
          const key = JSON.stringify([options.name, labels]);
          // Zeroing what is there would lose it.
          if (!zeroed.has(key)) histogram.zero(labels);
          zeroed.add(key);
          const series = histogram.labels(labels);
          return { observe: (value) => void (Number.isFinite(value) && series.observe(value)) };
        },
      };
    },
    onScrape(update) {
      updates.add(update);
      return () => void updates.delete(update);
    },
    async expose() {
      for (const update of updates) {
        try {
          update();
        } catch {
          // One value that cannot be had must not cost all others; it shows in the counter.
          failedUpdates.inc();
        }
      }
      if (processMetrics === undefined) {
        processMetrics = new Registry();
        collectDefaultMetrics({ register: processMetrics });
      }
      return `${await registry.metrics()}\n${await processMetrics.metrics()}`;
    },
  };
}

function settingsOf(
  { name, help, labels }: MetricOptions<string>,
  registry: Registry,
): { name: string; help: string; labelNames: string[]; registers: Registry[] } {
  return { name, help, labelNames: [...labels], registers: [registry] };
}
