// Creations by `generateName` whose answer was lost must not leave a second child behind. The name is therefore chosen
// here, as the server would choose it, and a creation of which nobody knows whether it happened is tried again under the
// same name: if it had happened, the server says so, and the child that is there is the one.
import { isAlreadyExists, isNotFound, mayHaveHappened } from "../../client/api-error.ts";
import type { KubeObject, Manifest } from "../../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../meta/object-key.ts";
import { typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import type { Random } from "../../ports/random.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";

/** As the API server's: no vowels, so that no word comes out. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const longestName = 63;
/** Tries of other names when a fresh one happens to be taken. */
const attempts = 5;
const remembered = 10_000;

/** Names under which something may have been created; one for each controller. Lost at a restart, when a list tells. */
export class UncertainNames {
  readonly #names = new BoundedMap<string, readonly string[]>(remembered);

  /** Remembers that it is not known whether something was created under a name. */
  add(intent: string, name: string): void {
    this.#names.set(intent, [...(this.#names.get(intent) ?? []), name]);
  }

  /** The names of an intent, which are forgotten. */
  take(intent: string): readonly string[] {
    const names = this.#names.get(intent) ?? [];
    this.#names.delete(intent);
    return names;
  }
}

/** A name that the server might have generated. */
export function generatedName(prefix: string, random: Random): string {
  const letter = (): string => alphabet.charAt(Math.floor(random() * alphabet.length));
  return prefix.slice(0, longestName - suffixLength) + Array.from({ length: suffixLength }, letter).join("");
}

/** Options of {@link createGenerated}. */
export interface GeneratedCreation<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly manifest: Manifest;
  readonly prefix: string;
  /** uid of the custom resource. */
  readonly owner: string;
  readonly names: UncertainNames;
  readonly random: Random;
  readonly read: (key: ObjectKey) => Promise<T>;
  /** Whether the cache shows an object: then a hook has seen it, and wants another one. */
  readonly isKnown: (type: ResourceType, key: ObjectKey) => boolean;
  readonly create: (manifest: Manifest) => Promise<T>;
}

/**
 * Creates an object of a generated name, or returns the one that an earlier attempt has created unnoticed.
 *
 * **Errors**: the client's.
 * **RBAC**: `create`, and `get` after an answer was lost.
 */
export async function createGenerated<T extends KubeObject>(options: GeneratedCreation<T>): Promise<T> {
  const { manifest, prefix, owner, names, type, random, isKnown } = options;
  const { namespace } = manifest.metadata;
  const keyFor = (name: string): ObjectKey => (namespace === undefined ? { name } : { namespace, name });
  const intent = `${owner} ${typeKeyOf(type)} ${formatKey(keyFor(prefix))}`;
  const uncertain = names.take(intent).filter((name) => !isKnown(type, keyFor(name)));
  // Those after the one that is used up here are for the next creations of the same prefix.
  for (const name of uncertain.slice(1)) names.add(intent, name);
  let [name] = uncertain;
  for (let attempt = 1; ; attempt += 1) {
    const again = name !== undefined;
    const chosen: string = name ?? generatedName(prefix, random);
    const named = { ...manifest, metadata: { ...manifest.metadata, name: chosen } };
    try {
      return await options.create(named);
    } catch (error) {
      if (isAlreadyExists(error)) {
        const existing = again ? await readOurs(options, named) : undefined;
        if (existing !== undefined) return existing;
        if (attempt >= attempts) throw error;
        name = undefined;
        continue;
      }
      if (mayHaveHappened(error)) names.add(intent, chosen);
      throw error;
    }
  }
}

/** What is there under the name, if it was created for this custom resource. */
async function readOurs<T extends KubeObject>(
  { prefix, read }: GeneratedCreation<T>,
  named: Manifest,
): Promise<T | undefined> {
  try {
    const { metadata, ...rest } = await read(keyOf(named));
    const owners = named.metadata.ownerReferences ?? [];
    const owned = owners.every(({ uid }) => metadata.ownerReferences?.some((each) => each.uid === uid));
    const isOurs = owned && metadata.generateName === prefix && metadata.deletionTimestamp === undefined;
    return isOurs ? ({ ...rest, metadata } as T) : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
