/**
 * Metrics of one's own beside the operator's, and where they are scraped.
 *
 * @module xstate-operator/metrics
 */
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
