// The shape that every Kubernetes object has, as the server returns it and as we send it.
// The client parses at its edge, so that above it `name`, `uid` and `resourceVersion` are always there.

/** A value that survives JSON unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A link from a dependent to one of its owners; the garbage collector follows it. */
export interface OwnerReference {
  /** `group/version` of the owner. */
  readonly apiVersion: string;
  /** The owner's kind. */
  readonly kind: string;
  /** The owner's name, in the same namespace or in none. */
  readonly name: string;
  /** Which object of that name; another one of the same name is no owner. */
  readonly uid: string;
  /** True on the one reference whose owner manages the object. */
  readonly controller?: boolean;
  /** True when a foreground deletion of the owner waits for this dependent. */
  readonly blockOwnerDeletion?: boolean;
}

/** One instance as we declare it: the intent that is sent to the server. */
export interface Manifest {
  /** `group/version`, or the version alone in the core group: `apps/v1`, `v1`. */
  readonly apiVersion: string;
  /** As in manifests: `Deployment`. */
  readonly kind: string;
  /** What it may hold before the server has seen it. */
  readonly metadata: {
    /** Unique among the objects of its type in a namespace. */
    readonly name: string;
    /** Absent for objects that live in none. */
    readonly namespace?: string;
    /** What selectors find it by. */
    readonly labels?: Readonly<Record<string, string>>;
    /** Notes of tools; at most 256 KiB together. */
    readonly annotations?: Readonly<Record<string, string>>;
    /** Who has to agree before it goes. */
    readonly finalizers?: readonly string[];
    /** With whom it is deleted. */
    readonly ownerReferences?: readonly OwnerReference[];
    /** Set where only one particular object is meant. */
    readonly uid?: string;
    /** Set where only one version of it is meant: another one is a conflict. */
    readonly resourceVersion?: string;
  };
}

/** A manifest's `metadata`. */
export type ManifestMeta = Manifest["metadata"];

/** An object's `metadata` as the server returns it. */
export interface ObjectMeta extends ManifestMeta {
  /** Given by the server; no two objects ever have the same. */
  readonly uid: string;
  /** Given by the server at each write; to be compared for equality. */
  readonly resourceVersion: string;
  /** The beginning of a name that the server has completed. */
  readonly generateName?: string;
  /** The server's count of changes to the spec; absent on kinds that do not count. */
  readonly generation?: number;
  /** RFC 3339, UTC. */
  readonly creationTimestamp: string;
  /** Set once deletion was asked for: the object is gone when its last finalizer is. */
  readonly deletionTimestamp?: string;
  /** Seconds that it may take to go, while it is being deleted. */
  readonly deletionGracePeriodSeconds?: number;
  /** Which manager owns which fields. */
  readonly managedFields?: readonly {
    /** Who has set the fields. */
    readonly manager?: string;
    /** By server-side apply, or by any other write. */
    readonly operation?: "Apply" | "Update";
    /** The version in which the fields are named. */
    readonly apiVersion?: string;
    /** When a field was last added: RFC 3339. */
    readonly time?: string;
    /** The form of `fieldsV1`. */
    readonly fieldsType?: "FieldsV1";
    /** The fields, as a tree of `f:name` and `k:{keys}`. */
    readonly fieldsV1?: Readonly<Record<string, unknown>>;
    /** The subresource by which they were set. */
    readonly subresource?: string;
  }[];
}

/** One entry of `metadata.managedFields`. */
export type ManagedFieldsEntry = Required<ObjectMeta>["managedFields"][number];

/** One instance as the server returns it. */
export interface KubeObject {
  /** `group/version`, or the version alone in the core group. */
  readonly apiVersion: string;
  /** As in manifests: `Deployment`. */
  readonly kind: string;
  /** Its name, labels, owners, and what the server keeps of it. */
  readonly metadata: ObjectMeta;
}

/** An instance of a namespaced type. */
export interface NamespacedObject extends KubeObject {
  /** With a namespace. */
  readonly metadata: ObjectMeta & { readonly namespace: string };
}

/** An instance of a cluster-scoped type. */
export interface ClusterObject extends KubeObject {
  /** Without a namespace. */
  readonly metadata: ObjectMeta & { readonly namespace?: never };
}

/** A {@link Manifest} that may be written where it is used, with whatever fields its kind has. */
export type AnyManifest = Manifest | (Manifest & { readonly [field: string]: unknown });

/** A {@link KubeObject} whose other fields are read by name. */
export type AnyObject = KubeObject & { readonly [field: string]: unknown };

/** The manifest of an object type: the same fields, with only the metadata that an author writes. */
export type ManifestOf<TObject extends KubeObject> = Omit<TObject, "metadata" | "status"> & {
  /** Its name, and what else of `metadata` is declared. */
  readonly metadata: ManifestMeta;
};
