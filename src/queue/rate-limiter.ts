// How long a key waits after a failure: doubling per failure in a row, with jitter, forgotten on success.
import { backoffDelay, upperHalf } from "../ports/backoff.ts";
import type { Random } from "../ports/random.ts";

/** Bounds of the backoff, in milliseconds. */
export interface BackoffOptions {
  /** Delay after the first failure; default 5. */
  readonly base?: number;
  /** Longest delay; default 1,000,000 (about 17 minutes). */
  readonly max?: number;
}

/** Counts failures per key. */
export interface RateLimiter {
  /**
   * Counts a failure at `now`, in monotonic milliseconds, and returns the milliseconds to wait.
   * A failure before the instant of the last wait belongs to the same attempt (something else brought the key back
   * early): it is not counted, and what is left of that wait is returned, so that unrelated changes do not use up a
   * key's schedule. A failure whose wait would be longer than `longest` milliseconds waits that long, and counts no further.
   */
  failed(key: string, now: number, longest?: number): number;
  /** Failures in a row. */
  failures(key: string): number;
  forget(key: string): void;
  clear(): void;
}

/** A {@link RateLimiter} with equal jitter: half of the delay is fixed, half is random. */
export function createRateLimiter(random: Random, options: BackoffOptions = {}): RateLimiter {
  const { base = 5, max = 1_000_000 } = options;
  const backoff = { first: base, longest: max, jitter: upperHalf };
  const records = new Map<string, { readonly failures: number; readonly retryAt: number }>();
  return {
    failed(key, now, longest) {
      const before = records.get(key);
      if (before !== undefined && now < before.retryAt) return before.retryAt - now;
      const known = before?.failures ?? 0;
      const isCapped = longest !== undefined && known > 0 && base * 2 ** known > longest;
      const failures = isCapped ? known : known + 1;
      const bounded = { ...backoff, longest: Math.min(max, longest ?? max) };
      const delay = backoffDelay(bounded, failures, random);
      records.set(key, { failures, retryAt: now + delay });
      return delay;
    },
    failures: (key) => records.get(key)?.failures ?? 0,
    forget: (key) => void records.delete(key),
    clear: () => records.clear(),
  };
}
