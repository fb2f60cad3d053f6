// Gives every namespace its service account `default`.
import { isAlreadyExists } from "../../../client/api-error.ts";
import { Namespace, ServiceAccount } from "../../../kinds/builtin/core.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";

/** The controller of default service accounts. RBAC: `list`, `watch` on namespaces; `create`, `list`, `watch` on accounts. */
export function serviceAccountController(context: ControllerContext): ControllerDefinition {
  const { cache, client } = context;
  const namespaces = cache.informer<Namespace>(Namespace);
  const accounts = cache.informer<ServiceAccount>(ServiceAccount);
  const name = "default";

  async function reconcile(namespace: string): Promise<undefined> {
    const object = namespaces.lister.get({ name: namespace });
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
    if (accounts.lister.get({ namespace, name }) !== undefined) return undefined;
    try {
      await client.create(ServiceAccount, {
        apiVersion: "v1",
        kind: ServiceAccount.kind,
        metadata: { namespace, name },
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    return undefined;
  }

  return {
    name: "serviceaccount",
    sources: [
      fromInformer(namespaces, ({ metadata }) => [metadata.name]),
      fromInformer(accounts, ({ metadata }) => [metadata.namespace]),
    ],
    reconcile,
  };
}
