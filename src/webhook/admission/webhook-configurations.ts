// The configurations by which the API server knows the admission webhooks of an operator. They match the operator's own kinds and
// nothing else, so no Lease, Secret or pod of it ever waits for its webhooks; and what the operator itself writes passes by them. Pure.
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { resourceNameOf } from "../../meta/resource-type.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import { clientConfigOf, type WebhookAddress, type WebhookClientConfig } from "../../meta/webhook-address.ts";
import { admissionPaths } from "./admission-routes.ts";
import type { WebhookOptions } from "./webhook-options.ts";

/** A kind and its webhooks. */
export interface AdmittedKind {
  readonly kind: Kind<KubeObject>;
  readonly webhooks: WebhookOptions<KubeObject>;
}

/** How they are reached, and for whom they are. */
export interface ConfigurationOptions {
  readonly operator: string;
  readonly address: WebhookAddress;
  /** In PEM; absent where the operator puts them in when it runs. */
  readonly authorities?: string;
  /** Namespaces served; empty: all. */
  readonly namespaces: readonly string[];
  /** The user that the operator is, whose writes they do not see; absent where that is not known. */
  readonly operatorUser?: string;
}

/** A webhook in a configuration. */
export interface AdmissionWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules: readonly object[];
  readonly [field: string]: unknown;
}

/** One configuration. */
export interface WebhookConfiguration {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly webhooks: readonly AdmissionWebhook[];
  readonly [field: string]: unknown;
}

/** The configurations, both with the operator's name; none without webhooks. */
export function webhookConfigurationsOf(
  kinds: readonly AdmittedKind[],
  options: ConfigurationOptions,
): readonly WebhookConfiguration[] {
  const { operator } = options;
  const mutating = kinds.filter(({ webhooks: { mutate } }) => mutate !== undefined);
  const validating = kinds.filter(({ webhooks }) => validatedOperations(webhooks).length > 0);
  const configuration = (
    kind: WebhookConfiguration["kind"],
    webhooks: readonly AdmissionWebhook[],
  ): readonly WebhookConfiguration[] => {
    const labels = { "app.kubernetes.io/name": operator, "app.kubernetes.io/component": "operator" };
    const metadata = { name: operator, labels };
    return webhooks.length === 0
      ? []
      : [{ apiVersion: "admissionregistration.k8s.io/v1", kind, metadata, webhooks }];
  };
  return [
    ...configuration(
      "MutatingWebhookConfiguration",
      mutating.map((each) => webhookOf("mutate", each, ["CREATE", "UPDATE"], options)),
    ),
    ...configuration(
      "ValidatingWebhookConfiguration",
      validating.map((each) => webhookOf("validate", each, validatedOperations(each.webhooks), options)),
    ),
  ];
}

function validatedOperations({ validate, validateDelete }: AdmittedKind["webhooks"]): readonly string[] {
  return [
    ...(validate === undefined ? [] : ["CREATE", "UPDATE"]),
    ...(validateDelete === undefined ? [] : ["DELETE"]),
  ];
}

function webhookOf(
  action: "mutate" | "validate",
  { kind, webhooks }: AdmittedKind,
  operations: readonly string[],
  { address, authorities, namespaces, operatorUser }: ConfigurationOptions,
): AdmissionWebhook {
  const { failurePolicy = "Fail", timeout = "10s" } = webhooks;
  const isLimited = kind.namespaced && namespaces.length > 0;
  return {
    name: `${action}.${resourceNameOf(kind)}`,
    admissionReviewVersions: ["v1"],
    clientConfig: clientConfigOf(address, admissionPaths[action](kind), authorities),
    rules: [
      {
        apiGroups: [kind.group],
        apiVersions: [kind.version],
        operations,
        resources: [kind.plural],
        scope: kind.namespaced ? "Namespaced" : "Cluster",
      },
    ],
    matchPolicy: "Equivalent",
    ...(isLimited
      ? {
          namespaceSelector: {
            matchExpressions: [
              { key: "kubernetes.io/metadata.name", operator: "In", values: [...namespaces].toSorted() },
            ],
          },
        }
      : {}),
    ...(operatorUser === undefined
      ? {}
      : {
          matchConditions: [
            {
              name: "not-by-the-operator",
              expression: `request.userInfo.username != ${JSON.stringify(operatorUser)}`,
            },
          ],
        }),
    failurePolicy,
    sideEffects: "None",
    timeoutSeconds: toMilliseconds(timeout) / 1_000,
  };
}
