// The controller of one kind: requests from the cache go through a queue to workers, each of which runs the pipeline for
// one key. Made and ended by the manager.
import { Subscription } from "rxjs";
import type { SharedCache } from "../cache/informer.ts";
import type { KubeClient } from "../client/kube-client.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { KubeObject } from "../meta/object.ts";
import { formatKey, keyOf, parseKey } from "../meta/object-key.ts";
import { monotonicNow, type Clock } from "../ports/clock.ts";
import { toMilliseconds } from "../ports/duration.ts";
import { noInspector, type Inspector } from "../statechart/inspection.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import { silentMetrics, type Metrics } from "../ports/metrics.ts";
import type { ControllerHealth } from "../ports/operator-health.ts";
import type { Random } from "../ports/random.ts";
import { noSecrets, type SecretKeeper } from "../ports/secret-keeper.ts";
import { noTracing, type Tracing } from "../ports/tracing.ts";
import type { RunJournal } from "../ports/run-journal.ts";
import type { RunRecorder } from "../recording/run-recorder.ts";
import { createWorkQueue } from "../queue/keyed-work-queue.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import { Runs, type RunUnderWay } from "../reconcile/runs.ts";
import { controllerHealth } from "./controller-health.ts";
import { checkControllerOptions } from "./declaration/check-controller-options.ts";
import type { Transition } from "./application/transition.ts";
import type { ControllerDefinition } from "./declaration/define-controller.ts";
import { FightingKeys } from "./detectors/fighting-keys.ts";
import type { KeyShare } from "./key-share.ts";
import { HotLoopGuard } from "./detectors/hot-loop-guard.ts";
import { compileHotLoopOptions } from "./detectors/hot-loop-options.ts";
import { Echoes } from "./changes/echoes.ts";
import { OwnWrites } from "./changes/own-writes.ts";
import { createReconcileMetrics } from "./run/reconcile-metrics.ts";
import { traceCause, traceReconciles } from "./run/reconcile-trace.ts";
import { createReconciler, finalizerOf, type ClientReconcileFunction } from "./run/reconciler.ts";
import { followChanges, type RequestSources } from "./changes/request-sources.ts";
import { changePriority, startPriorityOf, unfinishedPriority } from "./changes/start-priority.ts";
import { RecentFailures } from "./run/recent-failures.ts";
import { createScopedReader } from "./run/scoped-reader.ts";
import { measureShare } from "./share-metrics.ts";
import { DeliveredEvents } from "./run/run-recording.ts";
import { startWorkers, type ReconcileFunction } from "./run/worker-pool.ts";

/** Options of {@link createController}. */
export interface ControllerParts {
  readonly definition: ControllerDefinition;
  /** Name of the operator: field manager and reporter of Events. */
  readonly operator: string;
  /** Names that the operator had before; default none. */
  readonly formerNames?: readonly string[];
  readonly client: KubeClient;
  /** Not started yet: the controller asks it for its informers. */
  readonly cache: SharedCache;
  readonly events: EventRecorder;
  /** Namespaces served; empty: all. */
  readonly namespaces: readonly string[];
  /** Overrides the definition's number of workers. */
  readonly workers?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Default not measured. */
  readonly metrics?: Metrics;
  /** Receives each run that is over; default nobody. */
  readonly journal?: RunJournal;
  /** Who keeps each run with all that decided it; default nobody. */
  readonly recorder?: RunRecorder;
  /** What the process knows of Secrets; default only what the runs of a resource have read is kept from what is reported of it. */
  readonly secrets?: SecretKeeper;
  /** The part of the keys that this process reconciles; default all. */
  readonly share?: KeyShare | undefined;
  /** Receives every run and every lifecycle; default nobody. */
  readonly inspector?: Inspector;
  /** Receives each move of a lifecycle that is persisted; default nobody. */
  readonly onTransition?: (transition: Transition) => void;
  /** Where changes and reconciles are traced; default nowhere. */
  readonly tracing?: Tracing;
}

