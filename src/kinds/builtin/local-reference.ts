// The small references by which Kubernetes' own types name each other.

/** Names an object of a fixed kind in the same namespace. */
export interface LocalObjectReference {
  readonly name: string;
}

/** Names any object. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Names an object of any kind in the same namespace. */
export interface TypedLocalObjectReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}
