// Where reconcile requests come from: changes of the custom resources themselves, of what they control, and of what the
// author watches. A change becomes a key and a cause; the object itself never travels.
import { controllerOf } from "../../meta/controller-reference.ts";
import { Subscription } from "rxjs";
import type { Change, Informer } from "../../cache/informer.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, type ObjectKey } from "../../meta/object-key.ts";
import { parseApiVersion, type ResourceType } from "../../meta/resource-type.ts";
import { noteOf, type ChangeNote, type Relation } from "./change-note.ts";
import type { Echoes } from "./echoes.ts";
import type { OwnWrites } from "./own-writes.ts";

/** Takes a key that is to be reconciled, and what is remembered of the change until it is. */
export type RequestReconcile = (key: string, note: ChangeNote) => void;

/** Options of {@link followChanges}. */
export interface RequestSources {
  readonly primary: readonly Informer<KubeObject>[];
  readonly primaryType: ResourceType;
  /** Tells which changes of the custom resources need no reconcile, as the controller itself has made them. */
  readonly ownWrites: Pick<OwnWrites, "explains">;
  /** Which changes of children need none, or none before the run that is under way has ended. */
  readonly echoes: Pick<Echoes, "covers">;
  /** Called when an author's `mapTo` throws or returns no keys; that change reconciles nothing, and the next one is looked at as usual. */
  readonly onMapError: (error: unknown, object: KubeObject) => void;
  readonly owned: readonly Informer<KubeObject>[];
  readonly watched: readonly {
    readonly informer: Informer<KubeObject>;
    readonly mapTo: (object: KubeObject) => readonly ObjectKey[];
  }[];
}

/**
 * Requests every custom resource in the cache, as of an initial list, and what the changes ask for from then on, until it is
 * unsubscribed. Nothing is kept of what changed before it was called.
 */
export function followChanges(sources: RequestSources, request: RequestReconcile): Subscription {
  const { primary, primaryType, ownWrites, echoes, onMapError, owned, watched } = sources;
  const followed = new Subscription();

  function ofResources({ changes$, hasSynced, lister }: Informer<KubeObject>): void {
    const ask = (change: Change<KubeObject>): void =>
      request(formatKey(change.object.metadata), noteOf(change, primaryType, "itself"));
    const subscription = changes$.subscribe((change) => {
      if (!ownWrites.explains(change)) ask(change);
    });
    followed.add(subscription);
    if (!hasSynced) return;
    for (const object of lister.list()) ask({ type: "added", object, initial: true });
  }

  /** Those of the keys that a function finds in the new and in the old object: a lost owner must run as well. */
  function ofOthers(
    { type, changes$ }: Informer<KubeObject>,
    relation: Relation,
    keysOf: (object: KubeObject) => readonly ObjectKey[],
  ): void {
    const subscription = changes$.subscribe((change) => {
      const keys = new Set(keysOf(change.object).map(formatKey));
      if (change.type === "modified") for (const key of keysOf(change.old)) keys.add(formatKey(key));
      let note: ChangeNote | undefined;
      for (const key of keys) {
        const ask = (): void => request(key, (note ??= noteOf(change, type, relation)));
        if (relation !== "child" || !echoes.covers(key, change, ask)) ask();
      }
    });
    followed.add(subscription);
  }

  for (const informer of primary) ofResources(informer);
  for (const informer of owned) ofOthers(informer, "child", (object) => ownersOf(object, primaryType));
  for (const { informer, mapTo } of watched) {
    ofOthers(informer, "other", (object) => {
      try {
        return checkedKeys(mapTo(object));
      } catch (error) {
        onMapError(error, object);
        return [];
      }
    });
  }
  return followed;
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
