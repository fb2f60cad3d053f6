// PUT on an object or on its status, and the common part of all patches: the next state takes the place of the current one.
import { invalidValue, requiredValue, type StatusCause } from "../../../schema/status-cause.ts";
import { admissionGate, type AdmissionGate } from "../admission/admission-gate.ts";
import type { ApiCore } from "../api-core.ts";
import { changeable } from "../awaited-answers.ts";
import { fieldsOf, type ApiMeta, type ApiObject } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import {
  badRequest,
  conflict,
  invalidObject,
  modified,
  notFound,
  type StatusError,
} from "../status-error.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { createByWrite } from "./create-by-write.ts";
import { recordOwnership } from "./field-ownership.ts";
import { givenVersion } from "./given-version.ts";
import { updateMetadata, validateDeletionTime } from "./object-metadata.ts";
import { orderMetadata } from "../metadata-order.ts";
import { gatedWrite, type ObjectRequest, type WriteObjectRequest } from "./object-request.ts";
import { storeUpdated, type OwnershipStep } from "./store-write.ts";

/** Where an object is read from. */
interface HeldObjects {
  readonly store: Pick<ObjectStore, "get">;
}

/** The object of a request in the request's version. Errors: 404. */
export function currentObject(core: HeldObjects, request: ObjectRequest): ApiObject {
  const found = findCurrent(core, request);
  if (found === undefined) throw notFound(request.type, request.name);
  return found;
}

/** The object of a request, if it exists. */
export function findCurrent(
  core: HeldObjects,
  { type, namespace, name }: ObjectRequest,
): ApiObject | undefined {
  const stored = core.store.get(type.storageKey, namespace, name);
  return stored === undefined ? undefined : type.fromStorage(stored);
}

/** Replaces an object. Errors: 400, 404, 409, 422. */
export function updateObject(core: ApiCore, request: WriteObjectRequest, incoming: ApiObject): ApiObject {
  const current = findCurrent(core, request);
  assertSameIdentity(request, incoming.metadata);
  if (current === undefined) {
    if (request.type.behaviour.createOnUpdate === true) {
      // An object of that identity is gone, and another one must not take its place.
      const { uid = "" } = incoming.metadata;
      if (uid !== "") throw uidConflict(request, uid, "");
      givenVersion(incoming.metadata.resourceVersion);
      const own = recordOwnership(core, request, incoming.metadata.managedFields);
      return createByWrite(core, request, incoming, own);
    }
    throw notFound(request.type, request.name);
  }
  return replaceObject(core, request, incoming, current);
}

/** Some kinds are only changed by who says which version of an object is changed. */
function assertVersionGiven({ type, name }: WriteObjectRequest, { resourceVersion }: Partial<ApiMeta>): void {
  if (type.behaviour.needsResourceVersion !== true || givenVersion(resourceVersion) !== "") return;
  const error = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
  throw invalidObject(type.group, type.plural, name, [error]);
}

/** What {@link replaceObject} is given besides the two states. */
export interface ReplaceOptions {
  /** Default: the record of an update. */
  readonly own?: OwnershipStep;
  /** Default: the admission of the object itself. */
  readonly gate?: Pick<AdmissionGate, "validate"> | undefined;
  /** How often another uid is called a fault of the object; default 0: the write is meant for another object. */
  readonly otherUid?: number;
}

