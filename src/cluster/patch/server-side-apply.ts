// Server-side apply: a manifest states the fields its manager wants; what it drops goes, what others own is a conflict.
// Called by the API server with the live object; the result is then defaulted, pruned, validated and stored by it.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/
import { toTimestamp } from "../../meta/condition.ts";
import { equal, isJsonObject } from "../../schema/json-value.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import type { ApplyConflict } from "./apply-conflict.ts";
import { compareValues, excludeFields } from "./compare-values.ts";
import { withoutDropped } from "./dropped-fields.ts";
import type { FieldSet } from "./field-set.ts";
import { decodeManagedFields, encodeManagedFields, identityKey } from "./managed-fields.ts";
import type { ManagedEntry, ManagedFields, ManagerIdentity } from "./managed-fields.ts";
import { mindsLastApplied, unchangedSinceApplied, withLastApplied } from "./last-applied.ts";
import { mergeValues } from "./merge-values.ts";
import { findConflicts, ownable, releaseFields } from "./ownership.ts";
import { badPatch, PatchError } from "./patch-error.ts";
import { assertReadable, comparisonsByVersion, managedFieldsOf, recordChange } from "./record-update.ts";
import type { Writer } from "./record-update.ts";
import { printPath } from "./path-element.ts";
import { toFieldSet } from "./to-field-set.ts";
import { typeNodeOf } from "./type-atom.ts";
import { joinTypedErrors, typedErrors } from "./typed-errors.ts";

/** An apply of a manifest. */
export interface ApplyRequest extends Writer {
  /** The stored object; absent when the apply creates it. */
  readonly live?: JsonObject;
  readonly manifest: JsonObject;
  /** Take the fields of others instead of failing with their conflicts. */
  readonly force: boolean;
  /** As in {@link UpdateRecord}: what a new object of the type has before anything is set. */
  readonly emptyObject?: JsonObject;
}

/** The merged object with its new `managedFields`, or what kept the apply from being done. */
export type ApplyResult = { readonly object: JsonObject } | { readonly conflicts: readonly ApplyConflict[] };

const adoptingManager = "before-first-apply";

/**
 * Merges a manifest into the live object on behalf of a manager.
 *
 * **Guarantees**: fields that the manager applied before and drops now are removed unless another manager owns them;
 * fields with equal values get one more owner; applying the same manifest again gives an equal object, times included.
 * Owners of other versions are compared in theirs.
 *
 * **Errors**: {@link PatchError} 400 for a manifest with `managedFields` or of another version, 500 for one that is no
 * instance of its type (unknown fields, wrong types, duplicate items), and where the live object is none.
 */
export function applyManifest(request: ApplyRequest): ApplyResult {
  const { live, manifest, schema } = request;
  if (live === undefined || !mindsLastApplied(request.manager, live)) return mergeManifest(request);
  const merged = mergeManifest(request);
  if ("object" in merged) return { object: withLastApplied(merged.object, manifest) };
  const allowed = new Set([...unchangedSinceApplied(typeNodeOf(schema), live).paths()].map(printPath));
  const conflicts = merged.conflicts.filter(({ field }) => !allowed.has(field));
  if (conflicts.length > 0) return { conflicts };
  const forced = mergeManifest({ ...request, force: true });
  return "object" in forced ? { object: withLastApplied(forced.object, manifest) } : forced;
}

