// DELETE on a collection: every selected object is deleted as a single DELETE would.
import { carryOut, readOut } from "./carry-out.ts";
import { StatusError } from "../status-error.ts";
import type { ApiCore } from "../api-core.ts";
import type { DeleteQuery } from "../options/delete-options.ts";
import type { ListQuery } from "../options/list-options.ts";
import { deleteObject, warnAboutOrphans } from "./delete.ts";
import { listObjects, type ObjectPage } from "./list.ts";
import type { ObjectRequest } from "./object-request.ts";

/** Deletes what the selection chooses; the page holds the objects as they were. Errors: 400. */
export async function deleteCollection(
  core: ApiCore,
  request: ObjectRequest,
  selection: ListQuery,
  options: DeleteQuery,
): Promise<ObjectPage> {
  const page = await readOut(request, () => listObjects(core, request, selection));
  warnAboutOrphans(request, options);
  for (const { metadata } of page.items) {
    const one = { ...request, namespace: metadata.namespace ?? "", name: metadata.name };
    const deletion = carryOut(core, one, (run) => deleteObject(run, one, options, ""));
    if (deletion instanceof Promise) await deletion.catch(unlessGone);
  }
  return page;
}

/** While admission was asked, somebody else may have deleted an object. */
function unlessGone(error: unknown): void {
  if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
}
