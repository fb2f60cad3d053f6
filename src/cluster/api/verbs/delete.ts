// DELETE on an object or on a collection: at once, or by a timestamp that finalizers and grace periods outlast.
import { admissionGate } from "../admission/admission-gate.ts";
import { assertDeletable } from "../admission/built-in-admission.ts";
import type { ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { DeleteQuery } from "../options/delete-options.ts";
import { conflict, detailsOf, StatusError, type Status } from "../status-error.ts";
import type { ServedType } from "../served-type.ts";
import { unsetObject } from "../typed-schema.ts";
import { beginDeletion } from "./begin-deletion.ts";
import type { ObjectRequest } from "./object-request.ts";
import { removeObject } from "./remove-object.ts";
import { putObject } from "./stored-object.ts";
import { isRemovable, isSettled } from "./store-write.ts";
import { currentObject, storageConflict } from "./update.ts";

/** Types whose deletion is answered with the object that is gone, and not with a Status. */
const returned = new Set([
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "resourcequotas",
  "serviceaccounts",
  "services",
  "storageclasses.storage.k8s.io",
]);

/** Deletes the object of a request: the Status of a deletion at once, or the object that is now being deleted. Errors: 404, 409; those of admission. */
export function deleteObject(
  core: ApiCore,
  request: ObjectRequest,
  query: DeleteQuery,
  /** The name that admission is given: none where a whole collection is deleted. */
  admittedName: string = request.name,
): ApiObject | Status {
  const { type } = request;
  warnAboutOrphans(request, query);
  const current = currentObject(core, request);
  assertPreconditions(request, query, current);
  assertDeletable(type, request.name);
  const { dryRun, options } = query;
  const gate = admissionGate(core, request, { operation: "DELETE", dryRun, options, name: admittedName });
  gate?.mutate(undefined, current);
  gate?.validate(undefined, current);
  return deleteAdmitted(core, request, query, current);
}

/** Deletes an object that nobody is asked about any more. */
export function deleteAdmitted(
  core: ApiCore,
  request: ObjectRequest,
  query: DeleteQuery,
  current: ApiObject,
): ApiObject | Status {
  const { type } = request;
  const { next, isMarked } = beginDeletion(core, request, query, current);
  const isGone = isRemovable(request, next);
  // What has a period of grace is marked first, however short that is: watches see it.
  const last = isMarked && type.behaviour.gracePeriod !== undefined ? next : current;
  // The real server reads an object whose last finalizers go with its deletion, and then knows nothing of it.
  const isUnread = isGone && last === current && (current.metadata.finalizers ?? []).length > 0;
  if (isUnread && query.dryRun) return unsetObject(type);
  if (isUnread && query.resourceVersion !== undefined) {
    const { resourceVersion = "" } = current.metadata;
    const detail = `ResourceVersion in precondition: , ResourceVersion in object meta: ${resourceVersion}`;
    throw storageConflict(request, false, detail);
  }
  if (query.dryRun) return isGone ? goneAnswer(request, last) : next;
  if (isGone) {
    if (last === next) putObject(core, type, next);
    const { resourceVersion } = removeObject(core, type, current).metadata;
    return goneAnswer(request, atVersion(last, resourceVersion));
  }
  if (next === current && isSettled(core, request, current)) return current;
  return putObject(core, type, next);
}

/** What is gone carries the version of its deletion. */
function atVersion(object: ApiObject, resourceVersion: string | undefined): ApiObject {
  return resourceVersion === undefined
    ? object
    : { ...object, metadata: { ...object.metadata, resourceVersion } };
}

/** What answers a deletion at once; `last` is the object as it was last stored. */
function goneAnswer(request: ObjectRequest, last: ApiObject): ApiObject | Status {
  return returned.has(request.type.storageKey) ? last : deleted(request, last);
}

/** Says it once, also of a whole collection. */
export function warnAboutOrphans({ type, warnings }: ObjectRequest, query: DeleteQuery): void {
  const { orphaningWarning } = type.behaviour;
  if (orphaningWarning === undefined || query.propagationPolicy !== undefined) return;
  if (!warnings.includes(orphaningWarning)) warnings.push(orphaningWarning);
}

/** Refuses the deletion of another object than was meant. Errors: 409. */
export function assertPreconditions(
  { type, name }: ObjectRequest,
  query: DeleteQuery,
  current: ApiObject,
): void {
  const qualified = type.group === "" ? type.kind : `${type.kind}.${type.group}`;
  const refuse = (detail: string): never => {
    throw new StatusError(
      409,
      "Conflict",
      `Operation cannot be fulfilled on ${qualified} "${name}": ${detail}`,
      detailsOf(type, name, type.kind),
    );
  };
  const { uid = "", resourceVersion = "" } = current.metadata;
  if (type.storageKey === "namespaces") {
    assertNamespacePreconditions(type, query, current);
    return;
  }
  if (query.uid !== undefined && query.uid !== uid) {
    refuse(
      `the UID in the precondition (${query.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (query.resourceVersion !== undefined && query.resourceVersion !== resourceVersion) {
    refuse(
      `the ResourceVersion in the precondition (${query.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** Namespaces say it in words of their own. */
function assertNamespacePreconditions(type: ServedType, query: DeleteQuery, { metadata }: ApiObject): void {
  const refuse = (what: string, given: string, found = ""): never => {
    const detail = `Precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${found}`;
    throw conflict(type, metadata.name, detail);
  };
  const { uid, resourceVersion } = metadata;
  if (query.uid !== undefined && query.uid !== uid) refuse("UID", query.uid, uid);
  if (query.resourceVersion !== undefined && query.resourceVersion !== resourceVersion)
    refuse("ResourceVersion", query.resourceVersion, resourceVersion);
}

function deleted({ type }: ObjectRequest, object: ApiObject): Status {
  const { name, uid = "" } = object.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { ...detailsOf(type, name), uid },
  };
}
