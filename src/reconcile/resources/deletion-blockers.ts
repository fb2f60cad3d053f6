// What keeps a custom resource from being deleted: children that are being deleted and are held by finalizers of others.
import { formatKey, keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { ClusterReader } from "./resource-scope.ts";

/** Blockers named; the rest are counted. */
const named = 5;

/**
 * A sentence that names the children that are being deleted and the finalizers that hold them; undefined when there are
 * none. Reads the cache only. Errors: `CACHE_UNDECLARED` for a type that is not cached.
 */
export function deletionBlockers(
  reader: Pick<ClusterReader, "owned">,
  types: readonly ResourceType[],
): string | undefined {
  const held = types.flatMap((type) =>
    reader.owned(type).flatMap((child) => {
      const { deletionTimestamp, finalizers = [] } = child.metadata;
      if (deletionTimestamp === undefined || finalizers.length === 0) return [];
      return [`${type.kind} ${formatKey(keyOf(child))} (held by ${finalizers.join(", ")})`];
    }),
  );
  if (held.length === 0) return undefined;
  const more = held.length - named;
  return `deletion waits for ${held.slice(0, named).join("; ")}${more > 0 ? ` and ${more} more` : ""}`;
}
