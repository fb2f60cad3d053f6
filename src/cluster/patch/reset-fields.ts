// Which fields an endpoint does not let its clients write, so that nobody comes to own them through it.
// Given by the API server to every ownership question.
import { FieldSet } from "./field-set.ts";

/** An endpoint of a type. */
export interface Endpoint {
  /** Absent for the main endpoint. */
  readonly subresource?: string;
  /** Whether the type has a status subresource. */
  readonly hasStatus: boolean;
  /** Whether a CRD defines the type. */
  readonly custom: boolean;
  /** The kind, for the few built-in ones that differ. */
  readonly kind?: string;
}

const status = FieldSet.of([["f:status"]]);
const allButStatus = FieldSet.of([["f:spec"], ["f:metadata"]]);
const specAndLabels = FieldSet.of([["f:spec"], ["f:metadata", "f:labels"]]);
const spec = FieldSet.of([["f:spec"]]);

/** The fields that an endpoint resets: status on the main one, everything else on the status one. */
export function resetFieldsOf({ subresource, hasStatus, custom, kind }: Endpoint): FieldSet {
  if (subresource === "status") {
    if (custom) return allButStatus;
    return kind !== undefined && keepingLabels.has(kind) ? spec : specAndLabels;
  }
  return subresource === undefined && hasStatus ? status : FieldSet.empty;
}

/** Kinds whose status endpoint takes labels too. */
const keepingLabels = new Set([
  "Namespace",
  "Node",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Pod",
  "Service",
]);
