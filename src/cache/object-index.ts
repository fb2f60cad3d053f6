// A secondary index over the objects of a store: value to objects, for instance owner uid to dependents.
import type { KubeObject } from "../meta/object.ts";

/** An index that its store keeps current. */
export class ObjectIndex<T extends KubeObject> {
  readonly #valuesOf: (object: T) => readonly string[];
  readonly #objects = new Map<string, Map<string, T>>();

  /** `valuesOf` must depend on the object alone: it is asked again when the object leaves. */
  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  /** Replaces what stands under a key; undefined for nothing. */
  set(key: string, before: T | undefined, after: T | undefined): void {
    if (before !== undefined) {
      for (const value of this.#valuesOf(before)) {
        const objects = this.#objects.get(value);
        objects?.delete(key);
        if (objects?.size === 0) this.#objects.delete(value);
      }
    }
    if (after === undefined) return;
    for (const value of this.#valuesOf(after)) {
      let objects = this.#objects.get(value);
      if (objects === undefined) this.#objects.set(value, (objects = new Map()));
      objects.set(key, after);
    }
  }

  /** The objects under a value. */
  get(value: string): Iterable<T> {
    return this.#objects.get(value)?.values() ?? [];
  }
}
