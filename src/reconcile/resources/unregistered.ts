// The objects that a custom resource controls and no longer wants.
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { resourceIndexOf } from "./resource-index.ts";
import type { ClusterReader } from "./resource-scope.ts";

/** An object with its type. */
export interface TypedObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** The controlled objects of these types whose index is not registered and that are not being deleted already. */
export function unregistered(
  reader: Pick<ClusterReader, "owned">,
  types: readonly ResourceType[],
  isRegistered: (index: string) => boolean,
): readonly TypedObject[] {
  return types.flatMap((type) =>
    reader
      .owned(type)
      .filter(
        (object) =>
          object.metadata.deletionTimestamp === undefined &&
          !isRegistered(resourceIndexOf(type, keyOf(object))),
      )
      .map((object) => ({ type, object })),
  );
}
