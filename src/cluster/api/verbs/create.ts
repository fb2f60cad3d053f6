// POST on a collection.
import { createMetadata } from "./object-metadata.ts";
import { recordOwnership } from "./field-ownership.ts";
import { assertNamespaceOpen } from "./namespace-gate.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import { storeCreated, type OwnershipStep } from "./store-write.ts";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import { badRequest, forbiddenObject, StatusError } from "../status-error.ts";

/** Creates an object. Errors: 400, 403, 404, 409, 422; 500 with a resourceVersion, as the real server has it. */
export function createObject(
  core: ApiCore,
  request: WriteObjectRequest,
  incoming: ApiObject,
  own: OwnershipStep = recordOwnership(core, request, incoming.metadata.managedFields),
): ApiObject {
  const { type, namespace } = request;
  const given = incoming.metadata;
  if (given.namespace !== undefined && given.namespace !== "" && given.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (type.terminating === true) {
    const detail = "create not allowed while custom resource definition is terminating";
    throw forbiddenObject(type, given.name, detail);
  }
  if (given.resourceVersion !== undefined && given.resourceVersion !== "") {
    throw new StatusError(500, undefined, "resourceVersion should not be set on objects to be created");
  }
  const metadata = createMetadata(core, given, namespace);
  assertNamespaceOpen(core, request, metadata.name);
  const object = { ...incoming, metadata };
  return storeCreated(core, request, object, own);
}
