// Deletes one object: only the very one that was seen, and one that is gone already is deleted.
import { isNotFound } from "../../client/api-error.ts";
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { ResourceScope } from "./resource-scope.ts";

/**
 * Deletes the object with this uid, whatever has become of it or only `as seen`.
 *
 * **Errors**: the client's; a conflict when another object took its name, or it is not as it was seen. **RBAC**: `delete` on the type.
 */
export async function deleteObject(
  scope: Pick<ResourceScope, "client" | "signal" | "countWrite">,
  type: ResourceType,
  object: KubeObject,
  which: "whatever it is" | "as seen" = "whatever it is",
): Promise<void> {
  const { client, signal, countWrite } = scope;
  const { uid, resourceVersion } = object.metadata;
  const preconditions = which === "as seen" ? { uid, resourceVersion } : { uid };
  try {
    countWrite();
    await client.delete(type, keyOf(object), { signal, preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
