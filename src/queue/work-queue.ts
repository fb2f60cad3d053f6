// The contract of the keyed work queue; implemented by keyed-work-queue.ts. Knows keys, not Kubernetes.
import type { Cause } from "./cause.ts";

/** What a worker takes out of the queue. */
export interface WorkItem {
  readonly key: string;
  readonly causes: readonly Cause[];
  /** Causes that were left out because there were more than `maxCauses`. */
  readonly moreCauses: number;
  /** Failures in a row so far; 0 for a first attempt. */
  readonly failures: number;
  /** Milliseconds for which the key was ready before it was taken. */
  readonly waited: number;
}

/** Options of adding a key. */
export interface AddOptions {
  readonly cause?: Cause;
  /** Higher is served first; default 0; the initial list adds with -100. */
  readonly priority?: number;
}

/** Options of adding a key after a failure. */
export interface RateLimitedOptions extends AddOptions {
  /** Longest delay, in milliseconds, for a failure that says nothing about the key; default: that of the backoff. */
  readonly longest?: number;
}

/**
 * A queue of keys in which one key is never handed out twice at once.
 *
 * **Guarantees**: a key added while it waits is merged (causes united, higher priority and earlier instant win);
 * a key added while it is processed comes again after {@link done}; nothing added is lost before shutdown; a key that
 * has waited long gets a share of the turns whatever its priority.
 */
export interface WorkQueue {
  /** Adds at once. */
  add(key: string, options?: AddOptions): void;
  /** Adds after a delay; an earlier instant for the same key wins. */
  addAfter(key: string, milliseconds: number, options?: AddOptions): void;
  /**
   * Counts a failure and adds after this key's backoff; the delay in milliseconds.
   * A failure before the instant of the last backoff (another change brought the key back early) is not counted again:
   * the key comes at the instant it had.
   */
  addRateLimited(key: string, options?: RateLimitedOptions): number;
  /** Forgets the key's failures. */
  forget(key: string): void;
  /**
   * The next key, when there is one; undefined once the queue is shut down, or when the signal is aborted first.
   * Every key taken must be given back with {@link done}.
   */
  take(signal?: AbortSignal): Promise<WorkItem | undefined>;
  /** Ends the processing of a key taken; a no-op for any other. */
  done(key: string): void;
  /** Refuses further keys and drops those that wait; resolves when every taken key is done. */
  shutDown(): Promise<void>;
  /** Keys ready to be taken. */
  readonly depth: number;
  /** Keys that wait for an instant. */
  readonly delayed: number;
  /** Keys handed out and not done. */
  readonly processing: number;
}
