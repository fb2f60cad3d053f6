// Objects of a request's version on their way into the storage and back.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import { inFieldOrder } from "../field-order.ts";
import type { ServedType } from "../served-type.ts";

/** Stores an object and returns it as it is served from then on. What has to be converted for that is converted before. */
export function putObject({ store }: ApiCore, type: ServedType, object: ApiObject): ApiObject {
  const stored = inFieldOrder(type, type.toStorage(numbered(type, object)));
  const { conversion } = type;
  if (conversion === undefined) return type.fromStorage(store.put(type.storageKey, stored));
  const served = type.fromStorage(stored);
  const put = store.put(type.storageKey, stored);
  conversion.remember(put, served);
  return type.fromStorage(put);
}

/** How an object would be served if it were stored, for a dry run. */
export function asIfStored(type: ServedType, object: ApiObject): ApiObject {
  return inFieldOrder(type, type.custom ? type.fromStorage(type.toStorage(object)) : object);
}

/** The storage writes a resourceVersion where there is one. */
function numbered({ custom }: ServedType, object: ApiObject): ApiObject {
  if (!custom || object.metadata.resourceVersion !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion: "" } };
}
