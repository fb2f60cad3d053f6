// DELETE on a collection: every selected object is deleted as a single DELETE would.
import type { ApiCore } from "../api-core.ts";
import type { DeleteQuery } from "../options/delete-options.ts";
import type { ListQuery } from "../options/list-options.ts";
import { deleteObject } from "./delete.ts";
import { listObjects, type ObjectPage } from "./list.ts";
import type { ObjectRequest } from "./object-request.ts";

/** Deletes what the selection chooses; the page holds the objects as they were. Errors: 400. */
export function deleteCollection(
  core: ApiCore,
  request: ObjectRequest,
  selection: ListQuery,
  options: DeleteQuery,
): ObjectPage {
  const page = listObjects(core, request, selection);
  for (const { metadata } of page.items) {
    deleteObject(core, { ...request, namespace: metadata.namespace ?? "", name: metadata.name }, options);
  }
  return page;
}
