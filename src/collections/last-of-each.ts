// The last few values of each of many things, within bounds: what a process remembers of its own doing.
import { BoundedMap } from "./bounded-map.ts";

/** Keeps the last `each` values of at most `things` things: those of which one was added last. */
export class LastOfEach<TValue> {
  readonly #values: BoundedMap<string, readonly TValue[]>;
  readonly #things: number;
  readonly #each: number;

  constructor(things: number, each: number) {
    this.#things = things;
    this.#values = new BoundedMap(things);
    this.#each = each;
  }

  add(thing: string, value: TValue): void {
    this.#values.set(thing, [value, ...this.of(thing)].slice(0, this.#each));
  }

  /** One more thing has it forget another; it may have done so before. */
  get isFull(): boolean {
    return this.#values.size >= this.#things;
  }

  /** Newest first. */
  of(thing: string): readonly TValue[] {
    return this.#values.get(thing) ?? [];
  }
}
