// What waits for an instant, earliest first. Entries know their position, so that one that became due by other means is
// taken out at once: lazily deleted ones would pile up behind ten-hour resyncs.

/** Something due at an instant. The heap keeps the entry's position; nobody else touches it. */
export interface Delayed {
  /** Monotonic milliseconds; fixed while the entry is in the heap. */
  due: number;
  position: number;
}

/** The position of an entry that is in no heap. */
export const notDelayed = -1;

/** A binary heap over {@link Delayed}, with removal from the middle. */
export class DelayHeap<T extends Delayed> {
  readonly #entries: T[] = [];

  /** The entry due first. */
  get first(): T | undefined {
    return this.#entries[0];
  }

  get size(): number {
    return this.#entries.length;
  }

  push(entry: T): void {
    this.#entries.push(entry);
    entry.position = this.#entries.length - 1;
    this.#rise(entry);
  }

  /** Takes an entry out; a no-op when it is not in the heap. */
  remove(entry: T): void {
    const { position } = entry;
    if (this.#entries[position] !== entry) return;
    const last = this.#entries.pop();
    entry.position = notDelayed;
    if (last === undefined || last === entry) return;
    this.#put(last, position);
    this.#rise(last);
    this.#sink(last);
  }

  clear(): void {
    for (const entry of this.#entries) entry.position = notDelayed;
    this.#entries.length = 0;
  }

  #put(entry: T, position: number): void {
    this.#entries[position] = entry;
    entry.position = position;
  }

  #rise(entry: T): void {
    while (entry.position > 0) {
      const parent = this.#entries[(entry.position - 1) >> 1];
      if (parent === undefined || parent.due <= entry.due) return;
      this.#swap(parent, entry);
    }
  }

  #sink(entry: T): void {
    for (;;) {
      const left = this.#entries[2 * entry.position + 1];
      const right = this.#entries[2 * entry.position + 2];
      const child = right !== undefined && left !== undefined && right.due < left.due ? right : left;
      if (child === undefined || child.due >= entry.due) return;
      this.#swap(entry, child);
    }
  }

  /** Exchanges a parent and its child. */
  #swap(parent: T, child: T): void {
    const { position } = parent;
    this.#put(parent, child.position);
    this.#put(child, position);
  }
}
