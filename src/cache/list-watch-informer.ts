// One informer: a store, the reflector that feeds it, the stream of changes, and the read side.
import { Subject } from "rxjs";
import type { KubeClient, ListScope } from "../client/kube-client.ts";
import { deepFreeze } from "../meta/frozen.ts";
import { represented } from "../meta/metadata-only.ts";
import type { KubeObject } from "../meta/object.ts";
import { formatKey } from "../meta/object-key.ts";
import { resourceNameOf, type ResourceType } from "../meta/resource-type.ts";
import { dateOf, monotonicNow, type Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import type { Random } from "../ports/random.ts";
import { beginActor, type BeginActor, type Work } from "../statechart/drive.ts";
import type { InformerMetrics } from "./cache-metrics.ts";
import type { Unavailability } from "./availability.ts";
import { catchUp } from "./catch-up.ts";
import type { Change, Informer, InformerHealth, Lister } from "./informer.ts";
import { runReflector, watchLogic, type ReflectorTarget } from "./reflector.ts";
import { matchesFieldSelector, matchesLabels, matchesLabelSelector } from "./selector.ts";
import { Store, withoutManagedFields } from "./store.ts";
import { untilAborted } from "../ports/deadline.ts";

/** Options of {@link createInformer}. */
export interface ListWatchInformerOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly type: ResourceType<T>;
  readonly scope: ListScope;
  readonly transform?: ((object: T) => T) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Default not measured. */
  readonly metrics?: InformerMetrics | undefined;
  /** Begins the list-watch's actor; default as the root of its own system. */
  readonly beginWatch?: BeginWatch | undefined;
}

/** Begins the actor of a list-watch; the id is made of the type and the scope alone. */
export type BeginWatch = (id: string, work: Work) => ReturnType<BeginActor>;

/** An informer that can be started. */
export interface ListWatchInformer<T extends KubeObject> extends Informer<T> {
  /** Starts the list-watch until the signal is aborted; the first call counts. Resolves when nothing is open any more. */
  start(signal: AbortSignal): Promise<void>;
}

const healthStates: Readonly<Record<string, InformerHealth["state"]>> = {
  streamingList: "listing",
  listing: "listing",
  watching: "watching",
  backingOff: "backingOff",
  stopped: "stopped",
};

