// How many pods the controllers of some pods want in all: of Kubernetes' own as the cache has them, of any other as its scale says.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/pkg/controller/disruption/disruption.go
import { controllerOf } from "../../../meta/controller-reference.ts";
import { isNotFound } from "../../../client/api-error.ts";
import { findServed } from "../../../client/resource-discovery.ts";
import { Deployment, ReplicaSet, StatefulSet } from "../../../kinds/builtin/apps.ts";
import { ReplicationController, type Pod } from "../../../kinds/builtin/core.ts";
import type { KubeObject, OwnerReference } from "../../../meta/object.ts";
import { objectPath } from "../../../client/request-path.ts";
import { apiVersionOf, type ResourceType } from "../../../meta/resource-type.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import type { ControllerContext } from "../controller-context.ts";

/** What the controllers of pods want. */
export interface ExpectedScale {
  readonly expected: number;
  /** Whether there are pods that nobody controls, which are not counted. */
  readonly hasUnmanaged: boolean;
}

type Replicated = KubeObject & { readonly spec?: { readonly replicas?: number } };

/** Reads what the controllers of pods want. Rejects where one of them does not tell. */
export function expectedScaleOf(
  context: ControllerContext,
): (pods: readonly Pod[]) => Promise<ExpectedScale> {
  const { cache, client, signal } = context;
  const types: readonly ResourceType<Replicated>[] = [ReplicaSet, StatefulSet, ReplicationController];
  const known = new Map(types.map((type) => [`${apiVersionOf(type)}/${type.kind}`, cache.informer(type)]));
  const deployments = cache.informer<Deployment>(Deployment);

  /** The size of one of Kubernetes' own workloads; of a replica set that of its deployment. */
  function scaleOfWorkload(
    namespace: string,
    owner: OwnerReference,
  ): [uid: string, scale: number] | undefined {
    const workload = known
      .get(`${owner.apiVersion}/${owner.kind}`)
      ?.lister.get({ namespace, name: owner.name });
    if (workload?.metadata.uid !== owner.uid) return undefined;
    const above = controllerOf(workload);
    const deployment =
      above?.kind === Deployment.kind ? deployments.lister.get({ namespace, name: above.name }) : undefined;
    const { metadata, spec } = deployment?.metadata.uid === above?.uid ? (deployment ?? workload) : workload;
    return [metadata.uid, spec?.replicas ?? 1];
  }

  async function scaleOfOther(
    namespace: string,
    { apiVersion, kind, name, uid }: OwnerReference,
  ): Promise<[uid: string, scale: number] | undefined> {
    const served = await findServed(client, apiVersion, kind, signal);
    if (served === undefined) throw failure(`no matches for kind "${kind}" in version "${apiVersion}"`);
    const { plural, group } = served.type;
    const resource = group === "" ? plural : `${plural}.${group}`;
    if (!served.subresources.has("scale"))
      throw failure(`${resource} does not implement the scale subresource`);
    const path = objectPath(served.type, { namespace, name }, "scale");
    try {
      const { metadata, spec } = (await client.request({ method: "GET", path, signal })) as Replicated;
      return metadata.uid === uid ? [uid, spec?.replicas ?? 0] : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  return async (pods) => {
    const scales = new Map<string, number>();
    const seen = new Set<string>();
    for (const pod of pods) {
      const { namespace, name } = pod.metadata;
      const owner = controllerOf(pod);
      if (owner === undefined || seen.has(owner.uid)) continue;
      seen.add(owner.uid);
      const found = scaleOfWorkload(namespace, owner) ?? (await scaleOfOther(namespace, owner));
      if (found === undefined) throw failure(`found no controllers for pod "${name}"`);
      scales.set(...found);
    }
    return {
      expected: [...scales.values()].reduce((sum, each) => sum + each, 0),
      hasUnmanaged: pods.some((pod) => controllerOf(pod) === undefined),
    };
  };
}

function failure(message: string): OperatorError {
  return new OperatorError("BUDGET_NOT_COUNTED", message, {
    remedy:
      "Say in minAvailable how many pods have to be left, as a number: then nobody is asked how many there are to be.",
  });
}
