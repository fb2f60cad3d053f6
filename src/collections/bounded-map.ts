// A map that forgets its oldest entries, for memory that may be lost at any time without harm.

/** A map of at most `limit` entries: setting one more forgets the one that was set longest ago. */
export class BoundedMap<TKey, TValue> {
  readonly #entries = new Map<TKey, TValue>();
  readonly #limit: number;
  /**
   * Stands at the oldest entry: whatever it has passed was forgotten. One that began again each time would pass the places of
   * all that were forgotten before.
   */
  #oldest: IterableIterator<TKey> | undefined;
  /** Changes since that iterator has moved. */
  #changes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: TKey): TValue | undefined {
    return this.#entries.get(key);
  }

  set(key: TKey, value: TValue): void {
    // Deleted first, because a Map keeps the place of a key that is set again.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return this.#changed();
    this.#changes = 0;
    this.#oldest ??= this.#entries.keys();
    const oldest = this.#oldest.next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }

  delete(key: TKey): void {
    this.#entries.delete(key);
    this.#changed();
  }

  /** All values, the one that was set longest ago first. */
  values(): TValue[] {
    return [...this.#entries.values()];
  }

  get size(): number {
    return this.#entries.size;
  }

  /** An iterator that rests holds every table that V8 has replaced by another one since: it is let go in time. */
  #changed(): void {
    this.#changes += 1;
    if (this.#changes > this.#limit) this.#oldest = undefined;
  }
}
