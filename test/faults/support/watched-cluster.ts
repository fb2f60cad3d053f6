// Caches on an embedded cluster that is told to misbehave, over real connections. Time runs twenty times as fast as on the
// wall for the caches, so that their pauses and limits pass in a test.
import { createSharedCache } from "../../../src/cache/shared-cache.ts";
import type { Change, Informer, SharedCache } from "../../../src/cache/informer.ts";
import { createKubeClient } from "../../../src/client/http-client.ts";
import { loadConnection } from "../../../src/client/kube-config.ts";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import type { Cluster } from "../../../src/cluster/cluster.ts";
import type { Fault } from "../../../src/cluster/cluster-faults.ts";
import { startCluster } from "../../../src/cluster/start-cluster.ts";
import { ConfigMap } from "../../../src/kinds/index.ts";
import type { KubeObject } from "../../../src/meta/object.ts";
import type { ResourceType } from "../../../src/meta/resource-type.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import { silentLogger } from "../../../src/ports/logger.ts";
import { systemRandom } from "../../../src/ports/random.ts";
import { clientOf } from "../../support/api-servers.ts";
import { createFastClock } from "../../support/fast-clock.ts";

export const namespace = "default";
export const factor = 20;

/** Who is watched in these tests, for matches of faults. */
export const watcher = "watcher";

/** A cache of its own, with what it has told and logged. */
export interface WatchedCache {
  readonly cache: SharedCache;
  readonly client: KubeClient;
  /** `type name`, in order. */
  readonly told: string[];
  /** Warnings, by message. */
  readonly warnings: string[];
  informer<T extends KubeObject>(type: ResourceType<T>): Informer<T>;
  start(): void;
  stop(): Promise<void>;
}

/** An embedded cluster without controllers. */
export class WatchedCluster {
  readonly cluster: Cluster;
  readonly person: KubeClient;
  readonly #caches: WatchedCache[] = [];

  private constructor(cluster: Cluster, person: KubeClient) {
    this.cluster = cluster;
    this.person = person;
  }

  static async start(): Promise<WatchedCluster> {
    const cluster = await startCluster({ controllers: false });
    return new WatchedCluster(cluster, await clientOf(cluster.kubeconfig));
  }

  /** A new cache, not started. */
  async watch(kubeconfig: string = this.cluster.kubeconfig): Promise<WatchedCache> {
    const clock = createFastClock(factor);
    const connection = await loadConnection({ path: kubeconfig, env: {} });
    const client = createKubeClient(connection, { userAgent: `${watcher}/1`, clock });
    const stop = new AbortController();
    const told: string[] = [];
    const warnings: string[] = [];
    const log: Logger = {
      ...silentLogger,
      child: () => log,
      warn: (_fields, message) => warnings.push(message),
    };
    const cache = createSharedCache({ client, clock, random: systemRandom, log });
    const watched: WatchedCache = {
      cache,
      client,
      told,
      warnings,
      informer<T extends KubeObject>(type: ResourceType<T>) {
        const informer = cache.informer(type, { namespace });
        informer.changes$.subscribe((change: Change<T>) => {
          told.push(`${change.type} ${change.object.metadata.name}`);
        });
        return informer;
      },
      start: () => cache.start(stop.signal),
      async stop() {
        stop.abort();
        await client.close();
      },
    };
    this.#caches.push(watched);
    return watched;
  }

  /** Counts requests of the caches without disturbing them. */
  count(match: { readonly verb: "list" | "watch"; readonly plural?: string }): Fault {
    return this.cluster.faults.delay({ ...match, userAgent: watcher }, 0);
  }

  create(name: string, data: Record<string, string> = {}): Promise<ConfigMap> {
    return this.person.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace },
      data,
    });
  }

  edit(name: string, data: Record<string, string>): Promise<ConfigMap> {
    return this.person.patch(ConfigMap, { name, namespace }, { type: "merge", body: { data } });
  }

  delete(name: string): Promise<unknown> {
    return this.person.delete(ConfigMap, { name, namespace });
  }

  /** Ends faults and caches, and empties the namespace, for the next test. */
  async reset(): Promise<void> {
    this.cluster.faults.clear();
    await this.cluster.faults.startServer();
    for (const cache of this.#caches.splice(0)) await cache.stop();
    await this.person.request({ method: "DELETE", path: `/api/v1/namespaces/${namespace}/configmaps` });
  }

  async stop(): Promise<void> {
    await this.reset();
    await this.person.close();
    await this.cluster.stop();
  }
}