/** An informer that has not been started. */
export function createInformer<T extends KubeObject>(
  options: ListWatchInformerOptions<T>,
): ListWatchInformer<T> {
  const { client, type, scope, clock, random, metrics } = options;
  const log = options.log.child({ resource: resourceNameOf(type) });
  const store = new Store<T>();
  const changes = new Subject<Change<T>>();
  const firstList = Promise.withResolvers<void>();
  // Nobody may be waiting when it is rejected.
  firstList.promise.catch(() => undefined);
  /** What is held, or that nothing can be. */
  const known = Promise.withResolvers<void>();
  known.promise.catch(() => undefined);
  const availability = new Subject<Unavailability | undefined>();
  let unavailable: Unavailability | undefined;
  let listed = false;
  let running: Promise<void> | undefined;
  /** Its instants are monotonic, so that an age is right also after the date was set. */
  const health: { -readonly [K in keyof InformerHealth]: InformerHealth[K] } = {
    state: "starting",
    synced: false,
    lastActivity: undefined,
    lastError: undefined,
    lostSince: undefined,
    overlays: 0,
    relists: 0,
    reconnects: 0,
    fallbacks: 0,
  };

  function dated(instant: number | undefined): number | undefined {
    return instant === undefined ? undefined : dateOf(clock, instant);
  }

  /** What is stored of an object; it is frozen then, because all readers share it. */
  const shrink = options.transform === undefined ? withoutManagedFields : transformed(options.transform, log);

  const target: ReflectorTarget<T> = {
    get version() {
      return store.version;
    },
    replace(list, resourceVersion) {
      const initial = !listed;
      for (const [key, object] of list) list.set(key, deepFreeze(shrink(object)));
      const all = store.replace(list, resourceVersion, initial);
      if (!initial) {
        health.relists += 1;
        metrics?.relisted();
      }
      listed = true;
      health.synced = true;
      health.lastError = undefined;
      // Subscribers read the complete list, and those that wait for it have all changes. One that throws is reported by
      // RxJS, later and elsewhere: it never reaches the reflector.
      for (const change of all) changes.next(change);
      firstList.resolve();
      known.resolve();
      if (unavailable === undefined) return;
      log.info({ namespace: scope.namespace, objects: store.size }, "the type is available again");
      unavailable = undefined;
      availability.next(undefined);
    },
    unavailable(why) {
      const { message, remedy, reason } = why;
      const { namespace } = scope;
      log.error({ namespace, reason, error: message, remedy }, "a type is unavailable: what needs it waits");
      unavailable = why;
      known.resolve();
      availability.next(why);
    },
    apply(event) {
      target.heard();
      metrics?.events[event.type].inc();
      if (event.type === "BOOKMARK") return store.advance(event.resourceVersion);
      for (const change of store.apply(event.type, deepFreeze(shrink(event.object)))) changes.next(change);
    },
    moved(state) {
      const next = healthStates[state];
      if (next === undefined || health.state === "stopped") return;
      if (next === "watching" && health.state === "backingOff") {
        health.reconnects += 1;
        metrics?.reconnected();
      }
      if (next === "backingOff") health.lostSince ??= monotonicNow(clock);
      health.state = next;
      log.debug({ state }, "list-watch changed state");
      if (next !== "stopped") return;
      health.synced = false;
      firstList.reject(notSynced("is stopped"));
      known.reject(notSynced("is stopped"));
      changes.complete();
      availability.complete();
    },
    heard() {
      health.lastActivity = monotonicNow(clock);
      health.lostSince = undefined;
      if (health.state === "watching") health.lastError = undefined;
    },
    failed(message) {
      health.lastError = message;
    },
    fellBack() {
      health.fallbacks += 1;
    },
  };

  function notSynced(why: string): OperatorError {
    return new OperatorError("CACHE_NOT_SYNCED", `the cache of ${resourceNameOf(type)} ${why}`, {
      fields: { resource: resourceNameOf(type), state: health.state, lastError: health.lastError },
      remedy:
        health.lastError === undefined
          ? "Start the cache and await whenSynced() before reading."
          : `The last attempt failed: ${health.lastError}`,
    });
  }

  /** Refuses reads that would take "not known" for "does not exist". */
  function assertSynced(): void {
    if (health.synced) return;
    throw notSynced(health.state === "stopped" ? "is stopped" : "is not complete yet");
  }

  const lister: Lister<T> = {
    get(key) {
      assertSynced();
      return store.get(formatKey(key));
    },
    list({ namespace, matchLabels } = {}) {
      assertSynced();
      const objects = [...(namespace === undefined ? store.values() : store.inNamespace(namespace))];
      return matchLabels === undefined
        ? objects
        : objects.filter((object) => matchesLabels(matchLabels, object.metadata.labels));
    },
    byIndex(name, value) {
      assertSynced();
      const objects = store.byIndex(name, value);
      if (objects !== undefined) return [...objects];
      throw new OperatorError(
        "INDEX_UNKNOWN",
        `the cache of ${resourceNameOf(type)} has no index "${name}"`,
        {
          remedy: "Add it with informer.addIndex before reading.",
        },
      );
    },
    get size() {
      return store.size;
    },
  };

  /** Whether the server would show an object here: own writes elsewhere are none of this informer's business. */
  function isInScope(object: T): boolean {
    const { namespace, labelSelector = "", fieldSelector = "" } = scope;
    if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
    return matchesLabelSelector(labelSelector, object) && matchesFieldSelector(fieldSelector, object);
  }

  const changes$ = changes.asObservable();
  return {
    type,
    scope,
    lister,
    changes$,
    catchUp: (signal) => catchUp({ client, informer: { type, lister, changes$ }, scope, clock, signal }),
    get health() {
      return {
        ...health,
        lastActivity: dated(health.lastActivity),
        lostSince: dated(health.lostSince),
        overlays: store.overlays,
      };
    },
    get hasSynced() {
      return health.synced;
    },
    get unavailable() {
      return unavailable;
    },
    availability$: availability.asObservable(),
    whenSynced(signal) {
      return signal === undefined ? firstList.promise : untilAborted(firstList.promise, signal);
    },
    whenKnown(signal) {
      return signal === undefined ? known.promise : untilAborted(known.promise, signal);
    },
    addIndex: (name, valuesOf) => store.addIndex(name, valuesOf),
    recordWrite(object) {
      // It was answered whole, whatever the type is read as.
      if (!isInScope(object)) return;
      const written = deepFreeze(shrink(represented(type, object)));
      for (const change of store.recordWrite(written)) changes.next(change);
    },
    recordDelete(object) {
      if (isInScope(object)) store.recordDelete(object);
    },
    start(signal) {
      const alone: BeginWatch = (id, work) => beginActor(watchLogic, work, { id, clock }).ended;
      const { beginWatch = alone } = options;
      const id = watchIdOf(type, scope);
      return (running ??= runReflector({
        client,
        type,
        scope,
        target,
        // An author's function may look at them.
        omitManagedFields: options.transform === undefined,
        clock,
        random,
        log,
        signal,
        begin: (work) => beginWatch(id, work),
      }));
    },
  };
}

/** The function, but that an object which it cannot shrink is stored unchanged: one must not cost the whole kind. */
function transformed<T extends KubeObject>(transform: (object: T) => T, log: Logger): (object: T) => T {
  return (object) => {
    try {
      return transform(object);
    } catch (error) {
      log.error(
        { object: formatKey(object.metadata), error: messageOf(error) },
        "transform failed, the object is stored unchanged",
      );
      return object;
    }
  };
}

/** What tells the list-watches of a process apart, for people. */
function watchIdOf(type: ResourceType, scope: ListScope): string {
  const { namespace, labelSelector, fieldSelector } = scope;
  const selectors = [labelSelector, fieldSelector].filter((selector) => selector !== undefined);
  return [
    `watch of ${resourceNameOf(type)}`,
    ...(type.representation === undefined ? [] : [`as ${type.representation}`]),
    ...(namespace === undefined ? [] : [`in ${namespace}`]),
    ...(selectors.length === 0 ? [] : [`where ${selectors.join(" and ")}`]),
  ].join(" ");
}
