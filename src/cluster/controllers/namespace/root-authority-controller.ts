// Gives every namespace the ConfigMap `kube-root-ca.crt`, by which pods know the API server's certificate.
import { isAlreadyExists } from "../../../client/api-error.ts";
import { ConfigMap, Namespace } from "../../../kinds/builtin/core.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";

const name = "kube-root-ca.crt";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** The controller of root certificates. RBAC: `list`, `watch` on namespaces; `create`, `update`, `list`, `watch` on config maps. */
export function rootAuthorityController(context: ControllerContext, authority: string): ControllerDefinition {
  const { cache, client } = context;
  const namespaces = cache.informer<Namespace>(Namespace);
  const maps = cache.informer<ConfigMap>(ConfigMap);
  const data = { "ca.crt": authority };

  async function reconcile(namespace: string): Promise<undefined> {
    const object = namespaces.lister.get({ name: namespace });
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
    const present = maps.lister.get({ namespace, name });
    const annotations = { "kubernetes.io/description": description };
    const identity = { apiVersion: "v1", kind: ConfigMap.kind };
    if (present === undefined) {
      try {
        await client.create(ConfigMap, { ...identity, metadata: { namespace, name, annotations }, data });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      return undefined;
    }
    if (present.data?.["ca.crt"] === authority) return undefined;
    await client.update(ConfigMap, { ...present, ...identity, data });
    return undefined;
  }

  return {
    name: "root-ca-cert-publisher",
    sources: [
      fromInformer(namespaces, ({ metadata }) => [metadata.name]),
      fromInformer(maps, ({ metadata }) => (metadata.name === name ? [metadata.namespace] : [])),
    ],
    reconcile,
  };
}
