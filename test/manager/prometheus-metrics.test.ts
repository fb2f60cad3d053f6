import { describe, expect, it } from "vitest";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import { samplesOf } from "../support/samples.ts";

const walks = { name: "walks_total", help: "Walks.", labels: ["dog", "park"] } as const;
const times = { name: "walk_seconds", help: "Walks.", labels: ["dog"], buckets: [1, 10] } as const;

describe("metrics for Prometheus", () => {
  it("show a series with 0 from the moment it is made", async () => {
    const metrics = createPrometheusMetrics();
    metrics.counter(walks).with({ dog: "rex", park: "east" });
    metrics.histogram(times).with({ dog: "rex" });
    const samples = samplesOf(await metrics.expose());
    expect(samples.get('walks_total{dog="rex",park="east"}')).toBe(0);
    expect(samples.get('walk_seconds_count{dog="rex"}')).toBe(0);
  });

  it("are one family and one series for all that declare them, in whatever order of labels", async () => {
    const metrics = createPrometheusMetrics();
    metrics.counter(walks).with({ dog: "rex", park: "east" }).inc();
    expect(samplesOf(await metrics.expose()).get('walks_total{dog="rex",park="east"}')).toBe(1);
    metrics.counter(walks).with({ park: "east", dog: "rex" }).inc(2);
    metrics.histogram(times).with({ dog: "rex" }).observe(5);
    metrics.histogram(times).with({ dog: "rex" }).observe(50);
    const samples = samplesOf(await metrics.expose());
    expect(samples.get('walks_total{dog="rex",park="east"}')).toBe(3);
    expect(samples.get('walk_seconds_bucket{le="10",dog="rex"}')).toBe(1);
    expect(samples.get('walk_seconds_count{dog="rex"}')).toBe(2);
  });

  it("refuse a name that is of another type", () => {
    const metrics = createPrometheusMetrics();
    metrics.counter(walks);
    expect(() => metrics.gauge(walks)).toThrow(
      expect.toSatisfy((error) => isOperatorError(error, "METRIC_INVALID")),
    );
  });

  it("leave out what is no number, and never count down", async () => {
    const metrics = createPrometheusMetrics();
    const counter = metrics.counter(walks).with({ dog: "rex", park: "east" });
    for (const amount of [Number.NaN, -1, Infinity, 2]) counter.inc(amount);
    const histogram = metrics.histogram(times).with({ dog: "rex" });
    for (const value of [Number.NaN, 3]) histogram.observe(value);
    const samples = samplesOf(await metrics.expose());
    expect(samples.get('walks_total{dog="rex",park="east"}')).toBe(2);
    expect(samples.get('walk_seconds_count{dog="rex"}')).toBe(1);
  });

  it("read what is read before each scrape, until told not to, and survive a reading that fails", async () => {
    const metrics = createPrometheusMetrics();
    const gauge = metrics.gauge({ name: "dogs", help: "Dogs.", labels: [] });
    let dogs = 0;
    metrics.onScrape(() => {
      throw new Error("no");
    });
    const end = metrics.onScrape(() => gauge.set({}, (dogs += 1)));
    expect(samplesOf(await metrics.expose()).get("dogs")).toBe(1);
    expect(samplesOf(await metrics.expose()).get("dogs")).toBe(2);
    expect(samplesOf(await metrics.expose()).get("xstate_operator_scrape_failures_total")).toBe(3);
    end();
    expect(samplesOf(await metrics.expose()).get("dogs")).toBe(3);
  });

  it("are apart for each operator of a process, while those of the process are the same", async () => {
    const [one, other] = [createPrometheusMetrics(), createPrometheusMetrics()];
    one.counter(walks).with({ dog: "rex", park: "east" }).inc();
    const texts = await Promise.all([one.expose(), other.expose()]);
    expect(texts[0]).toContain("walks_total");
    expect(texts[1]).not.toContain("walks_total");
    for (const text of texts) expect(text.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);
  });
});
