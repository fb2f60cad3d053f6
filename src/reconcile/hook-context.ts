// What every hook of an author is given: the custom resource, cached reads, and the ports.
import type { KubeClient } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";

/** What every hook is given. */
export interface HookContext<TCR extends KubeObject> {
  /** The custom resource as the cache has it; frozen. */
  readonly cr: TCR;
  /** Reads one object of a declared type from the cache. Errors: `CACHE_UNDECLARED` for a type not in `owns` or `reads`. */
  readonly lookUp: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) => T | undefined;
  /**
   * The objects of a declared type in a namespace (default the custom resource's own), from the cache; all of them, or
   * those with these labels. Errors: `CACHE_UNDECLARED`.
   */
  readonly list: <T extends KubeObject>(
    type: ResourceType<T>,
    options?: { readonly namespace?: string; readonly matchLabels?: Readonly<Record<string, string>> },
  ) => readonly T[];
  /** The objects of a declared type that the custom resource controls, from the cache. */
  readonly owned: <T extends KubeObject>(type: ResourceType<T>) => readonly T[];
  /**
   * Talks to the API server directly; for what is not cached. What is written through it shows in cached reads at once.
   * It works while the reconcile lasts: afterwards, or when that was aborted, requests fail with the signal's reason.
   */
  readonly client: KubeClient;
  /** The time; a virtual one in tests. */
  readonly clock: Clock;
  /** Logs with the kind, the object and the reconcile in each line. */
  readonly log: Logger;
  /** Aborted when the reconcile is over or the process stops. */
  readonly signal: AbortSignal;
}

/** Options of {@link HookContext.list}. */
export type ListQuery = NonNullable<Parameters<HookContext<KubeObject>["list"]>[1]>;
