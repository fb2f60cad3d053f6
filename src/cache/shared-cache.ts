// All informers of a process: one per type and scope, shared by every controller that asks for it.
import type { KubeClient, ListScope } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import { resourceNameOf, typeKeyOf, type ResourceType } from "../meta/resource-type.ts";
import { sleep, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { silentMetrics, type Metrics } from "../ports/metrics.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { Random } from "../ports/random.ts";
import { createCacheMetrics } from "./cache-metrics.ts";
import type { Informer, InformerOptions, SharedCache } from "./informer.ts";
import { createInformer, type BeginWatch, type ListWatchInformer } from "./list-watch-informer.ts";
import { pauseAfter } from "./reflector.ts";

/** What {@link createSharedCache} needs. */
export interface SharedCacheOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Default not measured. */
  readonly metrics?: Metrics;
  /** Begins the actors of the list-watches; default each as the root of its own system. */
  readonly beginWatch?: BeginWatch;
}

/**
 * An empty cache.
 *
 * **Guarantees**: at most one list-watch per type and scope, however often it is asked for or started.
 * **Caveats**: of several transforms asked for on one type and scope, the first counts.
 * **RBAC**: `list`, `watch` on every type that is asked for.
 */
export function createSharedCache(options: SharedCacheOptions): SharedCache {
  const informers = new Map<string, ListWatchInformer<KubeObject>>();
  const { client, clock, random, log } = options;
  const metricsOf = createCacheMetrics({
    metrics: options.metrics ?? silentMetrics,
    clock,
    informers: () => informers.values(),
  });
  let started: AbortSignal | undefined;

  function start(informer: ListWatchInformer<KubeObject>, signal: AbortSignal): void {
    informer.start(signal).catch((error: unknown) => {
      log.error({ error: messageOf(error) }, "an informer ended unexpectedly");
    });
  }

  return {
    informer<T extends KubeObject>(type: ResourceType<T>, informerOptions: InformerOptions<T> = {}) {
      const { transform, ...scope } = informerOptions;
      const key = keyOf(type, scope);
      const known = informers.get(key);
      if (known !== undefined) return known as unknown as Informer<T>;
      const informer = createInformer<T>({
        client,
        clock,
        random,
        log,
        type,
        scope,
        transform,
        metrics: metricsOf(type),
        beginWatch: options.beginWatch,
      });
      const erased = informer as unknown as ListWatchInformer<KubeObject>;
      informers.set(key, erased);
      if (started !== undefined) start(erased, started);
      return informer;
    },
    existing: <T extends KubeObject>(type: ResourceType<T>, scope: ListScope = {}) =>
      informers.get(keyOf(type, scope)) as unknown as Informer<T> | undefined,
    start(signal) {
      if (started !== undefined) return;
      started = signal;
      for (const informer of informers.values()) start(informer, signal);
    },
    async whenSynced(signal) {
      await Promise.all([...informers.values()].map((informer) => informer.whenSynced(signal)));
    },
    async whenKnown(signal) {
      await Promise.all([...informers.values()].map((informer) => informer.whenKnown(signal)));
    },
    async catchUp(signal) {
      await Promise.all(
        [...informers.values()].map(async (informer) => {
          // What becomes available later is listed then, after the call.
          for (let failures = 1; informer.unavailable === undefined; failures += 1) {
            try {
              return await informer.catchUp(signal);
            } catch (error) {
              signal.throwIfAborted();
              const resource = resourceNameOf(informer.type);
              log.warn(
                { resource, error: messageOf(error) },
                "cannot determine whether the cache is current",
              );
              await sleep(clock, pauseAfter(failures, 0, random), signal);
            }
          }
        }),
      );
    },
    get informers() {
      return [...informers.values()];
    },
  };
}

function keyOf(type: ResourceType, { namespace, labelSelector, fieldSelector }: ListScope): string {
  return JSON.stringify([typeKeyOf(type), type.representation, namespace, labelSelector, fieldSelector]);
}
