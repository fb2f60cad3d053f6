// Which types are served right now. Built-in types are added at start, custom ones come and go with their CRDs.
import { apiVersionOf } from "../../meta/resource-type.ts";
import type { ServedType } from "./served-type.ts";

/** The served types. */
export class TypeRegistry {
  readonly #types = new Map<string, ServedType>();
  readonly #listeners = new Set<() => void>();
  #revision = 0;

  /** Grows with every change; what is derived from the registry is cached under it. */
  get revision(): number {
    return this.#revision;
  }

  /** Serves a type, in place of one with the same group, version and plural. */
  add(type: ServedType): void {
    this.#types.set(`${apiVersionOf(type)}/${type.plural}`, type);
    this.#changed();
  }

  /** Stops serving all types of a key space. */
  removeStorage(storageKey: string): void {
    for (const [key, type] of this.#types) if (type.storageKey === storageKey) this.#types.delete(key);
    this.#changed();
  }

  /** Serves exactly these types of a key space, and no others of it any more. */
  replaceStorage(storageKey: string, types: readonly ServedType[]): void {
    for (const [key, type] of this.#types) if (type.storageKey === storageKey) this.#types.delete(key);
    for (const type of types) this.#types.set(`${apiVersionOf(type)}/${type.plural}`, type);
    this.#changed();
  }

  /** Calls back after each change until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The type behind a path. */
  find(group: string, version: string, plural: string): ServedType | undefined {
    return this.#types.get(`${group === "" ? version : `${group}/${version}`}/${plural}`);
  }

  /** All served types, in the order in which they were added. */
  all(): readonly ServedType[] {
    return [...this.#types.values()];
  }

  /** The types of one group and version. */
  ofGroupVersion(group: string, version: string): readonly ServedType[] {
    return this.all().filter((type) => type.group === group && type.version === version);
  }

  /** All versions of one key space. */
  ofStorage(storageKey: string): readonly ServedType[] {
    return this.all().filter((type) => type.storageKey === storageKey);
  }

  #changed(): void {
    this.#revision += 1;
    for (const listener of this.#listeners) listener();
  }
}
