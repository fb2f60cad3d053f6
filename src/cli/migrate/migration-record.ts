// How far a migration has come, as an annotation of the definition: whoever goes on with it begins there. Pure.
import type { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";

/** The annotation. */
export const recordAnnotation = "xstate-operator.dev/migration";

/** What is recorded. */
export interface MigrationRecord {
  /** The version in which objects are stored. */
  readonly storage: string;
  /** Of the definition: another one may have stored objects in another version meanwhile. */
  readonly generation: number;
  /** The key of the last object before which all are rewritten. */
  readonly after: string;
}

/** The record that counts for a definition as it is now; what a person has made of it, or an earlier definition, does not. */
export function recordOf({
  metadata,
  spec,
}: Pick<CustomResourceDefinition, "metadata" | "spec">): MigrationRecord | undefined {
  const text = metadata.annotations?.[recordAnnotation];
  if (text === undefined) return undefined;
  try {
    const { storage, generation, after } = JSON.parse(text) as Partial<MigrationRecord>;
    const isCurrent = generation === metadata.generation && storage === storageOf({ spec });
    return isCurrent && storage !== undefined && generation !== undefined && typeof after === "string"
      ? { storage, generation, after }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The version in which a definition has objects stored. */
export function storageOf({ spec }: Pick<CustomResourceDefinition, "spec">): string {
  return spec.versions.find(({ storage }) => storage)?.name ?? "";
}
