// Makes the claims that pods ask for in their own volumes (`ephemeral`). They belong to the pod, and are collected with it.
import { Pod, PersistentVolumeClaim } from "../../../kinds/builtin/core.ts";
import { parseKey } from "../../../meta/object-key.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { controllerReference } from "../ownership.ts";
import { claimsOf } from "./claim-names.ts";

/** The controller of ephemeral volumes. RBAC: `list`, `watch` on pods and claims; `create` on claims. */
export function ephemeralClaimController({ cache, client }: ControllerContext): ControllerDefinition {
  const pods = cache.informer<Pod>(Pod);
  const claims = cache.informer<PersistentVolumeClaim>(PersistentVolumeClaim);

  async function reconcile(key: string): Promise<undefined> {
    const { namespace = "", name: podName } = parseKey(key);
    const pod = pods.lister.get({ namespace, name: podName });
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
    for (const { name: volume, ephemeral } of pod.spec.volumes ?? []) {
      const template = ephemeral?.volumeClaimTemplate;
      const name = `${podName}-${volume}`;
      if (template === undefined || claims.lister.get({ namespace, name }) !== undefined) continue;
      const { labels, annotations } = template.metadata ?? {};
      await client.create(PersistentVolumeClaim, {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
          name,
          namespace,
          ...(labels === undefined ? {} : { labels }),
          ...(annotations === undefined ? {} : { annotations }),
          ownerReferences: [controllerReference(Pod, pod)],
        },
        spec: template.spec,
      });
    }
    return undefined;
  }

  const keysOf = (pod: Pod): readonly string[] =>
    claimsOf(pod).some(({ isEphemeral }) => isEphemeral)
      ? [`${pod.metadata.namespace}/${pod.metadata.name}`]
      : [];
  return { name: "ephemeral-volume", sources: [fromInformer(pods, keysOf)], reconcile };
}
