// The reference by which a child belongs to the object that manages it. Pure.
import type { KubeObject, OwnerReference } from "./object.ts";

/** The controller reference to an object: what carries it is deleted with it, and a foreground deletion waits for that. */
export function controllerReferenceOf({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The reference of the one owner that manages the object. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}
