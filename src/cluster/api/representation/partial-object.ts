// The metadata-only form of objects.
import type { ApiObject } from "../api-object.ts";

/** An object as PartialObjectMetadata. */
export function toPartial(object: ApiObject): unknown {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata };
}
