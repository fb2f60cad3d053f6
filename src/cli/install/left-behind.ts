// What an earlier install has made and the present manifests do not have: a webhook that nobody serves any more would refuse every write.
import { isForbidden, isNotFound } from "../../client/api-error.ts";
import { listAll } from "../../client/paging.ts";
import type { Document } from "../../delivery/document.ts";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../kinds/builtin/admissionregistration.ts";
import { Deployment } from "../../kinds/builtin/apps.ts";
import { Service, ServiceAccount } from "../../kinds/builtin/core.ts";
import { PodDisruptionBudget } from "../../kinds/builtin/policy.ts";
import { ClusterRoleBinding, Role, RoleBinding } from "../../kinds/builtin/rbac.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey } from "../../meta/object-key.ts";
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import type { WebhookClientConfig } from "../../meta/webhook-address.ts";
import { fieldManager, type InstallTools } from "./apply-manifests.ts";

/** The types of what is installed, in the order in which it is removed; definitions and namespaces hold more than the operator. */
const types: readonly ResourceType[] = [
  ValidatingWebhookConfiguration,
  MutatingWebhookConfiguration,
  PodDisruptionBudget,
  Deployment,
  Service,
  RoleBinding,
  ClusterRoleBinding,
  Role,
  ServiceAccount,
];

/** Whose installation is asked about: there may be others, in other namespaces. */
export interface Installation {
  readonly operator: string;
  readonly namespace: string;
  /** What it has now. */
  readonly documents: readonly Document[];
}

/** The objects that were installed for an operator and are not among the documents; of types that may not be listed none. */
export async function leftBehind(
  { client, signal }: InstallTools,
  { operator, namespace: ownNamespace, documents }: Installation,
): Promise<readonly Document[]> {
  const named = new Set(documents.map((each) => `${each.kind} ${formatKey(each.metadata)}`));
  const found = await Promise.all(
    types.map(async (type): Promise<readonly Document[]> => {
      const { kind } = type;
      const options = { labelSelector: `app.kubernetes.io/name=${operator}`, signal };
      const { items } = await listAll(client, type, options).catch((error: unknown) => {
        if (isForbidden(error) || isNotFound(error)) return { items: [] as readonly KubeObject[] };
        throw error;
      });
      return items
        .filter(
          (object) =>
            isInstalled(object) &&
            isIn(object, ownNamespace) &&
            !named.has(`${kind} ${formatKey(object.metadata)}`),
        )
        .map(({ metadata: { name, namespace } }) => ({
          apiVersion: apiVersionOf(type),
          kind,
          metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
        }));
    }),
  );
  return found.flat();
}

/** Others may use the label as well. */
function isInstalled({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.some(({ manager }) => manager === fieldManager);
}

/** What an object leads to; a role without a binding grants nothing. */
interface Leading extends KubeObject {
  readonly subjects?: readonly { readonly namespace?: string }[];
  readonly webhooks?: readonly { readonly clientConfig: WebhookClientConfig }[];
}

/** Whether it belongs to the installation in a namespace: by what it leads to, or by where it is. */
function isIn({ metadata, subjects, webhooks }: Leading, namespace: string): boolean {
  const leads = subjects ?? webhooks?.map(({ clientConfig }) => clientConfig.service);
  return leads === undefined
    ? metadata.namespace === namespace
    : leads.every((to) => to?.namespace === namespace);
}
