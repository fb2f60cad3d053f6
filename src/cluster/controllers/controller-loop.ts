// The loop that every built-in controller is: a change in the cache gives keys, the queue merges them, and a worker
// reconciles one key at a time from what the cache holds now.
import type { Subscription } from "rxjs";
import type { Change, Informer } from "../../cache/informer.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../client/api-error.ts";
import type { KubeObject } from "../../meta/object.ts";
import { messageOf } from "../../ports/operator-error.ts";
import { createWorkQueue } from "../../queue/keyed-work-queue.ts";
import type { AddOptions, WorkItem, WorkQueue } from "../../queue/work-queue.ts";
import type { ControllerContext } from "./controller-context.ts";

/** Where keys come from. */
export interface ControllerSource {
  /** Calls `add` for the keys of what there is, then of each change; called after every source of the controller has synced. */
  subscribe(add: (key: string) => void): Subscription;
  whenSynced(signal: AbortSignal): Promise<void>;
}

/** What a reconcile wants besides having been called. */
export interface ReconcileOutcome {
  /** Milliseconds after which the key is looked at again even when nothing changes. */
  readonly requeueAfter?: number;
}

/** One controller. */
export interface ControllerDefinition {
  readonly name: string;
  readonly sources: readonly ControllerSource[];
  /** Brings the cluster in line with one key; must be safe to call at any time, any number of times. */
  reconcile(key: string): Promise<ReconcileOutcome | undefined>;
  /** Keys of a higher priority are reconciled before others that wait; default none has any. */
  priorityOf?(key: string): number;
  /** Keys reconciled at once; default 4. */
  readonly workers?: number;
}

/** A controller that runs. */
export interface RunningController {
  /** Adds a key from outside. */
  add(key: string): void;
  /** Resolves when no reconcile is under way any more. */
  stop(): Promise<void>;
}

/** Keys from every change of a type that matters; of a modified object the old state counts as well. */
export function fromInformer<T extends KubeObject>(
  informer: Informer<T>,
  keysOf: (object: T) => readonly string[],
  matters: (change: Change<T>) => boolean = () => true,
): ControllerSource {
  return {
    subscribe(add) {
      const subscription = informer.changes$.subscribe((change) => {
        if (!matters(change)) return;
        const keys = new Set(keysOf(change.object));
        if (change.type === "modified") for (const key of keysOf(change.old)) keys.add(key);
        for (const key of keys) add(key);
      });
      for (const object of informer.lister.list()) for (const key of keysOf(object)) add(key);
      return subscription;
    },
    whenSynced: (signal) => informer.whenSynced(signal),
  };
}

/** Longest wait between two attempts of a key that fails, in milliseconds. */
const longestBackoff = 30_000;

/** Starts a controller; its workers begin once every source has synced. */
export function runController(
  definition: ControllerDefinition,
  context: ControllerContext,
): RunningController {
  const { clock, random, signal } = context;
  const log = context.log.child({ controller: definition.name });
  const queue = createWorkQueue({ clock, random, backoff: { max: longestBackoff } });
  const subscriptions: Subscription[] = [];
  const add = (key: string): void => queue.add(key, orderOf(definition, key));

  async function work(): Promise<void> {
    for (let item = await queue.take(signal); item !== undefined; item = await queue.take(signal)) {
      await reconcileItem(item, definition, queue, log, signal);
    }
  }

  const workers = (async () => {
    await Promise.all(definition.sources.map((source) => source.whenSynced(signal)));
    // Only now: what keys a change has may depend on any of the caches.
    for (const source of definition.sources) subscriptions.push(source.subscribe(add));
    await Promise.all(Array.from({ length: definition.workers ?? 4 }, work));
  })().catch((error: unknown) => {
    // Stopping before the caches have synced rejects with the signal's reason; anything else must be seen.
    if (!signal.aborted) log.error({ error: messageOf(error) }, "controller stopped");
  });

  return {
    add,
    async stop() {
      for (const subscription of subscriptions) subscription.unsubscribe();
      await queue.shutDown();
      await workers;
    },
  };
}

function orderOf(definition: ControllerDefinition, key: string): AddOptions {
  return definition.priorityOf === undefined ? {} : { priority: definition.priorityOf(key) };
}

async function reconcileItem(
  item: WorkItem,
  definition: ControllerDefinition,
  queue: WorkQueue,
  log: ControllerContext["log"],
  signal: AbortSignal,
): Promise<void> {
  const { key } = item;
  try {
    const outcome = await definition.reconcile(key);
    queue.forget(key);
    if (outcome?.requeueAfter !== undefined)
      queue.addAfter(key, Math.max(1, outcome.requeueAfter), orderOf(definition, key));
  } catch (error) {
    if (!signal.aborted) {
      // Another writer was faster: the next attempt sees what it has done.
      const expected = isConflict(error) || isNotFound(error) || isAlreadyExists(error);
      const fields = { object: key, error: messageOf(error), failures: item.failures + 1 };
      if (expected) log.debug(fields, "reconcile is repeated");
      else log.warn(fields, "reconcile failed");
      queue.addRateLimited(key, orderOf(definition, key));
    }
  } finally {
    queue.done(key);
  }
}
