// The cached reads of one controller: only types it declared, only namespaces it serves.
// A read outside of that is an error, never a hidden cluster-wide watch.
import { controllerOf } from "../../meta/controller-reference.ts";
import { unavailableError } from "../../cache/availability.ts";
import type { Informer, SharedCache } from "../../cache/informer.ts";
import { isMetadataOnly } from "../../meta/metadata-only.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ListQuery } from "../../reconcile/hook-context.ts";
import type { ClusterReader } from "../../reconcile/resources/resource-scope.ts";
import type { SecretValues } from "../../reconcile/secrets/secret-values.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import { apiVersionOf, typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import { OperatorError } from "../../ports/operator-error.ts";

/** The index of every declared type: objects by the uid of the controller that owns them. */
export const controllerIndex = "controller-uid";

/** Cached reads within a declared scope. */
export interface ScopedReader {
  /** The informers of a declared type: one, or one for each namespace. */
  informersOf<T extends KubeObject>(type: ResourceType<T>): readonly Informer<T>[];
  /** The informer that holds a key, also one of metadata only; for recording own writes. */
  informerOf<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): Informer<T>;
  lookUp<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
  /** Objects of a declared type in one namespace; all namespaces served without one. */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListQuery): readonly T[];
  /** Objects whose controller reference is to this object; one in a namespace controls nothing in another. */
  ownedBy<T extends KubeObject>(type: ResourceType<T>, owner: KubeObject): readonly T[];
  /** Whether a key of a declared type can be read: the API server serves it, also to this operator. */
  isAvailable(type: ResourceType, key: ObjectKey): boolean;
  /** Whether a key is in the cache's reach: its type was declared, and its namespace is served. */
  holds(type: ResourceType, key: ObjectKey): boolean;
}

/** Options of {@link createScopedReader}. */
export interface ScopedReaderOptions {
  readonly cache: SharedCache;
  /** Namespaces served; empty: all. */
  readonly namespaces: readonly string[];
  /** Types that may be read. */
  readonly types: readonly ResourceType[];
}

/** What is cached of one declared type. */
interface CachedType {
  /** One, or one for each namespace. */
  readonly informers: readonly Informer<KubeObject>[];
  /** The one that holds every key. */
  readonly only: Informer<KubeObject> | undefined;
  /** Held as metadata: it cannot be read whole. */
  readonly isPartial: boolean;
}

