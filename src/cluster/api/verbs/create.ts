// POST on a collection.
import { admissionGate } from "../admission/admission-gate.ts";
import { settleCreation } from "../admission/built-in-admission.ts";
import { createMetadata, sentMetadata } from "./object-metadata.ts";
import { recordOwnership } from "./field-ownership.ts";
import { isVersion } from "./given-version.ts";
import { assertNamespaceOpen } from "./namespace-gate.ts";
import { gatedWrite, type WriteObjectRequest } from "./object-request.ts";
import { storeCreated, type OwnershipStep } from "./store-write.ts";
import type { ApiCore } from "../api-core.ts";
import { changeable } from "../awaited-answers.ts";
import type { ApiMeta, ApiObject } from "../api-object.ts";
import { badRequest, forbiddenObject, StatusError } from "../status-error.ts";

/** What {@link createObject} is given besides the object. */
export interface CreateOptions {
  /** Default: the record of a creation. */
  readonly own?: OwnershipStep;
  /** Whether the time of a deletion that is sent is kept: the object is then there as one that is being deleted. Default false. */
  readonly isBegunToBeDeleted?: boolean;
}

/** Creates an object. Errors: 400, 403, 404, 409, 422; 500 with a resourceVersion, as the real server has it; those of admission. */
export function createObject(
  core: ApiCore,
  request: WriteObjectRequest,
  incoming: ApiObject,
  {
    own = recordOwnership(core, request, incoming.metadata.managedFields),
    isBegunToBeDeleted = false,
  }: CreateOptions = {},
): ApiObject {
  const { type, namespace } = request;
  assertNamespace(incoming.metadata, namespace);
  if (type.terminating === true) {
    const detail = "create not allowed while custom resource definition is terminating";
    throw forbiddenObject(type, incoming.metadata.name, detail);
  }
  const { deletionTimestamp: _, deletionGracePeriodSeconds: _grace, ...undeleted } = incoming.metadata;
  const sent = isBegunToBeDeleted ? incoming.metadata : undeleted;
  const given = changeable({ ...incoming, metadata: sentMetadata(sent, namespace) });
  type.behaviour.setDefaults?.(given, request);
  core.grants?.assertHeld(request, given, undefined);
  // Ownership is about what the client sent and its defaults, not about what webhooks and the server settle after it.
  let object = own(given, undefined);
  assertNamespaceOpen(core, request, object);
  settleCreation(core, request, object);
  const gate = admissionGate(core, request, gatedWrite("CREATE", request));
  if (gate !== undefined) {
    object = gate.mutate(object, undefined);
    assertNamespace(object.metadata, namespace);
  }
  const { resourceVersion } = incoming.metadata;
  if (!request.query.dryRun && isVersion(resourceVersion)) {
    throw new StatusError(500, undefined, "resourceVersion should not be set on objects to be created");
  }
  return storeCreated(
    core,
    request,
    { ...object, metadata: createMetadata(core, object.metadata, namespace) },
    gate,
  );
}

/** The namespace of an object is that of the request. Errors: 400. */
export function assertNamespace(given: ApiMeta, namespace: string): void {
  // Of an object that is in no namespace, one is not looked at.
  if (namespace === "" || [undefined, "", namespace].includes(given.namespace)) return;
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}
