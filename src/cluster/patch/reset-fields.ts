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
const spec = FieldSet.of([["f:spec"]]);
const specAnd = (...names: readonly string[]): FieldSet =>
  spec.union(FieldSet.of(names.map((name) => ["f:metadata", `f:${name}`] as const)));

/** Built-in kinds whose status endpoint resets more than the spec. */
const ofStatus: ReadonlyMap<string, FieldSet> = new Map([
  ["Deployment", specAnd("labels")],
  ["Pod", specAnd("deletionTimestamp", "ownerReferences")],
]);

/** The fields that an endpoint resets: status on the main one, the spec and more on the status one. */
export function resetFieldsOf({ subresource, hasStatus, custom, kind = "" }: Endpoint): FieldSet {
  if (subresource === "status") return custom ? allButStatus : (ofStatus.get(kind) ?? spec);
  return subresource === undefined && hasStatus ? status : FieldSet.empty;
}
