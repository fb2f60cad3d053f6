// The metadata-only form of objects.
import type { ApiObject } from "../api-object.ts";
import { orderMetadata } from "../metadata-order.ts";

/** An object as PartialObjectMetadata. */
export function toPartial(object: ApiObject): unknown {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: orderMetadata(object.metadata),
  };
}