/** Creates the reader; asks the cache for the informers at once, so that they start and sync with it. */
export function createScopedReader(options: ScopedReaderOptions): ScopedReader {
  const { cache } = options;
  // A namespace that was named twice must not be counted twice.
  const namespaces = [...new Set(options.namespaces)];
  const declared = new Map<string, CachedType>();
  /** The same, by the very objects that stand for the types: most reads name the one that was declared. */
  const known = new WeakMap<ResourceType, CachedType>();
  for (const type of options.types) {
    if (declared.has(typeKeyOf(type))) continue;
    const scopes =
      type.namespaced && namespaces.length > 0 ? namespaces.map((namespace) => ({ namespace })) : [{}];
    const informers = scopes.map((scope) => cache.informer(type, scope));
    for (const informer of informers) informer.addIndex(controllerIndex, controllerUids);
    const isPartial = informers.some((informer) => isMetadataOnly(informer.type));
    const only = type.namespaced && namespaces.length > 0 ? undefined : informers[0];
    declared.set(typeKeyOf(type), { informers, only, isPartial });
  }

  function cachedOf(type: ResourceType): CachedType {
    const found = known.get(type) ?? declared.get(typeKeyOf(type));
    if (found !== undefined) {
      known.set(type, found);
      return found;
    }
    throw new OperatorError(
      "CACHE_UNDECLARED",
      `${type.kind} (${apiVersionOf(type)}) is read but not declared`,
      { remedy: `Add the type ${type.kind} to the controller's owns, reads or watches.` },
    );
  }

  /** For reads: what is held as metadata cannot be read whole. */
  function readableOf(type: ResourceType): CachedType {
    const found = cachedOf(type);
    if (!found.isPartial || isMetadataOnly(type)) return found;
    throw new OperatorError(
      "CACHE_METADATA_ONLY",
      `${type.kind} (${apiVersionOf(type)}) is cached as metadata only, but the whole object is read`,
      {
        remedy: `Read metadataOnly(${type.kind}), ask the server with client.get, or declare the whole type.`,
      },
    );
  }

  function informerIn<T extends KubeObject>(
    { only, informers }: CachedType,
    type: ResourceType<T>,
    key: ObjectKey,
  ): Informer<T> {
    const informer = only ?? informers[namespaces.indexOf(key.namespace ?? "")];
    if (informer !== undefined) return informer as Informer<T>;
    throw new OperatorError(
      "CACHE_UNDECLARED",
      `${type.kind} "${key.name}" is in namespace "${key.namespace}", which this operator does not serve`,
      {
        remedy: `It serves: ${namespaces.join(", ")}. Start it with that namespace, or with none to serve all.`,
      },
    );
  }

  const informersOf = <T extends KubeObject>(type: ResourceType<T>): readonly Informer<T>[] =>
    readableOf(type).informers as readonly Informer<T>[];

  function available<T extends KubeObject>(informer: Informer<T>): Informer<T> {
    const { type, unavailable } = informer;
    if (unavailable !== undefined) throw unavailableError(type, unavailable);
    return informer;
  }

  return {
    informersOf,
    informerOf: (type, key) => informerIn(cachedOf(type), type, key),
    lookUp: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) => {
      const cached = known.get(type) ?? cachedOf(type);
      if (cached.isPartial) readableOf(type);
      const informer = (cached.only as Informer<T> | undefined) ?? informerIn(cached, type, key);
      return available(informer).lister.get(key);
    },
    list: (type, options = {}) => {
      const { namespace } = options;
      const scope =
        type.namespaced && namespace !== undefined
          ? [informerIn(readableOf(type), type, { namespace, name: "" })]
          : informersOf(type);
      return scope.flatMap((informer) => available(informer).lister.list(options));
    },
    ownedBy: <T extends KubeObject>(type: ResourceType<T>, { metadata: { uid, namespace } }: KubeObject) => {
      const informers =
        type.namespaced && namespace !== undefined
          ? [informerIn(readableOf(type), type, { namespace, name: "" })]
          : informersOf(type);
      return informers.flatMap((informer) => {
        // Nothing of it can be there that could be read or deleted.
        if (informer.unavailable?.reason === "notServed") return [];
        return available(informer).lister.byIndex(controllerIndex, uid);
      });
    },
    isAvailable: (type, key) => informerIn(cachedOf(type), type, key).unavailable === undefined,
    holds: (type, { namespace = "" }) =>
      declared.has(typeKeyOf(type)) &&
      (!type.namespaced || namespaces.length === 0 || namespaces.includes(namespace)),
  };
}

function controllerUids(object: KubeObject): readonly string[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [owner.uid];
}

/** The cached reads of one run for `cr`; `read` receives each object that is handed out. */
export function readerOfRun(reader: ScopedReader, cr: KubeObject, read: SecretValues): ClusterReader {
  const noted = <T extends KubeObject>(objects: readonly T[]): readonly T[] => {
    for (const object of objects) read.note(object);
    return objects;
  };
  return {
    lookUp: (type, key) => {
      const object = reader.lookUp(type, key);
      read.note(object);
      return object;
    },
    list: (type, options) => noted(reader.list(type, { ...inNamespaceOf(cr), ...options })),
    owned: (type) => noted(reader.ownedBy(type, cr)),
  };
}

function inNamespaceOf({ metadata: { namespace } }: KubeObject): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
