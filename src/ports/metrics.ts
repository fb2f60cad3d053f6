// Metrics as an injected port: whoever measures declares a family once and keeps the series it writes to.
// Implemented by src/manager/prometheus-metrics.ts; silent by default. A label is a word out of a small, known set (a kind,
// a state, a result): never a name, a namespace, a uid or a message, each of which is a new series for ever.

/** Values of a family's labels; all of them, always. */
export type Labels<L extends string> = Readonly<Record<L, string>>;

/** What a family of metrics is. */
export interface MetricOptions<L extends string> {
  /** As Prometheus names it: unit at the end, counters end in `_total`. */
  readonly name: string;
  /** What is measured, and in which unit, for people. */
  readonly help: string;
  /** The names of its labels; few values each, never names of objects. */
  readonly labels: readonly L[];
}

/** Options of {@link Metrics.histogram}. */
export interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds, ascending, in the unit of the name. */
  readonly buckets: readonly number[];
}

/** One series that only grows. */
export interface CounterSeries {
  /** Adds; default 1, never negative. */
  inc(amount?: number): void;
}

/** One series of observed values. */
export interface HistogramSeries {
  /** Adds one value. */
  observe(value: number): void;
}

/** A counter; `with` is to be called once per series, outside of hot paths. A series is there, with 0, from then on. */
export interface Counter<L extends string> {
  /** The series with these values of the labels. */
  with(labels: Labels<L>): CounterSeries;
}

/** A histogram; see {@link Counter} for `with`. */
export interface Histogram<L extends string> {
  /** The series with these values of the labels. */
  with(labels: Labels<L>): HistogramSeries;
}

/** A value that goes up and down. */
export interface Gauge<L extends string> {
  /** Sets the value of one series. */
  set(labels: Labels<L>, value: number): void;
  /** Drops every series: for gauges that are worked out again for each scrape. */
  reset(): void;
}

/**
 * Where measurements go.
 *
 * **Guarantees**: declaring a name again returns the same family, so that many may declare it; nothing here throws
 * because of a value.
 */
export interface Metrics {
  /** A value that only grows; its name ends in `_total`. */
  counter<L extends string>(options: MetricOptions<L>): Counter<L>;
  /** A value that goes up and down. */
  gauge<L extends string>(options: MetricOptions<L>): Gauge<L>;
  /** How often values fall into which range. */
  histogram<L extends string>(options: HistogramOptions<L>): Histogram<L>;
  /** Calls back before each scrape, for what is read rather than counted. The returned function ends that. */
  onScrape(update: () => void): () => void;
}

const silentSeries = { inc: () => undefined, observe: () => undefined };
const silentFamily = { with: () => silentSeries, set: () => undefined, reset: () => undefined };

/** Measures nothing. */
export const silentMetrics: Metrics = {
  counter: () => silentFamily,
  gauge: () => silentFamily,
  histogram: () => silentFamily,
  onScrape: () => () => undefined,
};

/** Upper bounds that grow tenfold, from `first`, `count` of them. */
export function tenfoldBuckets(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Number((first * 10 ** index).toPrecision(3)));
}
