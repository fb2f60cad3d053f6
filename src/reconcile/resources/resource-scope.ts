// What a Kubernetes resource is given when it becomes part of a run: whom it belongs to, how it reads and writes.
import type { KubeClient, RequestOptions } from "../../client/kube-client.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ListQuery } from "../hook-context.ts";
import type { ReconcileMemory } from "../reconcile-memory.ts";
import type { SeenWrites } from "../seen-writes.ts";

/** Records something about the custom resource for people. Never throws, never waits. */
export interface EventSink {
  record(type: "Normal" | "Warning", reason: string, message: string): void;
}

/** A sink that drops everything. */
export const silentEvents: EventSink = { record: () => undefined };

/** Looks up the API type of a manifest; undefined when it is not known. */
export type TypeOf = (apiVersion: string, kind: string) => ResourceType | undefined;

/** Cached reads, which see what was written by the run's client. */
export interface ClusterReader {
  /** One object from the cache. Errors: `CACHE_UNDECLARED` for a type that is not cached. */
  readonly lookUp: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) => T | undefined;
  /** Objects of a type from the cache; in the custom resource's namespace unless another is named. */
  readonly list: <T extends KubeObject>(type: ResourceType<T>, options?: ListQuery) => readonly T[];
  /** The objects of a type that the custom resource controls, from the cache. */
  readonly owned: <T extends KubeObject>(type: ResourceType<T>) => readonly T[];
}

/** What a resource is given in a run. */
export interface ResourceScope<TCR extends KubeObject = KubeObject> {
  readonly cr: TCR;
  readonly crType: ResourceType<TCR>;
  readonly client: KubeClient;
  readonly reader: ClusterReader;
  readonly typeOf: TypeOf;
  /** Whether a change of a child of this type causes a run. */
  readonly isWatched: (type: ResourceType) => boolean;
  readonly fieldManager: string;
  /** Names that the operator had before; default none. */
  readonly formerManagers?: readonly string[];
  readonly memory: ReconcileMemory;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /**
   * Over when the signal is aborted: for requests that need no signal of their own. Default they go by the signal.
   *
   * @internal
   */
  readonly until?: RequestOptions["until"];
  /** Called with each write request that was sent. */
  readonly countWrite: () => void;
  /** Takes note of what the run has written; default nothing is noted. */
  readonly seen?: Pick<SeenWrites, "noteWrite"> | undefined;
}
