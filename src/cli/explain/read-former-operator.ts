// Whether the operator of an object's kind still has the kind: its Deployments say which kinds it was installed with.
import { isForbidden } from "../../client/api-error.ts";
import { listAll } from "../../client/paging.ts";
import { finalizerOf } from "../../controller/run/reconciler.ts";
import { labelsOf } from "../../delivery/document.ts";
import { kindsAnnotation } from "../../delivery/workload.ts";
import type { FormerOperator } from "../../explain/explanation.ts";
import { Deployment } from "../../kinds/builtin/apps.ts";
import { managersOf } from "../../meta/field-managers.ts";
import { metadataOnly } from "../../meta/metadata-only.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey } from "../../meta/object-key.ts";
import { resourceNameOf } from "../../meta/resource-type.ts";
import type { ClusterKind } from "../cluster-object.ts";

/** What was found, and what could not be read. */
export interface ReadOperator {
  /** Only when each Deployment of the operator says that it has the kind no longer; it may run where nothing says so. */
  readonly former?: FormerOperator;
  readonly unknown: readonly string[];
}

/**
 * Asks the Deployments of the operator that the kind's definition names, or else of the one that has set its finalizer.
 *
 * **RBAC**: `list` on deployments of all namespaces; without it nothing is known.
 */
export async function readFormerOperator(
  { client, type, operator }: Pick<ClusterKind, "client" | "type" | "operator">,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<ReadOperator> {
  const [setter] = managersOf(metadata.managedFields, `metadata.finalizers[${finalizerOf(type)}]`);
  const name = operator ?? setter?.manager;
  // Any client may be called as it likes; an operator has the name of a label.
  if (name === undefined || !/^[\w.-]{1,63}$/.test(name)) return { unknown: [] };
  try {
    const labelSelector = Object.entries(labelsOf(name))
      .map((label) => label.join("="))
      .join(",");
    const { items } = await listAll(client, metadataOnly(Deployment), { labelSelector, signal });
    const kinds = items.map((item) => item.metadata.annotations?.[kindsAnnotation]?.split(","));
    const isFormer =
      items.length > 0 && kinds.every((each) => each !== undefined && !each.includes(resourceNameOf(type)));
    const deployments = items.map((item) => formatKey(item.metadata));
    return { ...(isFormer ? { former: { name, deployments } } : {}), unknown: [] };
  } catch (error: unknown) {
    if (!isForbidden(error)) throw error;
    return { unknown: [`Whether ${name} still has the kind: you may not list deployments.`] };
  }
}
