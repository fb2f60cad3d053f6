// Whether new objects may be created in a namespace: it must exist and must not be going away.
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import { forbiddenCreation, notFound } from "../status-error.ts";
import type { ObjectRequest } from "./object-request.ts";

const namespaces = { group: "", plural: "namespaces", kind: "Namespace" };

/** Refuses a creation in an absent namespace with 404, in a terminating one with 403. */
export function assertNamespaceOpen(
  core: ApiCore,
  { type, namespace }: ObjectRequest,
  object: ApiObject,
): void {
  if (!type.namespaced) return;
  const found = core.store.get("namespaces", undefined, namespace);
  if (found === undefined) throw notFound(namespaces, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  // Events about the end of a namespace are refused too, as on the real server.
  throw forbiddenCreation(
    type,
    object,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}
