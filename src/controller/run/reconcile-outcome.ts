// What a reconcile comes to, as the queue and the metrics are told.

/** How one reconcile ended. Delays are milliseconds. */
export type ReconcileOutcome =
  /** Nothing is wrong; look again after a delay, if one is given. */
  | { readonly kind: "settled"; readonly requeueAfter?: number }
  /** An error; without a delay the key's backoff decides. */
  | { readonly kind: "failed"; readonly error: unknown; readonly requeueAfter?: number }
  /** Retrying is useless until something changes; looked at again on a slow timer. */
  | { readonly kind: "gaveUp"; readonly reason?: string; readonly requeueAfter: number };
