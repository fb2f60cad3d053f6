// What the cache tells about itself. One series per type: several informers of one type (one per namespace served) are
// added up, so that no namespace becomes a label. Counters are fed by list-watch-informer.ts, gauges read per scrape.
import type { KubeObject } from "../meta/object.ts";
import { resourceNameOf, type ResourceType } from "../meta/resource-type.ts";
import type { Clock } from "../ports/clock.ts";
import type { CounterSeries, Metrics } from "../ports/metrics.ts";
import type { Informer } from "./informer.ts";

/** What is counted of one informer as it happens. */
export interface InformerMetrics {
  /** Watch events, by type. */
  readonly events: Readonly<Record<"ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", CounterSeries>>;
  relisted(): void;
  reconnected(): void;
}

/** Options of {@link createCacheMetrics}. */
export interface CacheMetricsOptions {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** All there are by now. */
  readonly informers: () => Iterable<Informer<KubeObject>>;
}

/** Declares the families; the function returns the counters of one type. */
export function createCacheMetrics(options: CacheMetricsOptions): (type: ResourceType) => InformerMetrics {
  const { metrics } = options;
  const labels = ["resource"] as const;
  const events = metrics.counter({
    name: "xstate_operator_informer_events_total",
    help: "Watch events, by type.",
    labels: ["resource", "type"],
  });
  const relists = metrics.counter({
    name: "xstate_operator_informer_relists_total",
    help: "Full lists after the first one.",
    labels,
  });
  const reconnects = metrics.counter({
    name: "xstate_operator_informer_reconnects_total",
    help: "Watches opened again after a failure.",
    labels,
  });
  readForScrapes(options);
  return (type) => {
    const resource = resourceNameOf(type);
    const of = (event: string) => events.with({ resource, type: event });
    const [relisted, reconnected] = [relists.with({ resource }), reconnects.with({ resource })];
    return {
      events: {
        ADDED: of("added"),
        MODIFIED: of("modified"),
        DELETED: of("deleted"),
        BOOKMARK: of("bookmark"),
      },
      relisted: () => relisted.inc(),
      reconnected: () => reconnected.inc(),
    };
  };
}

interface Reading {
  synced: boolean;
  /** Seconds. */
  age: number;
  objects: number;
  overlays: number;
}

function readForScrapes({ metrics, clock, informers }: CacheMetricsOptions): void {
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `xstate_operator_informer_${name}`, help, labels: ["resource"] });
  const synced = gauge("synced", "1 when the cache of the type is complete and can be read.");
  const age = gauge(
    "last_activity_age_seconds",
    "Seconds since the last response from the server; the oldest of all watches.",
  );
  const objects = gauge("objects", "Objects in the cache.");
  const overlays = gauge("own_write_overlays", "Own writes that the watch has not delivered yet.");
  metrics.onScrape(() => {
    const readings = new Map<string, Reading>();
    for (const { type, health, lister } of informers()) {
      const resource = resourceNameOf(type);
      const reading = readings.get(resource) ?? { synced: true, age: 0, objects: 0, overlays: 0 };
      reading.synced &&= health.synced;
      if (health.lastActivity !== undefined) {
        reading.age = Math.max(reading.age, (clock.now() - health.lastActivity) / 1_000);
      }
      reading.objects += lister.size;
      reading.overlays += health.overlays;
      readings.set(resource, reading);
    }
    for (const [resource, reading] of readings) {
      synced.set({ resource }, reading.synced ? 1 : 0);
      age.set({ resource }, reading.age);
      objects.set({ resource }, reading.objects);
      overlays.set({ resource }, reading.overlays);
    }
  });
}
