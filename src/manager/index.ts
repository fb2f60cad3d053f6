// The public entry `xstate-operator/metrics`: metrics of one's own beside the operator's, and where they are scraped.
export { createPrometheusMetrics } from "./prometheus-metrics.ts";
export type { PrometheusMetrics } from "./prometheus-metrics.ts";
export type {
  Counter,
  CounterSeries,
  Gauge,
  Histogram,
  HistogramOptions,
  HistogramSeries,
  MetricOptions,
  Metrics,
} from "../ports/metrics.ts";
