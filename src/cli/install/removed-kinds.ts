// Kinds that an operator once had and this build of it has no longer: what still carries its finalizer could never be deleted.
import { isForbidden, isNotFound } from "../../client/api-error.ts";
import { listAll } from "../../client/paging.ts";
import type { OperatorDefinition } from "../../controller/declaration/define-operator.ts";
import { finalizerOf } from "../../controller/run/reconciler.ts";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import { graphAnnotation, operatorLabel } from "../../kinds/crd.ts";
import { managersOf } from "../../meta/field-managers.ts";
import { metadataOnly } from "../../meta/metadata-only.ts";
import type { KubeObject } from "../../meta/object.ts";
import { resourceNameOf, type ResourceType } from "../../meta/resource-type.ts";
import { storedTypeOf } from "../cluster-object.ts";
import { fieldManager, present, type InstallTools } from "./apply-manifests.ts";

/** Such a kind, with what there is of it. */
export interface RemovedKind {
  /** Of its definition. */
  readonly name: string;
  readonly type: ResourceType;
  /** All its resources; of each only the metadata. */
  readonly resources: readonly KubeObject[];
  /** Those of them that have the operator's finalizer. */
  readonly held: readonly KubeObject[];
}

/**
 * The kinds of an operator, also by its former names, that it declares no longer and whose definitions are still there. A
 * definition without the label, of an install before there was one, counts if the operator has put its finalizer into one of the
 * resources. None where definitions may not be listed.
 *
 * **RBAC**: `list` and `get` on customresourcedefinitions, `list` on these kinds.
 */
export async function removedKinds(
  tools: InstallTools,
  { name, formerNames = [], controllers }: OperatorDefinition,
): Promise<readonly RemovedKind[]> {
  const names = [name, ...formerNames];
  const kinds = controllers.map(({ kind }) => kind);
  const declared = new Set(kinds.map(resourceNameOf));
  const groups = new Set(kinds.map(({ group }) => group));
  const removed: RemovedKind[] = [];
  for (const { metadata } of await listed(tools, CustomResourceDefinition)) {
    const owner = metadata.labels?.[operatorLabel];
    const isCandidate = owner === undefined ? mayBeOf(names, groups, metadata) : names.includes(owner);
    if (declared.has(metadata.name) || !isCandidate) continue;
    const definition = (await present(tools, CustomResourceDefinition, { metadata })) as
      CustomResourceDefinition | undefined;
    if (definition === undefined) continue;
    const type = storedTypeOf(definition);
    const finalizer = finalizerOf(type);
    const resources = await listed(tools, type);
    const held = resources.filter(
      (resource) =>
        resource.metadata.finalizers?.includes(finalizer) &&
        (owner !== undefined || isSetBy(names, resource, finalizer)),
    );
    if (owner !== undefined || held.length > 0) removed.push({ name: metadata.name, type, resources, held });
  }
  return removed;
}

/** The metadata of all objects of a type; none of a type that may not be listed, or is not there. */
async function listed({ client, signal }: InstallTools, type: ResourceType): Promise<readonly KubeObject[]> {
  try {
    return (await listAll(client, metadataOnly(type), { signal })).items;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return [];
    throw error;
  }
}

/** Whether a definition without the label is worth a look at its resources: there may be hundreds of others on the cluster. */
function mayBeOf(
  names: readonly string[],
  groups: ReadonlySet<string>,
  { name, annotations = {}, managedFields = [] }: KubeObject["metadata"],
): boolean {
  return (
    groups.has(name.slice(name.indexOf(".") + 1)) ||
    graphAnnotation in annotations ||
    managedFields.some(({ manager = "" }) => manager === fieldManager || names.includes(manager))
  );
}

function isSetBy(names: readonly string[], { metadata }: KubeObject, finalizer: string): boolean {
  return managersOf(metadata.managedFields, `metadata.finalizers[${finalizer}]`).some(({ manager = "" }) =>
    names.includes(manager),
  );
}
