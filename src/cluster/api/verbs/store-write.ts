// The last part of every create and update: what the type does to the object, whether it is valid, who owns which fields,
// and whether anything changed at all. Only here do objects enter the storage.
import type { DefaultsOptions } from "../../../schema/apply-defaults.ts";
import { equal } from "../../../schema/json-value.ts";
import type { StatusCause } from "../../../schema/status-cause.ts";
import { assertChangeable, assertCreatable } from "../admission/built-in-admission.ts";
import { assertSecure } from "../admission/pod-security/pod-security.ts";
import { chargeQuotas } from "../admission/quotas.ts";
import type { AdmissionGate } from "../admission/admission-gate.ts";
import { timestampOf, type ApiCore } from "../api-core.ts";
import type { ApiObject } from "../api-object.ts";
import type { ServedType, SettledWrite } from "../served-type.ts";
import { alreadyExists, invalidObject } from "../status-error.ts";
import { nameFaults } from "../../../meta/name-rules.ts";
import { orderMetadata } from "../metadata-order.ts";
import { whyTooLarge } from "../storage/stored-size.ts";
import { removeObject } from "./remove-object.ts";
import { asIfStored, putObject } from "./stored-object.ts";
import { uncheckedRules } from "../../../schema/validate-resource.ts";
import { standardFinalizers, validateFinalizers, validateOwnFinalizers } from "./object-metadata.ts";
import { validateMetadata } from "../metadata-rules.ts";
import type { WriteObjectRequest } from "./object-request.ts";

/** Records which fields a write changed; returns the object with its managedFields. */
export type OwnershipStep = (next: ApiObject, current: ApiObject | undefined) => ApiObject;

/** Stores a new object, whose metadata is complete and whose owners are recorded. Errors: 409, 422; those of admission. */
export function storeCreated(
  core: ApiCore,
  request: WriteObjectRequest,
  incoming: ApiObject,
  gate: AdmissionGate | undefined,
): ApiObject {
  const { type } = request;
  const { behaviour } = type;
  const object = { ...incoming, metadata: { ...incoming.metadata } };
  if (type.hasStatus && behaviour.keepsGivenStatus !== true) resetStatus(request, object);
  if (behaviour.raisesGeneration !== undefined) object.metadata.generation = 1;
  behaviour.prepare?.(object, undefined, settledWrite(core, request));
  const isIncomplete = behaviour.isCompletedByReading?.(object) === true;
  if (type.hasStatus) behaviour.setDefaults?.(object, afterAdmission(request, gate));
  refuse(request, object, behaviour.claim?.(object, undefined) ?? []);
  const metadataFaults = [
    ...validateMetadata(object.metadata, (name) => nameFaults(type, name)),
    ...validateOwnFinalizers(type, object.metadata),
  ];
  const faults = behaviour.validate?.(object, undefined, request.subresource) ?? [];
  if (behaviour.hasPlainMetadata === true) refuse(request, object, faults);
  const unchecked =
    type.custom && metadataFaults.some(({ reason }) => blockingReasons.has(reason))
      ? uncheckedRules(type.schema, faults)
      : [];
  refuse(request, object, [...metadataFaults, ...faults, ...unchecked]);
  warnAboutFinalizers(request, object, []);
  request.warnings.push(...(behaviour.warnings?.(object, undefined) ?? []));
  assertCreatable(core, request, object);
  assertSecure(core, request, object);
  gate?.validate(withOrderedMetadata(object), undefined);
  const existing = core.store.get(type.storageKey, object.metadata.namespace, object.metadata.name);
  if (existing !== undefined) {
    throw alreadyExists(type, object.metadata.name, existing.metadata.deletionTimestamp !== undefined);
  }
  chargeQuotas(core, request, object);
  return stored(core, request, withOrderedMetadata(object), isIncomplete);
}

/** Nulls of a client are gone before admission; those that are there after it are faults. */
function afterAdmission(
  { keepNulls = false }: WriteObjectRequest,
  gate: object | undefined,
): DefaultsOptions {
  return { keepNulls: keepNulls || gate !== undefined };
}

/** Stores an object and notes whether it is read otherwise; in a dry run it is only as if. */
function stored(
  core: ApiCore,
  request: WriteObjectRequest,
  object: ApiObject,
  isIncomplete: boolean,
): ApiObject {
  const { type, query, leavesEmpty = false } = request;
  const read = type.behaviour.asRead?.(object) ?? object;
  if (query.dryRun) return asIfStored(type, read);
  const put = putObject(core, type, storable(request, read));
  if (isIncomplete || leavesEmpty || read !== object) incomplete.add(storedForm(core, type, put) ?? put);
  return put;
}

/** The object, without its owners if it can be stored only so. Errors: 500 for what is too large, as on the real server. */
function storable({ type, keepsOwners = false }: WriteObjectRequest, object: ApiObject): ApiObject {
  const refusal = whyTooLarge(type, object);
  if (refusal === undefined) return object;
  if (keepsOwners) throw refusal;
  const { managedFields: _, ...metadata } = object.metadata;
  const unowned = { ...object, metadata };
  const still = whyTooLarge(type, unowned);
  if (still !== undefined) throw still;
  return unowned;
}

/** Whether the real server leaves an object as it is where nothing changes; else it stores it again. */
export function isSettled(
  core: ApiCore,
  { type }: Pick<WriteObjectRequest, "type">,
  object: ApiObject,
): boolean {
  const stored = storedForm(core, type, object);
  return !incomplete.has(stored ?? object) && isStoredAsServed(type, object, stored);
}

/** The object in the version in which it is stored. */
function storedForm(
  { store }: ApiCore,
  { storageKey }: ServedType,
  { metadata }: ApiObject,
): ApiObject | undefined {
  return store.get(storageKey, metadata.namespace, metadata.name);
}

