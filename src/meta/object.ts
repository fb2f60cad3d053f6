// The shape that every Kubernetes object has, as the server returns it and as we send it.
// The client parses at its edge, so that above it `name`, `uid` and `resourceVersion` are always there.

/** A value that survives JSON unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A link from a dependent to one of its owners; the garbage collector follows it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** True on the one reference whose owner manages the object. */
  readonly controller?: boolean;
  /** True when a foreground deletion of the owner waits for this dependent. */
  readonly blockOwnerDeletion?: boolean;
}

/** One instance as we declare it: the intent that is sent to the server. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  /** What it may hold before the server has seen it. */
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

/** A manifest's `metadata`. */
export type ManifestMeta = Manifest["metadata"];

/** An object's `metadata` as the server returns it. */
export interface ObjectMeta extends ManifestMeta {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generateName?: string;
  /** The server's count of changes to the spec; absent on kinds that do not count. */
  readonly generation?: number;
  /** RFC 3339, UTC. */
  readonly creationTimestamp: string;
  /** Set once deletion was asked for: the object is gone when its last finalizer is. */
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  /** Which manager owns which fields. */
  readonly managedFields?: readonly {
    readonly manager?: string;
    readonly operation?: "Apply" | "Update";
    readonly apiVersion?: string;
    readonly time?: string;
    readonly fieldsType?: "FieldsV1";
    readonly fieldsV1?: Readonly<Record<string, unknown>>;
    readonly subresource?: string;
  }[];
}

/** One entry of `metadata.managedFields`. */
export type ManagedFieldsEntry = Required<ObjectMeta>["managedFields"][number];

/** One instance as the server returns it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An instance of a namespaced type. */
export interface NamespacedObject extends KubeObject {
  readonly metadata: ObjectMeta & { readonly namespace: string };
}

/** An instance of a cluster-scoped type. */
export interface ClusterObject extends KubeObject {
  readonly metadata: ObjectMeta & { readonly namespace?: never };
}

/** A {@link Manifest} that may be written where it is used, with whatever fields its kind has. */
export type AnyManifest = Manifest | (Manifest & { readonly [field: string]: unknown });

/** A {@link KubeObject} whose other fields are read by name. */
export type AnyObject = KubeObject & { readonly [field: string]: unknown };

/** The manifest of an object type: the same fields, with only the metadata that an author writes. */
export type ManifestOf<TObject extends KubeObject> = Omit<TObject, "metadata" | "status"> & {
  readonly metadata: ManifestMeta;
};
