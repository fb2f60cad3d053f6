// The end of an object in the storage, and of what the server itself deletes with it.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { beginDeletion } from "./begin-deletion.ts";
import { putObject } from "./stored-object.ts";

/** Removes an object. Watchers see what was stored last, whatever the version of the request has of it; it is returned. */
export function removeObject(core: ApiCore, type: ServedType, object: ApiObject): ApiObject {
  const { namespace, name } = object.metadata;
  const stored = core.store.get(type.storageKey, namespace, name);
  const removed = core.store.remove(type.storageKey, stored ?? type.toStorage(object));
  const { deletesNamesake } = type.behaviour;
  const [other] = deletesNamesake === undefined ? [] : core.registry.ofStorage(deletesNamesake);
  if (other !== undefined) deleteNamesake(core, other, object);
  return removed;
}

/** Deletes the object of another type that has the same name, if there is one; finalizers hold it. */
function deleteNamesake(core: ApiCore, type: ServedType, { metadata: { namespace, name } }: ApiObject): void {
  const stored = core.store.get(type.storageKey, namespace, name);
  if (stored === undefined) return;
  const current = type.fromStorage(stored);
  const asked = { gracePeriodSeconds: undefined, propagationPolicy: undefined };
  const { next } = beginDeletion(core, { type }, asked, current);
  if ((next.metadata.finalizers ?? []).length === 0) removeObject(core, type, current);
  else if (next !== current) putObject(core, type, next);
}
