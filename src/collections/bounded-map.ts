// A map that forgets its oldest entries, for memory that may be lost at any time without harm.

/** A map of at most `limit` entries, or of such a weight: setting one more forgets those that were set longest ago. */
export class BoundedMap<TKey, TValue> {
  readonly #entries = new Map<TKey, TValue>();
  readonly #limit: number;
  readonly #weightOf: ((value: TValue) => number) | undefined;
  #weight = 0;
  /**
   * Stands at the oldest entry: whatever it has passed was forgotten. One that began again each time would pass the places of
   * all that were forgotten before.
   */
  #oldest: IterableIterator<TKey> | undefined;
  /** Changes since that iterator has moved. */
  #changes = 0;

  /** `weightOf`: what an entry counts; default one. */
  constructor(limit: number, weightOf?: (value: TValue) => number) {
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  get(key: TKey): TValue | undefined {
    return this.#entries.get(key);
  }

  set(key: TKey, value: TValue): void {
    // Deleted first, because a Map keeps the place of a key that is set again.
    this.#remove(key);
    this.#entries.set(key, value);
    this.#weight += this.#weightOf?.(value) ?? 1;
    if (this.#weight <= this.#limit) return this.#changed();
    this.#changes = 0;
    this.#oldest ??= this.#entries.keys();
    while (this.#weight > this.#limit) {
      const oldest = this.#oldest.next();
      if (oldest.done === true) break;
      this.#remove(oldest.value);
    }
    // The last one is too heavy by itself; an iterator that has ended stays so.
    if (this.#entries.size === 0) this.#oldest = undefined;
  }

  delete(key: TKey): void {
    this.#remove(key);
    this.#changed();
  }

  /** All values, the one that was set longest ago first. */
  values(): TValue[] {
    return [...this.#entries.values()];
  }

  get size(): number {
    return this.#entries.size;
  }

  #remove(key: TKey): void {
    if (this.#weightOf === undefined) {
      if (this.#entries.delete(key)) this.#weight -= 1;
      return;
    }
    const value = this.#entries.get(key);
    if (this.#entries.delete(key)) this.#weight -= this.#weightOf(value as TValue);
  }

  /** An iterator that rests holds every table that V8 has replaced by another one since: it is let go in time. */
  #changed(): void {
    this.#changes += 1;
    if (this.#changes > this.#limit) this.#oldest = undefined;
  }
}