/** Puts the next state of an object in the place of the current one, within what the request may change. */
export function replaceObject(
  core: ApiCore,
  request: WriteObjectRequest,
  incoming: ApiObject,
  current: ApiObject,
  options: ReplaceOptions = {},
): ApiObject {
  assertSameIdentity(request, incoming.metadata);
  if (options.otherUid === undefined) assertSameUid(request, incoming.metadata, current);
  const { own = recordOwnership(core, request, incoming.metadata.managedFields) } = options;
  const { behaviour } = request.type;
  const metadata = updateMetadata(incoming.metadata, current.metadata);
  const defaulted = changeable({ ...incoming, metadata });
  if (request.leavesUnset !== true) behaviour.setDefaults?.(defaulted, request);
  const owned = own(withDeletionTime(defaulted, incoming.metadata), current);
  let next: ApiObject = { ...defaulted, metadata: withOwners(defaulted.metadata, owned) };
  const gate = "gate" in options ? undefined : admissionGate(core, request, gatedWrite("UPDATE", request));
  let given = incoming.metadata;
  if (gate !== undefined) {
    const { namespace } = request;
    const placed = namespace === "" ? given : { ...given, namespace };
    const sent = { ...next, metadata: withOwners(orderMetadata(placed), next) };
    const admitted = gate.mutate(sent, current);
    given = admitted.metadata;
    assertStillNamed(request, given);
    next = { ...admitted, metadata: withOwners(updateMetadata(given, current.metadata), admitted) };
  }
  assertVersionGiven(request, given);
  // Who writes it means another object, who admits it makes a fault.
  const times = options.otherUid ?? (given.uid === incoming.metadata.uid ? 0 : 2);
  const uidFaults = foreignUid(given, current, times);
  assertPreconditions(request, uidFaults.length === 0 ? given : { ...given, uid: "" }, current);
  // It is refused as the object that it says it is.
  const otherUid = uidFaults.length === 0 || given.uid === undefined ? {} : { uid: given.uid };
  const causes = takesMetadata(request)
    ? validateDeletionTime(withoutReset(request, given), current.metadata, !request.type.custom)
    : [];
  core.grants?.assertHeld(request, next, current);
  const isolated = isolate(request, next, current);
  return storeUpdated(
    core,
    request,
    { ...isolated, metadata: { ...withOwners(isolated.metadata, next), ...otherUid } },
    current,
    { gate: gate ?? options.gate, causes: [...uidFaults, ...causes] },
  );
}

/** The faults of an object that is said to be another one, as often as that is found. */
function foreignUid({ uid = "" }: ApiMeta, current: ApiObject, times: number): readonly StatusCause[] {
  if (uid === "" || uid === current.metadata.uid) return [];
  return Array.from({ length: times }, () => invalidValue("metadata.uid", uid, "field is immutable"));
}

