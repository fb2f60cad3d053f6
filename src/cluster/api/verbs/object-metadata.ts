// The metadata of an object as a write leaves it: what the server sets, what it keeps, and what it refuses.
import { forbiddenValue, invalidValue, type StatusCause } from "../../../schema/status-cause.ts";
import { timestampOf, type ApiCore } from "../api-core.ts";
import { generatedSuffix } from "../generated-suffix.ts";
import type { ApiMeta } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { orderMetadata } from "../metadata-order.ts";

/** Finalizers that are Kubernetes' own. */
export const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
const longestGeneratedBase = 58;

/** What a client may say of a new object's metadata, before the server sets its own; the name may still be missing. */
export function sentMetadata(given: ApiMeta, namespace: string): ApiMeta {
  const { name, generateName, generation, labels, annotations, ownerReferences, finalizers, managedFields } =
    given;
  const { deletionTimestamp, deletionGracePeriodSeconds } = given;
  return orderMetadata({
    ...(name === undefined || name === "" ? {} : { name }),
    ...(generateName === undefined ? {} : { generateName }),
    ...(namespace === "" ? {} : { namespace }),
    ...(generation === undefined ? {} : { generation }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(managedFields === undefined ? {} : { managedFields }),
  } as ApiMeta);
}

/** The metadata of a new object: the server's values in place of the client's. Only `generation` is kept where given. */
export function createMetadata(core: ApiCore, given: ApiMeta, namespace: string): ApiMeta {
  const sent = sentMetadata(given, namespace);
  return orderMetadata({
    ...sent,
    name: sent.name ?? generatedName(core, given),
    uid: core.newUid(),
    creationTimestamp: timestampOf(core),
  });
}

function generatedName(core: ApiCore, { generateName = "" }: ApiMeta): string {
  return generateName === ""
    ? ""
    : generateName.slice(0, longestGeneratedBase) + generatedSuffix(core.random);
}

/** The metadata of an update: what a client may set from `given`, everything else from the current object. */
export function updateMetadata(given: ApiMeta, current: ApiMeta): ApiMeta {
  const { generateName = "", labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = given;
  return orderMetadata({
    ...current,
    generateName: generateName === "" ? undefined : generateName,
    labels: Object.keys(labels).length === 0 ? undefined : labels,
    annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
    ownerReferences: ownerReferences.length === 0 ? undefined : ownerReferences,
    finalizers: finalizers.length === 0 ? undefined : finalizers,
  });
}

/** Groups whose types do not ask for finalizers with a prefix. */
const plainFinalizers = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "policy",
]);

/** Faults of the finalizers of an object of a built-in type: each is one of Kubernetes' own, or has a prefix. */
export function validateOwnFinalizers(
  { custom, group, behaviour }: Pick<ServedType, "custom" | "group" | "behaviour">,
  { finalizers = [] }: ApiMeta,
): StatusCause[] {
  if (custom || plainFinalizers.has(group) || behaviour.hasPlainMetadata === true) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes("/") || standardFinalizers.has(finalizer)
      ? []
      : [invalidValue(`metadata.finalizers[${index}]`, finalizer, detail)],
  );
}

/** Nobody deletes an object by saying when it was deleted, or how long it has been given. */
export function validateDeletionTime(given: ApiMeta, current: ApiMeta, isFoundTwice: boolean): StatusCause[] {
  return (["deletionTimestamp", "deletionGracePeriodSeconds"] as const).flatMap((name) => {
    const value = given[name];
    const before = current[name];
    // The time stays as it is, whatever is sent.
    const isKept = before !== undefined && (name === "deletionTimestamp" || value === before);
    if ((value ?? undefined) === undefined || isKept) return [];
    const error = invalidValue(`metadata.${name}`, value, "field is immutable");
    // As a change of the metadata, and as one of the object.
    return isFoundTwice ? [error, error] : [error];
  });
}

/** Faults of what an update does to the finalizers of an object that is being deleted. */
export function validateFinalizers(next: ApiMeta, current: ApiMeta): StatusCause[] {
  if (current.deletionTimestamp === undefined) return [];
  const added = (next.finalizers ?? []).filter((each) => !(current.finalizers ?? []).includes(each));
  if (added.length === 0) return [];
  const list = added.map((each) => JSON.stringify(each)).join(", ");
  return [
    forbiddenValue(
      "metadata.finalizers",
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}
