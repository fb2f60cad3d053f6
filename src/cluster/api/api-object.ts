// The objects that the API server holds and sends: like meta/object.ts, but mutable while a request composes them.
// Stored objects are never changed: every write composes a new one from a copy.
import type { ManagedFieldsEntry, OwnerReference } from "../../meta/object.ts";

/** An object's metadata while a request composes it. */
export interface ApiMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** An object while a request composes it; its other fields are read by name. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ApiMeta;
  [field: string]: unknown;
}

/** A JSON object whose fields are read by name. */
export type Fields = Record<string, unknown>;

/** Whether a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON object in a field, or an empty one that is not attached. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The JSON object in a field of a parent, created when it is absent. */
export function ensureFields(parent: Fields, name: string): Fields {
  const existing = parent[name];
  if (isFields(existing)) return existing;
  const created: Fields = {};
  parent[name] = created;
  return created;
}

/** The text in a field; empty when it is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The list in a field; empty when it is absent. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The JSON objects of a list. */
export function fieldsList(value: unknown): Fields[] {
  return listOf(value).filter(isFields);
}

/** Sets a field when it is absent. */
export function setDefault(fields: Fields, name: string, value: unknown): void {
  if (fields[name] === undefined) fields[name] = value;
}
