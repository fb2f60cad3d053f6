// Who owns the replicas of a Scale: the owners of the field behind them, seen in the version of the Scale, and back.
// Called by the API server around every write of a Scale, whose ownership is then that of any other object.
import type { ManagedFieldsEntry } from "../../meta/object.ts";
import { FieldSet } from "./field-set.ts";
import { decodeManagedFields, encodeManagedFields } from "./managed-fields.ts";
import type { ManagedEntry } from "./managed-fields.ts";
import { fieldElement } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";

/** The version of a Scale. */
export const scaleVersion = "autoscaling/v1";

/** Where the versions of a scaled type have their replicas: undefined where one has no Scale. */
export type ReplicasPaths = ReadonlyMap<string, readonly PathElement[] | undefined>;

const replicasOfScale = FieldSet.of([["f:spec", "f:replicas"]]);

/** The path of a scale subresource's `specReplicasPath`. */
export function toReplicasPath(text: string): readonly PathElement[] {
  return text
    .replace(/^\./, "")
    .split(".")
    .map((name) => fieldElement(name));
}

/** The `managedFields` of the Scale of an object with these. */
export function ownersOfScale(entries: unknown, paths: ReplicasPaths): readonly ManagedFieldsEntry[] {
  const owners = [...(decodeManagedFields(entries) ?? [])].filter(([, { identity, fields }]) => {
    const path = paths.get(identity.apiVersion);
    return path !== undefined && fields.has(path);
  });
  const ofScale = owners.map(([key, { identity, time }]): [string, ManagedEntry] => [
    key,
    { identity: { ...identity, apiVersion: scaleVersion }, fields: replicasOfScale, time },
  ]);
  return encodeManagedFields(new Map(ofScale)) ?? [];
}

/**
 * The `managedFields` of an object after a write of its Scale in a version of the object.
 *
 * **Guarantees**: as on the real server, whoever owns replicas by an update comes to own them in an entry of its own, without a
 * time, also where the write changed nothing: in a Scale updates are those of its version, and are not known again.
 */
export function ownersAfterScale(
  entries: unknown,
  ofScale: unknown,
  { apiVersion, paths }: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): readonly ManagedFieldsEntry[] | undefined {
  const before = decodeManagedFields(entries) ?? new Map<string, ManagedEntry>();
  const scaled = new Map(decodeManagedFields(ofScale) ?? []);
  const after = new Map<string, ManagedEntry>();
  for (const [key, entry] of before) {
    const { apiVersion: version } = entry.identity;
    if (!paths.has(version)) continue;
    const path = paths.get(version);
    const keeps = path === undefined || !entry.fields.has(path) || scaled.has(key);
    const fields = keeps ? entry.fields : entry.fields.difference(FieldSet.of([path]));
    if (path !== undefined && entry.fields.has(path)) scaled.delete(key);
    if (!fields.isEmpty) after.set(key, { ...entry, fields });
  }
  const own = paths.get(apiVersion);
  if (own === undefined) return encodeManagedFields(after);
  const inScale = [fieldElement("spec"), fieldElement("replicas")];
  for (const [key, { identity, fields }] of scaled) {
    if (!fields.has(inScale)) continue;
    const time = before.get(key)?.time;
    after.set(key, { identity: { ...identity, apiVersion }, fields: FieldSet.of([own]), time });
  }
  return encodeManagedFields(after);
}
