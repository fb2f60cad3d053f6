// `metadata.managedFields` decoded: who owns which fields, by manager, operation, version and subresource.
// Read and written by server-side apply and by the bookkeeping of every other write.
import type { ManagedFieldsEntry } from "../../meta/object.ts";
import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import { FieldSet } from "./field-set.ts";

/** Who wrote: the parts of an entry that tell it from others. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** Absent for the main endpoint. */
  readonly subresource?: string;
}

/** One manager's fields. */
export interface ManagedEntry {
  readonly identity: ManagerIdentity;
  readonly fields: FieldSet;
  /** RFC 3339; the last time the manager gained a field or applied a change. */
  readonly time: string | undefined;
}

/** All managers of an object, by {@link identityKey}. */
export type ManagedFields = ReadonlyMap<string, ManagedEntry>;

/** How many managers of updates an object keeps apart; the oldest are then merged. */
const maxUpdateManagers = 10;
const mergedManager = "ancient-changes";

/** What two entries of the same manager share: appliers are one over all versions, updaters are not. */
export function identityKey({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  return JSON.stringify([operation, manager, operation === "Apply" ? "" : apiVersion, subresource ?? ""]);
}

/** An entry as the real server sorts those whom it names. */
export function identifierOf({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const version = operation === "Apply" ? {} : { apiVersion };
  return JSON.stringify({ manager, operation, ...version, subresource });
}

/** The managers in an object's `managedFields`; undefined when they cannot be read. */
export function decodeManagedFields(entries: unknown): ManagedFields | undefined {
  if (entries === undefined || entries === null) return new Map();
  if (!isJsonArray(entries)) return undefined;
  const managers = new Map<string, ManagedEntry>();
  for (const entry of entries) {
    const decoded = isJsonObject(entry) ? decodeEntry(entry) : undefined;
    if (decoded === undefined) return undefined;
    managers.set(identityKey(decoded.identity), decoded);
  }
  return managers;
}

/** Whether a request's `managedFields` ask to forget all ownership: one empty entry, or none in an object of Kubernetes' own types. */
export function isReset(entries: unknown): boolean {
  if (!isJsonArray(entries) || entries.length > 1) return false;
  if (entries.length === 0) return true;
  const [only] = entries;
  return isJsonObject(only) && Object.keys(only).length === 0;
}

/** The managers as `metadata.managedFields`; undefined when there are none. */
export function encodeManagedFields(managers: ManagedFields): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(compareEntries).map(({ identity, fields, time }) => ({
    manager: identity.manager,
    operation: identity.operation,
    apiVersion: identity.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: fields.toFieldsV1(),
    ...(identity.subresource === undefined ? {} : { subresource: identity.subresource }),
  }));
}

/** Merges the oldest updaters of a version into one entry until at most ten are left. */
export function capUpdateManagers(managers: ManagedFields): ManagedFields {
  const updaters = [...managers.entries()]
    .filter(([, entry]) => entry.identity.operation === "Update")
    .sort(([, left], [, right]) => compareEntries(left, right));
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return managers;
  const kept = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  for (const [key, entry] of updaters) {
    if (excess === 0) break;
    const { apiVersion } = entry.identity;
    const identity: ManagerIdentity = { manager: mergedManager, operation: "Update", apiVersion };
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, key);
      continue;
    }
    const bucketKey = identityKey(identity);
    const bucket = kept.get(bucketKey) ?? kept.get(first);
    kept.delete(first);
    kept.delete(key);
    const fields = (bucket?.fields ?? FieldSet.empty).union(entry.fields);
    kept.set(bucketKey, { identity, fields, time: entry.time });
    firstOfVersion.set(apiVersion, bucketKey);
    excess -= 1;
  }
  return kept;
}

function decodeEntry(entry: Readonly<Record<string, unknown>>): ManagedEntry | undefined {
  const { manager = "", operation, apiVersion = "", time, fieldsType, fieldsV1 = {}, subresource } = entry;
  const fields = FieldSet.fromFieldsV1(fieldsV1);
  if (typeof manager !== "string" || typeof apiVersion !== "string" || fields === undefined) return undefined;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (fieldsType !== undefined && fieldsType !== "FieldsV1") return undefined;
  return {
    identity: {
      manager,
      operation,
      apiVersion,
      ...(typeof subresource === "string" && subresource !== "" ? { subresource } : {}),
    },
    fields,
    time: typeof time === "string" ? time : undefined,
  };
}

function compareEntries(left: ManagedEntry, right: ManagedEntry): number {
  const [mine, theirs] = [left, right].map(({ identity, time }) => [
    identity.operation,
    time ?? "",
    identity.manager,
    identity.apiVersion,
    identity.subresource ?? "",
  ]);
  for (const [index, text] of (mine ?? []).entries()) {
    const other = theirs?.[index] ?? "";
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
