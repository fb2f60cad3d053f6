// The end of a conversion by webhook, when a kind has only one form left: the authority that its operator has put into the definition is
// nobody's to apply, and a definition that has it without a webhook is refused.
import { isConflict, isInvalid, isNotFound } from "../client/api-error.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { CustomResourceDefinition } from "../kinds/builtin/apiextensions.ts";
import type { CrdManifest } from "../kinds/crd.ts";

/** Who writes, and what ends it. */
export interface EndOptions {
  readonly client: KubeClient;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/**
 * Applies a definition; where that is refused because of the conversion that it no longer has, that is ended first.
 *
 * **Errors**: those of `apply`. **RBAC**: `get` and `patch` on it.
 */
export async function applyEndingConversion<T>(
  { client, fieldManager, signal }: EndOptions,
  definition: Pick<CrdManifest, "metadata" | "spec">,
  apply: () => Promise<T>,
): Promise<T> {
  try {
    return await apply();
  } catch (error) {
    if (!isInvalid(error) || definition.spec.conversion !== undefined) throw error;
    const { name } = definition.metadata;
    const body = [
      { op: "test", path: "/spec/conversion/strategy", value: "Webhook" },
      { op: "replace", path: "/spec/conversion", value: { strategy: "None" } },
    ] as const;
    try {
      await client.patch(
        CustomResourceDefinition,
        { name },
        { type: "json", body },
        { fieldManager, signal },
      );
    } catch (other) {
      // It is refused for something else.
      if (isInvalid(other) || isConflict(other) || isNotFound(other)) throw error;
      throw other;
    }
    return apply();
  }
}
