// The metadata-only form of objects.
import type { ApiObject } from "../api-object.ts";
import { orderMetadata } from "../metadata-order.ts";
import type { MetaVersion } from "../requests/media-type.ts";
import type { ServedType } from "../served-type.ts";

/** An object of a type as PartialObjectMetadata, without the annotations that its type's own form alone has. */
export function toPartial(
  { behaviour }: Pick<ServedType, "behaviour">,
  object: ApiObject,
  version: MetaVersion,
): unknown {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: orderMetadata(withoutOwn(object.metadata, behaviour.unsetAnnotations)),
  };
}

function withoutOwn(
  metadata: ApiObject["metadata"],
  own: Readonly<Record<string, string>> | undefined,
): ApiObject["metadata"] {
  if (own === undefined) return metadata;
  const { annotations = {}, ...rest } = metadata;
  const others = Object.entries(annotations).filter(([name]) => !Object.hasOwn(own, name));
  return others.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(others) };
}
