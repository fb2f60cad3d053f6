// What a change does to the owners of fields: whoever changes a field takes it, and removed fields have no owner.
// The part that server-side apply and all other writes share.
import type { ApplyConflict } from "./apply-conflict.ts";
import { conflictWith } from "./apply-conflict.ts";
import type { Comparison } from "./compare-values.ts";
import { FieldSet } from "./field-set.ts";
import { identifierOf, type ManagedEntry, type ManagedFields } from "./managed-fields.ts";

/** Fields that the server sets or that identify the object: nobody owns them. */
const unowned = FieldSet.of([
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", `f:${name}`] as const),
]);

/** The set without the fields that nobody owns. */
export function ownable(set: FieldSet): FieldSet {
  return set.difference(unowned);
}

/** The fields of others that a change touches, in the order in which those are named. */
export function findConflicts(
  managers: ManagedFields,
  inVersion: (apiVersion: string) => Comparison | undefined,
  writer: string | undefined,
): readonly ApplyConflict[] {
  const changedIn = (apiVersion: string): FieldSet => {
    const comparison = inVersion(apiVersion);
    return comparison === undefined ? FieldSet.empty : comparison.modified.union(comparison.added);
  };
  return [...managers]
    .filter(([key]) => key !== writer)
    .map(([, entry]) => [identifierOf(entry.identity), entry] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, entry]) =>
      [...entry.fields.intersection(changedIn(entry.identity.apiVersion)).paths()].map((path) =>
        conflictWith(entry.identity, path),
      ),
    );
}

/** The managers after a change: without the fields that the writer took or that are gone. */
export function releaseFields(
  managers: ManagedFields,
  inVersion: (apiVersion: string) => Comparison | undefined,
  writer: string | undefined,
): ManagedFields {
  const after = new Map<string, ManagedEntry>();
  const taken = new Map<Comparison | undefined, FieldSet>();
  for (const [key, entry] of managers) {
    if (key === writer) {
      if (!entry.fields.isEmpty) after.set(key, entry);
      continue;
    }
    const comparison = inVersion(entry.identity.apiVersion);
    // Nobody can say what is owned in a version that is gone.
    if (comparison === undefined) continue;
    if (!taken.has(comparison)) taken.set(comparison, takenIn(comparison));
    const fields = entry.fields.difference(taken.get(comparison) ?? FieldSet.empty);
    if (!fields.isEmpty) after.set(key, { ...entry, fields });
  }
  return after;
}

function takenIn(comparison: Comparison | undefined): FieldSet {
  if (comparison === undefined) return FieldSet.empty;
  return comparison.modified.union(comparison.added).union(comparison.removed);
}
