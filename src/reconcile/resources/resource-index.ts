// What resources are called: among each other, and for people.
import type { ObjectKey } from "../../meta/object-key.ts";
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";

/** Identifies an object among all resources: `<namespace> Kind/name group/version`. */
export function resourceIndexOf(type: ResourceType, key: ObjectKey): string {
  return `${key.namespace ?? ""} ${type.kind}/${key.name} ${apiVersionOf(type)}`;
}

/** For people: `Kind/name`. */
export function kindNameOf(type: ResourceType, key: ObjectKey): string {
  return `${type.kind}/${key.name}`;
}