/** A controller that knows its sources, but queues and works only while it is run: one that stands by keeps nothing. */
export interface Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  /** The reconciles that have begun and not ended. */
  underWay(): readonly RunUnderWay[];
  /** How it is now. */
  health(): ControllerHealth;
  /** Queues what the caches hold, follows them, and starts the workers; resolves when those have ended. */
  run(): Promise<void>;
  /** Takes no new key; resolves when every reconcile under way has ended. */
  drain(): Promise<void>;
  /** Aborts what is under way. Idempotent. */
  abort(): void;
}

const defaultWorkers = 4;
const defaultTimeout = "60s";
/** Milliseconds that a reconcile gets to end after its own time limit, before its key is freed without it. */
const grace = 10_000;

/** Creates the controller and asks the cache for its informers. */
export function createController(parts: ControllerParts): Controller {
  const { definition, cache, clock, random, metrics = silentMetrics, inspector = noInspector, share } = parts;
  const { secrets = noSecrets, recorder, ...rest } = parts;
  const delivered = new DeliveredEvents(clock);
  const events = recorder === undefined ? parts.events : delivered.noting(parts.events);
  const { kind, options } = definition;
  const name = kind.kind.toLowerCase();
  const log = parts.log.child({ controller: name });
  for (const problem of [...(kind.lifecycle?.warnings ?? []), ...checkControllerOptions(kind, options)]) {
    log.warn({ ...problem }, "the declaration has a problem");
  }
  const traced = { tracing: parts.tracing ?? noTracing, controller: name, kind: kind.kind };
  const owned = options.owns ?? [];
  const watched = options.watches ?? [];
  const types = [kind, ...owned, ...(options.reads ?? []), ...watched.map(({ type }) => type)];
  const reader = createScopedReader({ cache, namespaces: parts.namespaces, types });
  const queue = createWorkQueue({
    clock,
    random,
    groupOf: (key) => parseKey(key).namespace ?? "",
    metrics: { metrics, name },
  });
  const ownWrites = new OwnWrites({
    kind,
    finalizer: finalizerOf(kind),
    overlayOf: (type, key) => (reader.holds(type, key) ? reader.informerOf(type, key) : undefined),
    turn: () => guard.turn,
  });
  const guard: HotLoopGuard = new HotLoopGuard({
    limits: options.hotLoop === false ? undefined : compileHotLoopOptions(options.hotLoop),
    operator: parts.operator,
    controller: name,
    client: parts.client,
    events,
    ownWrites,
    clock,
    log,
    metrics,
  });
  const echoes = new Echoes({ ownWrites, isUnderWay: (key) => runs.isUnderWay(key) });
  const changes: RequestSources = {
    primary: reader.informersOf(kind),
    primaryType: kind,
    ownWrites,
    echoes,
    onMapError: (error, object) => {
      const { kind: source } = object;
      const message = secrets.mask(messageOf(error));
      log.error({ source, object: formatKey(keyOf(object)), error: message }, "mapTo failed");
    },
    owned: owned.flatMap((type) => reader.informersOf(type)),
    watched: watched.flatMap((each) =>
      reader.informersOf(each.type).map((informer) => ({ informer, mapTo: (object) => each.mapTo(object) })),
    ),
  };
  const sources = new Subscription();
  const follow = (): Subscription =>
    followChanges(changes, (key, note) => {
      if (share !== undefined && !share.owns(key)) return;
      guard.note(key, note);
      queue.add(key, { cause: traceCause(traced, key, note.cause), priority: note.priority });
      if (note.urgent) runs.tellChanged(key);
    });
  /** Something has happened outside of the cluster. */
  const wake = (key: string): void => {
    if (share?.owns(key) === false) return;
    queue.add(key, { cause: { reason: "external" }, priority: changePriority });
    runs.tellChanged(key);
  };
  const objects = (): readonly KubeObject[] =>
    reader.informersOf(kind).flatMap(({ hasSynced, lister }) => (hasSynced ? lister.list() : []));
  /** Queues what needs a type when that comes or goes: what waits for it goes on, and what stops says so. */
  const followAvailability = (): Subscription => {
    const followed = new Subscription();
    for (const type of types) {
      for (const { scope, availability$ } of reader.informersOf(type)) {
        const concerns = ({ metadata: { namespace } }: KubeObject): boolean =>
          scope.namespace === undefined || namespace === undefined || namespace === scope.namespace;
        followed.add(
          availability$.subscribe((unavailable) => {
            const detail = `${type.kind} is ${unavailable === undefined ? "available" : "unavailable"}`;
            for (const object of objects().filter(concerns)) {
              const key = formatKey(keyOf(object));
              if (share?.owns(key) === false) continue;
              queue.add(key, { cause: { reason: "resync", detail }, priority: unfinishedPriority });
            }
          }),
        );
      }
    }
    return followed;
  };
  if (share !== undefined) {
    share.onGained((isGained) => {
      for (const object of objects()) {
        const key = formatKey(keyOf(object));
        if (!isGained(key)) continue;
        queue.add(key, { cause: { reason: "handOver" }, priority: startPriorityOf(object) });
      }
    });
    measureShare(metrics, name, share, () => objects().map((object) => formatKey(keyOf(object))));
  }

  const abort = new AbortController();
  const ended = new AbortController();
  const timeout = toMilliseconds(options.timeout ?? defaultTimeout);
  const runs = new Runs({ clock, signal: abort.signal, timeout, grace });
  const fighting = new FightingKeys(parts.operator);
  const failures = new RecentFailures();
  const reconcileAny = createReconciler({
    ...rest,
    secrets,
    ...(recorder === undefined ? {} : { recorded: { recorder, events: delivered } }),
    events,
    fighting,
    reader,
    ownWrites,
    guard,
    log,
    metrics,
    inspector,
    tracing: traced.tracing,
    ended: ended.signal,
  });
  const reconcile = share === undefined ? reconcileAny : withinShare(reconcileAny, share);
  const workers = parts.workers ?? options.workers ?? defaultWorkers;
  const measured = createReconcileMetrics({ metrics, controller: name, workers });
  // Tells the runs of this process from those of the one before.
  const idPrefix = `${Math.floor(random() * 36 ** 6).toString(36)}-`;
  return {
    name,
    queue,
    underWay: () => runs.list(monotonicNow(clock)),
    health: () =>
      controllerHealth({
        kind: kind.kind,
        workers,
        queue,
        runs,
        // What was handed over is held by another replica, if at all.
        held: [...guard.held(), ...fighting.list()].filter(({ key }) => share?.owns(key) !== false),
        failures,
        clock,
      }),
    run: () => {
      sources.add(follow());
      sources.add(followAvailability());
      for (const source of options.sources ?? []) sources.add(source.start((key) => wake(formatKey(key))));
      return startWorkers({
        queue,
        workers,
        reconcile: traceReconciles(traced, reconcile),
        metrics: measured,
        gate: guard,
        runs,
        onEnded: (key) => echoes.ended(key),
        failures,
        idPrefix,
        clock,
        log,
        signal: abort.signal,
      }).finally(() => ended.abort());
    },
    drain: async () => {
      sources.unsubscribe();
      await queue.shutDown();
    },
    abort: () => {
      sources.unsubscribe();
      abort.abort(new Error("the controller stops"));
      void queue.shutDown();
    },
  };
}

/** Runs only what is in the share, and keeps it there until the run has ended or was aborted. */
function withinShare(reconcile: ClientReconcileFunction, share: KeyShare): ReconcileFunction {
  return async (item, run) => {
    const shared = share.enter(item.key);
    // Another process's by now, and queued there.
    if (shared === undefined) return { kind: "settled" };
    const { lifetime } = run;
    const leave = (): void => shared.leave();
    if (lifetime.over === undefined) lifetime.listen(leave);
    try {
      return await reconcile(item, run, shared.client);
    } finally {
      lifetime.unlisten(leave);
      leave();
    }
  };
}
