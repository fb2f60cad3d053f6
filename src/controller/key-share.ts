// The part of a kind's keys that this process may reconcile, when several processes share them. Implemented by
// src/manager; asked by the controller before it queues a key, and entered for each run.
import type { KubeClient } from "../client/kube-client.ts";

/** One run within the share. */
export interface SharedRun {
  /** Writes only while the key is this process's and the run goes on. */
  readonly client: KubeClient;
  /** Ends it: from then on the key may be handed over. Idempotent. */
  leave(): void;
}

/** A share of the keys of one kind; it changes as processes come and go. Keys are `namespace/name`. */
export interface KeyShare {
  /** Whether a key is to be reconciled here now. */
  owns(key: string): boolean;
  /** Begins a run; undefined when the key is not, or no longer, to be reconciled here. */
  enter(key: string): SharedRun | undefined;
  /** Calls back whenever keys have come to this process, with what tells which. */
  onGained(listener: (isGained: (key: string) => boolean) => void): void;
}
