// How many different events one object may produce: a hot loop with ever new notes must not flood the API server.

const burst = 25;
const refill = 60_000;

/** A token bucket per object: 25 events at once, then one a minute; bounded in the number of objects. */
export class EventBudget {
  readonly #buckets = new Map<string, { tokens: number; since: number }>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Takes one event off the object's budget, at a monotonic instant; false when it is used up. */
  take(subject: string, now: number): boolean {
    const bucket = this.#buckets.get(subject) ?? { tokens: burst, since: now };
    const earned = Math.floor((now - bucket.since) / refill);
    const tokens = Math.min(burst, bucket.tokens + earned);
    const since = tokens === burst ? now : bucket.since + earned * refill;
    const granted = tokens > 0;
    this.#buckets.delete(subject);
    this.#buckets.set(subject, { tokens: granted ? tokens - 1 : tokens, since });
    if (this.#buckets.size > this.#capacity) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return granted;
  }
}
