// Follows objects of one kind and the Events about them by two list-watches, and hands out each version once.
import { createInformer } from "../../cache/list-watch-informer.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { ObjectEvent } from "../../explain/explanation.ts";
import type { AnyObject } from "../../meta/object.ts";
import { formatKey, type ObjectKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { Clock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import { CoreEvent, toEvent } from "../explain/read-surroundings.ts";

/** Options of {@link followObjects}. */
export interface FollowOptions {
  readonly client: KubeClient;
  readonly type: ResourceType<AnyObject>;
  /** Absent: of all namespaces, or the kind has none. */
  readonly namespace?: string | undefined;
  /** Absent: all objects. */
  readonly name?: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the following. */
  readonly signal: AbortSignal;
}

/** One version of an object. */
export interface FollowedVersion {
  /** As `namespace/name`. */
  readonly key: string;
  /** The last known one of an object that is gone. */
  readonly object: AnyObject;
  readonly isGone: boolean;
}

/** Objects that are followed. */
export interface FollowedObjects {
  /**
   * The versions that have come since the last call, the oldest first. When there is none: waits for one, for a change of
   * their Events, or so many milliseconds.
   */
  next(milliseconds: number): Promise<readonly FollowedVersion[]>;
  /** The Events about one of them, as far as they may be read. */
  eventsOf(object: AnyObject): readonly ObjectEvent[];
  /** Whether all that there are have been handed out. */
  readonly hasSynced: boolean;
  /** Why nothing can be heard of them, while nothing can. */
  readonly lost: string | undefined;
  /** Resolves when nothing is open any more. */
  readonly closed: Promise<unknown>;
}

/**
 * Starts to follow. A connection that breaks is made again; what has changed meanwhile is reported as one version.
 *
 * **RBAC**: `list`, `watch` on the kind and on events.
 */
export function followObjects(options: FollowOptions): FollowedObjects {
  const { client, type, namespace, name, clock, random, signal } = options;
  const common = { client, clock, random, log: silentLogger };
  const objects = createInformer({
    ...common,
    type,
    scope: {
      ...inNamespace(namespace),
      ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
    },
  });
  const about = `involvedObject.kind=${type.kind}`;
  const events = createInformer({
    ...common,
    type: CoreEvent,
    scope: {
      // Events about objects without a namespace are in this one.
      ...inNamespace(type.namespaced ? namespace : "default"),
      fieldSelector: name === undefined ? about : `${about},involvedObject.name=${name}`,
    },
  });
  let versions: FollowedVersion[] = [];
  let wake: () => void = () => undefined;
  objects.changes$.subscribe(({ type: change, object }) => {
    versions.push({ key: formatKey(object.metadata), object, isGone: change === "deleted" });
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
    eventsOf: ({ metadata }) =>
      events.hasSynced ? events.lister.list().filter(isAbout(metadata)).map(toEvent) : [],
    get hasSynced() {
      return objects.hasSynced && versions.length === 0;
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

function isAbout({ namespace, name }: ObjectKey): (event: AnyObject) => boolean {
  return (event) => {
    const involved = event["involvedObject"] as Partial<ObjectKey> | undefined;
    return involved?.name === name && (involved.namespace || undefined) === namespace;
  };
}

function inNamespace(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