function mergeManifest(request: ApplyRequest): ApplyResult {
  const { live, manifest, schema } = request;
  assertApplicable(request);
  const node = typeNodeOf(schema);
  const liveObject = live ?? {
    apiVersion: manifest["apiVersion"],
    kind: manifest["kind"],
    ...request.emptyObject,
  };
  const identity = applierOf(request);
  const key = identityKey(identity);
  const managers = managersBefore(request);
  assertReadable(request, managers, withoutManagedFields(liveObject));
  const previous = managers.get(key);
  const applied = withoutReset(toFieldSet(node, manifest), request);
  const entry: ManagedEntry = { identity, fields: applied, time: previous?.time };
  const withApplied = new Map(managers).set(key, entry);

  const unowned = withoutManagedFields(liveObject);
  const merged = mergeValues(node, unowned, manifest);
  const drops = previous !== undefined && !previous.fields.difference(applied).isEmpty;
  // In other versions the real server looks for what is dropped also where nothing is.
  const isOwnedElsewhere = [...managers.values()].some(
    ({ identity: { apiVersion } }) => apiVersion !== request.apiVersion,
  );
  const next =
    previous !== undefined && (drops || isOwnedElsewhere)
      ? withoutDropped(request, merged, previous, withApplied)
      : merged;
  const compared = compareValues(node, unowned, next);
  const comparison =
    request.resetFields === undefined ? compared : excludeFields(compared, request.resetFields);
  const inVersion = comparisonsByVersion(request, comparison, unowned, isJsonObject(next) ? next : {});
  const conflicts = findConflicts(withApplied, inVersion, key);
  if (conflicts.length > 0 && !request.force) return { conflicts };

  const released = new Map(releaseFields(withApplied, inVersion, key));
  const wanted = ownable(applied);
  // The same fields as before are not written again.
  const own = previous?.fields.equals(wanted) === true ? previous.fields : wanted;
  const changed = !equal(unowned, next);
  const time = changed ? toTimestamp(request.now) : previous?.time;
  if (own.isEmpty) released.delete(key);
  else released.set(key, { identity, fields: own, time });
  return { object: withManagers(isJsonObject(next) ? next : {}, released) };
}

function assertApplicable({ live, manifest, apiVersion, schema }: ApplyRequest): void {
  const given = manifest["apiVersion"];
  if (given !== apiVersion) {
    throw badPatch(
      `Incorrect version specified in apply patch. Specified patch version: ${typeof given === "string" ? given : ""}, expected: ${apiVersion}`,
    );
  }
  const managedFields = managedFieldsOf(manifest);
  if (managedFields !== undefined && managedFields !== null) {
    throw badPatch("metadata.managedFields must be nil");
  }
  const node = typeNodeOf(schema);
  refuseMisfit("patch", manifest, typedErrors(node, manifest));
  // What is stored may be older than its schema.
  if (live !== undefined) {
    refuseMisfit("live", live, typedErrors(node, withoutManagedFields(live), "stored"));
  }
}

function refuseMisfit(what: "patch" | "live", object: JsonObject, errors: readonly string[]): void {
  if (errors.length === 0) return;
  throw new PatchError(
    `failed to create typed ${what} object (${printObject(object)}): ${joinTypedErrors(errors)}`,
    { status: 500 },
  );
}

/** How an object is named where it is no instance of its type. */
export function printObject(manifest: JsonObject): string {
  const metadata = isJsonObject(manifest["metadata"]) ? manifest["metadata"] : {};
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const apiVersion = text(manifest["apiVersion"]);
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  const name = `${text(metadata["namespace"])}/${text(metadata["name"])}`;
  return `${name}; ${version}, Kind=${text(manifest["kind"])}`;
}

function applierOf({ manager, apiVersion, subresource }: ApplyRequest): ManagerIdentity {
  return { manager, operation: "Apply", apiVersion, ...(subresource === undefined ? {} : { subresource }) };
}

/** The owners before the apply; what an object without owners holds is given to a manager of its own. */
function managersBefore(request: ApplyRequest): ManagedFields {
  const { live } = request;
  const managers = decodeManagedFields(managedFieldsOf(live)) ?? new Map<string, ManagedEntry>();
  if (live === undefined || managers.size > 0) return managers;
  return recordChange(managers, { ...request, manager: adoptingManager, after: withoutManagedFields(live) });
}

function withoutReset(set: FieldSet, { resetFields }: ApplyRequest): FieldSet {
  return resetFields === undefined ? set : set.recursiveDifference(resetFields);
}

function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _owners, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function withManagers(object: JsonObject, managers: ManagedFields): JsonObject {
  const managedFields = encodeManagedFields(managers);
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  return managedFields === undefined ? object : { ...object, metadata: { ...metadata, managedFields } };
}
