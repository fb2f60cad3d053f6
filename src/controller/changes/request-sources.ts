// Where reconcile requests come from: changes of the custom resources themselves, of what they control, and of what the
// author watches. A change becomes a key and a cause; the object itself never travels.
import { controllerOf } from "../../meta/controller-reference.ts";
import { filter, from, map, merge, mergeMap, type Observable } from "rxjs";
import type { Change, Informer } from "../../cache/informer.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../meta/object-key.ts";
import { parseApiVersion, type ResourceType } from "../../meta/resource-type.ts";
import type { Cause } from "../../queue/cause.ts";
import { noteOf, type ChangeNote } from "./change-note.ts";
import { lowestPriority, startPriorityOf } from "./start-priority.ts";

/** A key to reconcile, and why. */
export interface ReconcileRequest {
  readonly key: string;
  readonly cause: Cause;
  readonly priority: number;
  /** What is remembered of the change until the key is reconciled. */
  readonly note: ChangeNote;
}

/** Options of {@link requestsFrom}. */
export interface RequestSources {
  readonly primary: readonly Informer<KubeObject>[];
  readonly primaryType: ResourceType;
  /** Changes of the custom resources that need no reconcile: those the controller itself has made. */
  readonly isOwn: (change: Change<KubeObject>) => boolean;
  /** Called when an author's `mapTo` throws or returns no keys; that change reconciles nothing, and the next one is looked at as usual. */
  readonly onMapError: (error: unknown, object: KubeObject) => void;
  readonly owned: readonly Informer<KubeObject>[];
  readonly watched: readonly {
    readonly informer: Informer<KubeObject>;
    readonly mapTo: (object: KubeObject) => readonly ObjectKey[];
  }[];
}

/** The requests that the sources' changes ask for. Hot; subscribe before the cache starts, or the initial list is missed. */
export function requestsFrom(sources: RequestSources): Observable<ReconcileRequest> {
  const { primary, primaryType, isOwn, onMapError, owned, watched } = sources;
  return merge(
    ...primary.map((informer) =>
      informer.changes$.pipe(
        filter((change) => !isOwn(change)),
        map((change) => toRequest(change, keyOf(change.object), noteOf(change, primaryType, true))),
      ),
    ),
    ...owned.map((informer) => mapped(informer, (object) => ownersOf(object, primaryType))),
    ...watched.map(({ informer, mapTo }) =>
      mapped(informer, (object) => {
        try {
          return checkedKeys(mapTo(object));
        } catch (error) {
          // An error in a stream ends it for good: one object would stop the whole controller.
          onMapError(error, object);
          return [];
        }
      }),
    ),
  );
}

/** Requests for the keys that a function finds in the new and in the old object: a lost owner must run as well. */
function mapped(
  informer: Informer<KubeObject>,
  keysOf: (object: KubeObject) => readonly ObjectKey[],
): Observable<ReconcileRequest> {
  return informer.changes$.pipe(
    mergeMap((change) => {
      const keys = new Map(keysOf(change.object).map((key) => [formatKey(key), key]));
      if (change.type === "modified") for (const key of keysOf(change.old)) keys.set(formatKey(key), key);
      if (keys.size === 0) return [];
      const note = noteOf(change, informer.type, false);
      return from([...keys.values()].map((key) => toRequest(change, key, note)));
    }),
  );
}

/** What `mapTo` has returned, if it is keys: nothing that has no name may get into the queue. Throws what is wrong. */
function checkedKeys(found: unknown): readonly ObjectKey[] {
  if (!Array.isArray(found)) throw new TypeError(`mapTo must return an array of keys, not ${nameOf(found)}`);
  for (const key of found as readonly unknown[]) {
    const { name, namespace } = (key ?? {}) as Readonly<Record<string, unknown>>;
    const isKey =
      typeof name === "string" && name !== "" && ["string", "undefined"].includes(typeof namespace);
    if (!isKey) throw new TypeError(`mapTo must return keys like { namespace, name }, not ${nameOf(key)}`);
  }
  return found as readonly ObjectKey[];
}

function nameOf(value: unknown): string {
  if (value instanceof Promise) return "a promise";
  if (typeof value !== "object" || value === null) return String(value);
  return `an object with the fields ${Object.keys(value).join(", ") || "(none)"}`;
}

/** The key of the custom resource that controls an object; none or one. */
export function ownersOf(object: KubeObject, type: ResourceType): readonly ObjectKey[] {
  const owner = controllerOf(object);
  if (owner?.kind !== type.kind || parseApiVersion(owner.apiVersion).group !== type.group) return [];
  const { namespace } = object.metadata;
  return type.namespaced && namespace !== undefined
    ? [{ namespace, name: owner.name }]
    : [{ name: owner.name }];
}

function toRequest(change: Change<KubeObject>, key: ObjectKey, note: ChangeNote): ReconcileRequest {
  const initial = change.type === "added" && change.initial;
  return {
    key: formatKey(key),
    priority: initial ? initialPriorityOf(change.object, note) : 0,
    note,
    cause: note.cause,
  };
}

function initialPriorityOf(object: KubeObject, { change }: ChangeNote): number {
  return change === undefined ? lowestPriority : startPriorityOf(object);
}
