// Who owns what after a write that is no apply: the writer takes every field whose value it changed.
// Called by the API server for create, update and the patches other than apply, and by server-side apply for objects without owners.
import { toTimestamp } from "../../meta/condition.ts";
import type { ManagedFieldsEntry } from "../../meta/object.ts";
import { isJsonObject } from "../../schema/json-value.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import { compareValues, excludeFields, type Comparison } from "./compare-values.ts";
import { withEmptyStructs } from "./empty-object.ts";
import { FieldSet } from "./field-set.ts";
import {
  capUpdateManagers,
  decodeManagedFields,
  encodeManagedFields,
  identityKey,
  isReset,
} from "./managed-fields.ts";
import type { ManagedFields, ManagerIdentity } from "./managed-fields.ts";
import { ownable, releaseFields } from "./ownership.ts";
import { PatchError } from "./patch-error.ts";
import { typeNodeOf } from "./type-atom.ts";

/** Who writes, in which version and where. */
export interface Writer {
  readonly manager: string;
  /** The version of the request. */
  readonly apiVersion: string;
  /** Absent for the main endpoint. */
  readonly subresource?: string;
  /** Schema of the whole object in that version, `metadata` included. */
  readonly schema: StructuralSchema;
  /** Fields that this endpoint does not let its clients write ({@link resetFieldsOf}); nobody owns them here. */
  readonly resetFields?: FieldSet;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The other versions of the type, in which others may own fields; undefined for a version that is not there any more. */
  readonly otherVersion?: (apiVersion: string) => OtherVersion | undefined;
}

/** A version of the type besides that of the request. */
export interface OtherVersion {
  readonly schema: StructuralSchema;
  /** As in {@link Writer}, where the endpoint is one of this version, too. */
  readonly resetFields?: FieldSet;
  /** An object as this version sees it. Errors: {@link PatchError} for one that has what the version does not. */
  convert(object: JsonObject): JsonObject;
}

/** Looks at what is stored in each version in which fields are owned. Errors: {@link PatchError}, as {@link OtherVersion.convert}. */
export function assertReadable(
  { apiVersion, otherVersion }: Writer,
  managers: ManagedFields,
  live: JsonObject,
): void {
  for (const { identity } of managers.values()) {
    if (identity.apiVersion !== apiVersion) otherVersion?.(identity.apiVersion)?.convert(live);
  }
}

/** Converts with what is said of an object that cannot be. */
export function convertedWith<T>(said: string, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PatchError(`${said}: ${error.message}`, { status: 500 });
  }
}

/** A write that is no apply. */
export interface UpdateRecord extends Writer {
  /** The stored object; absent on create. */
  readonly before?: JsonObject;
  /**
   * The object as the client wants it: defaulted, mutated by webhooks, with the `managedFields` that it sent.
   * What the server adds of its own accord (a namespace's finalizers) comes after and belongs to nobody.
   */
  readonly after: JsonObject;
  /**
   * What a new object of this type has before anything is set ({@link emptyObjectOf}).
   * Kubernetes' own types have their structs from the start, so that nobody owns those; default: nothing.
   */
  readonly emptyObject?: JsonObject;
}

/**
 * The `metadata.managedFields` to store with an updated object; undefined when there are none.
 *
 * **Guarantees**: a client may replace the list of owners or wipe it with `[{}]`, on the main endpoint only;
 * an object without owners gets none by an update; a write that changes nothing changes no entry and no time.
 */
export function recordUpdate(record: UpdateRecord): readonly ManagedFieldsEntry[] | undefined {
  const managers = managersBefore(record);
  if (managers.size === 0 && record.before !== undefined) return undefined;
  return encodeManagedFields(recordChange(managers, record));
}

/** The managers after a change by an updater. */
export function recordChange(managers: ManagedFields, record: UpdateRecord): ManagedFields {
  const { before, emptyObject = {}, manager, apiVersion, subresource } = record;
  const after = withEmptyStructs(record.after, emptyObject);
  if (before !== undefined) assertReadable(record, managers, before);
  const compared = compareValues(typeNodeOf(record.schema), before ?? emptyObject, after);
  const comparison =
    record.resetFields === undefined ? compared : excludeFields(compared, record.resetFields);
  const inVersion = comparisonsByVersion(record, comparison, before ?? emptyObject, after);
  const taken = ownable(comparison.modified.union(comparison.added));
  if (taken.isEmpty) return capUpdateManagers(releaseFields(managers, inVersion, undefined));
  const identity: ManagerIdentity = {
    manager: manager === "" ? "unknown" : manager,
    operation: "Update",
    apiVersion,
    ...(subresource === undefined ? {} : { subresource }),
  };
  const key = identityKey(identity);
  const released = releaseFields(managers, inVersion, key);
  // What it has owned before stays as it is where it changes only that.
  const kept = managers.get(key)?.fields.difference(comparison.removed) ?? FieldSet.empty;
  const fields = kept.union(taken);
  const recorded = new Map(released).set(key, { identity, fields, time: toTimestamp(record.now) });
  return capUpdateManagers(recorded);
}

/** The comparison as each version sees it; undefined where there is no such version any more. */
export type ComparisonInVersion = (apiVersion: string) => Comparison | undefined;

/**
 * The same change in the versions in which fields are owned.
 *
 * **Caveats**: as on the real server, fields that the main endpoint does not write are left out in the version of the request only.
 * What is sent for them there takes them from their owners in other versions.
 */
export function comparisonsByVersion(
  { apiVersion, otherVersion }: Writer,
  own: Comparison,
  before: JsonObject,
  after: JsonObject,
): ComparisonInVersion {
  if (otherVersion === undefined) return () => own;
  const known = new Map<string, Comparison | undefined>([[apiVersion, own]]);
  return (version) => {
    if (!known.has(version)) {
      known.set(version, comparisonIn(otherVersion(version), before, after));
    }
    return known.get(version);
  };
}

function comparisonIn(
  other: OtherVersion | undefined,
  before: JsonObject,
  after: JsonObject,
): Comparison | undefined {
  if (other === undefined) return undefined;
  const compared = compareValues(
    typeNodeOf(other.schema),
    convertedWith("failed to convert old object", () => other.convert(before)),
    convertedWith("failed to convert new object", () => other.convert(after)),
  );
  return other.resetFields === undefined ? compared : excludeFields(compared, other.resetFields);
}

/** The owners that a write starts from: the client's list if it sent a usable one, else the stored object's. */
function managersBefore({ before, after, subresource }: UpdateRecord): ManagedFields {
  const sent = managedFieldsOf(after);
  const stored = decodeManagedFields(managedFieldsOf(before)) ?? new Map();
  if (subresource !== undefined) return stored;
  if (isReset(sent)) return new Map();
  const decoded = decodeManagedFields(sent);
  return decoded === undefined || decoded.size === 0 ? stored : decoded;
}

/** The raw `metadata.managedFields` of an object. */
export function managedFieldsOf(object: JsonObject | undefined): unknown {
  const metadata = object?.["metadata"];
  return isJsonObject(metadata) ? metadata["managedFields"] : undefined;
}