/** Faults after which the rules of a schema are not looked at any more. */
const blockingReasons = new Set<StatusCause["reason"]>([
  "FieldValueRequired",
  "FieldValueNotSupported",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Stored objects that the real server reads otherwise than it has stored them, until they are stored again. */
const incomplete = new WeakSet<ApiObject>();

/** What an update is held to besides its type. */
export interface UpdateChecks {
  readonly gate: Pick<AdmissionGate, "validate"> | undefined;
  /** Faults that were found before. */
  readonly causes: readonly StatusCause[];
}

/** Stores the next state of an object, removes it when nothing keeps it any more, or does nothing when nothing changed. */
export function storeUpdated(
  core: ApiCore,
  request: WriteObjectRequest,
  incoming: ApiObject,
  current: ApiObject,
  { gate, causes }: UpdateChecks,
): ApiObject {
  const { type, query } = request;
  const { behaviour } = type;
  const object = { ...incoming, metadata: { ...incoming.metadata } };
  // What the status endpoint of a custom type takes over from the object stays as it is.
  if ((!type.custom || request.subresource !== "status") && request.leavesUnset !== true)
    behaviour.setDefaults?.(object, afterAdmission(request, gate));
  // What the status endpoint stores is filled in where it is read only: it is another object than the current one until then.
  const isIncomplete = !type.custom && request.subresource === "status" && !equal(object, incoming);
  const raises = (): boolean => behaviour.raisesGeneration?.(object, current) === true;
  const isRaisedBefore = behaviour.countsBeforeSettling === true && raises();
  behaviour.prepare?.(object, current, settledWrite(core, request));
  // The status endpoint takes annotations along, which count on the main one only.
  if (request.subresource !== "status" && (isRaisedBefore || raises())) {
    object.metadata.generation = (current.metadata.generation ?? 0) + 1;
  }
  refuse(request, object, behaviour.claim?.(object, current) ?? []);
  refuse(request, object, [
    ...causes,
    ...validateMetadata(object.metadata, () => []),
    ...validateFinalizers(object.metadata, current.metadata),
    ...validateOwnFinalizers(type, object.metadata),
    ...(behaviour.validate?.(object, current, request.subresource) ?? []),
  ]);
  warnAboutFinalizers(request, object, current.metadata.finalizers ?? []);
  if (request.subresource === undefined || request.subresource === "scale") {
    request.warnings.push(...(behaviour.warnings?.(object, current) ?? []));
  }
  const owned = withOrderedMetadata(object);
  assertChangeable(core, request, object, current);
  assertSecure(core, request, object, current);
  gate?.validate(owned, current);
  chargeQuotas(core, request, object, current);
  if (isRemovable(request, owned) && current.metadata.deletionTimestamp !== undefined) {
    // Also if nothing changes.
    if (!query.dryRun) removeObject(core, type, current);
    return withEmptyLists(owned, incoming);
  }
  const isAsStored = !isIncomplete && request.leavesEmpty !== true && isSame(owned, current);
  if (isAsStored && isSettled(core, request, current)) return current;
  return stored(core, request, owned, isIncomplete);
}

/** What is answered without being read from the storage has empty lists as they were sent. */
function withEmptyLists(object: ApiObject, sent: ApiObject): ApiObject {
  const lists = Object.entries(sent).filter(([name, value]) => Array.isArray(value) && object[name] === null);
  return { ...object, ...Object.fromEntries(lists) };
}

/** Whether nothing keeps an object that is being deleted. */
export function isRemovable({ type }: Pick<WriteObjectRequest, "type">, object: ApiObject): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return (
    finalizers.length === 0 && deletionGracePeriodSeconds === 0 && type.behaviour.isHeld?.(object) !== true
  );
}

/**
 * Whether an object is stored as it would be now, where nothing changes in the version of the request. It may be stored in a version that is
 * not that of its type any more, or with what this one does not have.
 */
function isStoredAsServed(type: ServedType, object: ApiObject, stored: ApiObject | undefined): boolean {
  return !type.custom || (stored !== undefined && isSame(type.toStorage(object), stored));
}

function settledWrite(core: ApiCore, { user, subresource }: WriteObjectRequest): SettledWrite {
  return { user, subresource, now: timestampOf(core), newUid: () => core.newUid() };
}

/** Equal but for the resourceVersion and the times of owners; that those bring another order counts. */
function isSame(next: ApiObject, current: ApiObject): boolean {
  return equal(comparable(next), comparable(current));
}

function comparable(object: ApiObject): unknown {
  const { resourceVersion: _, managedFields = [], ...metadata } = object.metadata;
  const entries = managedFields.map(({ time: _time, ...entry }) => entry);
  return { ...object, metadata: { ...metadata, managedFields: entries } };
}

function refuse(request: WriteObjectRequest, object: ApiObject, errors: readonly StatusCause[]): void {
  if (errors.length === 0) return;
  throw invalidObject(request.type.group, request.type.kind, object.metadata.name, errors);
}

function resetStatus({ type }: WriteObjectRequest, object: ApiObject): void {
  if (type.custom) delete object["status"];
  else object["status"] = {};
}

function withOrderedMetadata(object: ApiObject): ApiObject {
  return { ...object, metadata: orderMetadata(object.metadata) };
}

function warnAboutFinalizers(
  { type, warnings }: WriteObjectRequest,
  object: ApiObject,
  before: readonly string[],
): void {
  if (!type.custom) return;
  const added = new Set((object.metadata.finalizers ?? []).filter((each) => !before.includes(each)));
  for (const finalizer of [...added].toSorted()) {
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) continue;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    warnings.push(
      `metadata.finalizers: "${finalizer}": prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
