// Watches every type that can be collected, custom ones included, and follows types that come and go.
import type { Subscription } from "rxjs";
import type { Informer, SharedCache } from "../../../cache/informer.ts";
import type { KubeObject } from "../../../meta/object.ts";
import { type ResourceType, resourceNameOf, typeKeyOf } from "../../../meta/resource-type.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type Discovery, discover, type ServedResource } from "../../../client/resource-discovery.ts";

/** What happens to objects of any type. */
export interface TypeMonitorEvents {
  changed(type: ResourceType, object: KubeObject): void;
  gone(type: ResourceType, object: KubeObject): void;
  /** The type is no longer served, nor are its objects. */
  dropped(type: ResourceType): void;
}

/** Follows all types. */
export interface TypeMonitor {
  /** Asks the server again which types there are; resolves when the objects of the new ones are known. */
  refresh(): Promise<void>;
  /** The type of an apiVersion and kind, as of the last {@link refresh}. */
  find(apiVersion: string, kind: string): ServedResource | undefined;
  stop(): void;
}

/** Types without owners worth following: they come and go in numbers. */
const ignored = new Set(["events", "events.events.k8s.io"]);

interface Watched {
  readonly type: ResourceType;
  readonly subscription: Subscription;
  /** Ends the informer, when it is ours alone. */
  readonly abort: AbortController;
}

/** A monitor; nothing is watched before the first refresh. `newCache` makes a cache that is started and ended here. */
export function createTypeMonitor(
  context: ControllerContext,
  newCache: () => SharedCache,
  events: TypeMonitorEvents,
): TypeMonitor {
  const { cache, client, signal } = context;
  const watched = new Map<string, Watched>();
  let discovery: Discovery | undefined;

  /** The informer of another controller where there is one, else one that keeps metadata only. */
  function informerOf(type: ResourceType, abort: AbortController): Informer<KubeObject> {
    const existing = cache.existing(type);
    if (existing !== undefined) return existing;
    const own = newCache();
    const informer = own.informer(type, {
      transform: metadataOnly,
    });
    own.start(AbortSignal.any([signal, abort.signal]));
    return informer;
  }

  async function watch(type: ResourceType): Promise<void> {
    const abort = new AbortController();
    const informer = informerOf(type, abort);
    const subscription = informer.changes$.subscribe((change) => {
      if (change.type === "deleted") events.gone(type, change.object);
      else events.changed(type, change.object);
    });
    watched.set(resourceNameOf(type), { type, subscription, abort });
    await informer.whenSynced(AbortSignal.any([signal, abort.signal]));
    // An informer that ran before has reported its first objects to others.
    for (const object of informer.lister.list()) events.changed(type, object);
  }

  function unwatch(name: string): Watched | undefined {
    const entry = watched.get(name);
    entry?.subscription.unsubscribe();
    entry?.abort.abort(new Error("the type is no longer served"));
    watched.delete(name);
    return entry;
  }

  return {
    async refresh() {
      const found = await discover(client, signal);
      discovery = found;
      const wanted = found.preferred.filter(
        ({ type, verbs }) =>
          verbs.has("list") &&
          verbs.has("watch") &&
          verbs.has("delete") &&
          !ignored.has(resourceNameOf(type)),
      );
      const names = new Map(wanted.map(({ type }) => [resourceNameOf(type), type]));
      for (const [name, { type }] of watched) {
        const next = names.get(name);
        if (next !== undefined && typeKeyOf(next) === typeKeyOf(type)) continue;
        // A group that could not be asked may still be there.
        if (next === undefined && found.failures.length > 0) continue;
        unwatch(name);
        if (next === undefined) events.dropped(type);
      }
      const missing = [...names].filter(([name]) => !watched.has(name));
      // A type whose list fails must not hold up the others; it is watched as soon as the server lets it.
      await Promise.all(missing.map(([, type]) => watch(type).catch(() => undefined)));
    },
    find: (apiVersion, kind) => discovery?.find(apiVersion, kind),
    stop() {
      for (const name of watched.keys()) unwatch(name);
    },
  };
}

/** What the collector needs of an object: no more is kept in memory. */
function metadataOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { managedFields: _fields, annotations: _annotations, labels: _labels, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept };
}
