// A status that the server itself writes: of what it serves on behalf of a definition, and of who serves what.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject, Fields } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { recordOwnership } from "./field-ownership.ts";

/** Stores an object with another status. */
export function putStatus(core: ApiCore, type: ServedType, object: ApiObject, status: Fields): void {
  const write = { type, subresource: "status", query: { fieldManager: "kube-apiserver" } };
  const next = recordOwnership(core, write, undefined)({ ...object, status }, object);
  core.store.put(type.storageKey, next);
}