/** The object with the time of its deletion that was sent: whoever sends another one owns it, although it stays as it is. */
function withDeletionTime(object: ApiObject, given: ApiMeta): ApiObject {
  const metadata: ApiMeta = { ...object.metadata };
  for (const name of ["deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    delete metadata[name];
    if ((given[name] ?? undefined) !== undefined) Object.assign(metadata, { [name]: given[name] });
  }
  return { ...object, metadata };
}

/** The metadata with the managedFields of an object. */
function withOwners(metadata: ApiMeta, { metadata: { managedFields } }: ApiObject): ApiMeta {
  const { managedFields: _, ...rest } = metadata;
  return managedFields === undefined ? rest : { ...rest, managedFields };
}

/** 400 for an object that does not say its name. */
export function undeterminable(name: string): StatusError {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/** What is written says that it is the object of the path. Errors: 400. */
export function assertSameIdentity({ name, namespace }: WriteObjectRequest, given: Partial<ApiMeta>): void {
  if (given.name === undefined || given.name === "") {
    throw undeterminable(name);
  }
  if (given.name !== name) {
    throw badRequest(`the name of the object (${given.name}) does not match the name on the URL (${name})`);
  }
  // Of an object that is in no namespace, one is not looked at.
  if (namespace !== "" && ![undefined, "", namespace].includes(given.namespace)) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** Who admits an object may not give it another name. Errors: 422; 400 for another namespace. */
function assertStillNamed(request: WriteObjectRequest, given: Partial<ApiMeta>): void {
  const { type, name } = request;
  const { name: said = "" } = given;
  if (said === name) return assertSameIdentity(request, given);
  const field = "metadata.name";
  const immutable = invalidValue(field, said, "field is immutable");
  const missing = requiredValue(field, "name or generateName is required");
  throw invalidObject(type.group, type.kind, said, [...(said === "" ? [missing] : []), immutable, immutable]);
}

function assertPreconditions(
  { type, name, namespace, query }: WriteObjectRequest,
  given: ApiMeta,
  current: ApiObject,
): void {
  assertSameUid({ type, name, namespace, query }, given, current);
  const resourceVersion = givenVersion(given.resourceVersion);
  if (resourceVersion !== "" && resourceVersion !== current.metadata.resourceVersion) {
    throw modified(type, name);
  }
}

function assertSameUid(
  request: Pick<WriteObjectRequest, "type" | "name" | "namespace" | "query">,
  { uid = "" }: ApiMeta,
  current: ApiObject,
): void {
  if (uid !== "" && uid !== current.metadata.uid) throw uidConflict(request, uid, current.metadata.uid ?? "");
}

/** Where the real server stores what was called otherwise once. */
const formerPlaces: Readonly<Record<string, string>> = {
  endpoints: "services/endpoints",
  "ingresses.networking.k8s.io": "ingress",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
};

/** The refusal of a write that is meant for another object of the same name. */
function uidConflict(
  request: Pick<WriteObjectRequest, "type" | "name" | "namespace" | "query">,
  given: string,
  found: string,
): StatusError {
  const detail = `UID in precondition: ${given}, UID in object meta: ${found}`;
  return storageConflict(request, request.query.dryRun, detail);
}

/** What the real server says of a condition that its storage finds unmet. */
export function storageConflict(
  { type, name, namespace }: Pick<ObjectRequest, "type" | "name" | "namespace">,
  dryRun: boolean,
  detail: string,
): StatusError {
  const kept = type.custom ? `${type.group}/${type.plural}` : (formerPlaces[type.storageKey] ?? type.plural);
  // A dry run has not come to the storage.
  const key = `${dryRun ? "" : "/registry"}/${kept}/${namespace === "" ? "" : `${namespace}/`}${name}`;
  return conflict(
    type,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${detail}`,
  );
}

/** Keeps what the endpoint may not change: the status on the main one, everything else on the status one. */
function isolate(request: WriteObjectRequest, next: ApiObject, current: ApiObject): ApiObject {
  const { type, subresource } = request;
  if (subresource === "status") return withStatusOf(type, next, current);
  if (subresource === "approval") {
    const { conditions } = fieldsOf(next["status"]);
    return { ...current, status: { ...fieldsOf(current["status"]), conditions } };
  }
  const part = type.behaviour.writtenPart?.(subresource, next, current);
  if (part !== undefined) return part;
  if (subresource === "finalize") return { ...current, spec: next["spec"] };
  if (!type.hasStatus) return next;
  const isolated: ApiObject = { ...next };
  // A namespace's own finalizers have an endpoint of their own.
  if (type.storageKey === "namespaces") isolated["spec"] = current["spec"];
  if (current["status"] === undefined) delete isolated["status"];
  else isolated["status"] = current["status"];
  return isolated;
}

/** What the status endpoint of a built-in type keeps of the metadata; else it takes all of it along. */
const keptWithStatus: Readonly<Record<string, "labels" | "ownerReferences">> = {
  Deployment: "labels",
  Pod: "ownerReferences",
};

/** Groups whose status endpoints take nothing but the status. */
const plainStatusGroups = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
]);

/** Whether the endpoint takes metadata, so that what is wrong in it is said. */
function takesMetadata({ type, subresource }: WriteObjectRequest): boolean {
  return subresource === undefined || (subresource === "status" && !takesOnlyStatus(type));
}

/** The metadata without what the endpoint leaves out before it looks. */
function withoutReset({ type, subresource }: WriteObjectRequest, given: ApiMeta): ApiMeta {
  if (type.kind !== "Pod" || subresource !== "status") return given;
  const { deletionTimestamp: _, ...rest } = given;
  return rest;
}

/** Whether the status endpoint takes nothing but the status. */
function takesOnlyStatus({ custom, group }: ServedType): boolean {
  return custom || plainStatusGroups.has(group);
}

/** The current object with the status of the next one; built-in types take metadata along. */
function withStatusOf(type: ServedType, next: ApiObject, current: ApiObject): ApiObject {
  const { status, metadata } = next;
  const isolated: ApiObject = { ...current };
  delete isolated["status"];
  if (status !== undefined) isolated["status"] = status;
  // A struct is written, even if nothing is in it.
  else if (!type.custom) isolated["status"] = {};
  if (takesOnlyStatus(type)) return isolated;
  const kept = keptWithStatus[type.kind];
  isolated.metadata = { ...metadata };
  if (kept === undefined) return isolated;
  delete isolated.metadata[kept];
  if (current.metadata[kept] !== undefined)
    Object.assign(isolated.metadata, { [kept]: current.metadata[kept] });
  return isolated;
}
