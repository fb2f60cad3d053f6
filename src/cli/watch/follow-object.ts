// Follows one object and the Events about it by two list-watches, and hands out each version once.
import { createInformer } from "../../cache/list-watch-informer.ts";
import type { ObjectEvent } from "../../explain/explanation.ts";
import type { AnyObject } from "../../meta/object.ts";
import type { Clock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import type { ClusterObject } from "../cluster-object.ts";
import { CoreEvent, toEvent } from "../explain/read-surroundings.ts";

/** Options of {@link followObject}. */
export interface FollowOptions {
  readonly target: ClusterObject;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the following. */
  readonly signal: AbortSignal;
}

/** An object that is followed. */
export interface FollowedObject {
  /**
   * The versions that have come since the last call, the oldest first; undefined for its end. When there is none: waits for
   * one, for a change of its Events, or so many milliseconds.
   */
  next(milliseconds: number): Promise<readonly (AnyObject | undefined)[]>;
  /** The Events about it, as far as they may be read. */
  readonly events: readonly ObjectEvent[];
  /** Why nothing can be heard of it, while nothing can. */
  readonly lost: string | undefined;
  /** Resolves when nothing is open any more. */
  readonly closed: Promise<unknown>;
}

/**
 * Starts to follow. A connection that breaks is made again; what has changed meanwhile is reported as one version.
 *
 * **RBAC**: `list`, `watch` on the kind and on events.
 */
export function followObject({ target, clock, random, signal }: FollowOptions): FollowedObject {
  const { client, type, key } = target;
  const common = { client, clock, random, log: silentLogger };
  const objects = createInformer({
    ...common,
    type,
    scope: { ...inNamespace(key.namespace), fieldSelector: `metadata.name=${key.name}` },
  });
  const events = createInformer({
    ...common,
    type: CoreEvent,
    scope: {
      // Events about objects without a namespace are in this one.
      namespace: key.namespace ?? "default",
      fieldSelector: `involvedObject.kind=${type.kind},involvedObject.name=${key.name}`,
    },
  });
  let versions: (AnyObject | undefined)[] = [];
  let wake: () => void = () => undefined;
  objects.changes$.subscribe((change) => {
    versions.push(change.type === "deleted" ? undefined : change.object);
    wake();
  });
  events.changes$.subscribe(() => wake());
  return {
    async next(milliseconds) {
      if (versions.length === 0) await wait(milliseconds);
      const those = versions;
      versions = [];
      return those;
    },
    get events() {
      return events.hasSynced ? events.lister.list().map(toEvent) : [];
    },
    get lost() {
      const { lastError, state } = objects.health;
      return state === "watching" ? undefined : lastError;
    },
    closed: Promise.all([objects.start(signal), events.start(signal)]),
  };

  function wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clock.clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        wake = () => undefined;
        resolve();
      };
      const timer = clock.setTimeout(finish, signal.aborted ? 0 : milliseconds);
      signal.addEventListener("abort", finish, { once: true });
      wake = finish;
    });
  }
}

function inNamespace(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
