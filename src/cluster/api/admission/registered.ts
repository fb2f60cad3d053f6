// What is registered for admission, read from the storage and kept until it changes there.
import type { ApiObject } from "../api-object.ts";
import type { ObjectStore } from "../storage/object-store.ts";

/** Objects of some key spaces, compiled into what is worked with. */
export class Registered<T> {
  readonly #store: ObjectStore;
  readonly #spaces: readonly string[];
  readonly #compile: (objects: readonly ApiObject[]) => readonly T[];
  #compiled: readonly T[] = [];
  #isStale = false;

  constructor(
    store: ObjectStore,
    spaces: readonly string[],
    compile: (objects: readonly ApiObject[]) => readonly T[],
  ) {
    this.#store = store;
    this.#spaces = spaces;
    this.#compile = compile;
    for (const space of spaces) store.subscribe(space, () => (this.#isStale = true));
  }

  /** All of them, in the order of their objects' names. */
  all(): readonly T[] {
    if (this.#isStale) {
      this.#isStale = false;
      this.#compiled = this.#compile(this.#spaces.flatMap((space) => [...this.#store.list(space)]));
    }
    return this.#compiled;
  }
}
