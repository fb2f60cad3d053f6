// What the API server needs to call an operator's webhooks: a Service in front of all replicas, and the configurations.
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import {
  admittedKindsOf,
  convertedKindsOf,
  servesWebhooks,
} from "../controller/declaration/operator-webhooks.ts";
import { conversionPathOf } from "../kinds/versions/conversion-path.ts";
import { resourceNameOf } from "../meta/resource-type.ts";
import { webhookServiceOf } from "../meta/webhook-address.ts";
import {
  webhookConfigurationsOf,
  type AdmissionWebhook,
} from "../webhook/admission/webhook-configurations.ts";
import { labelsOf, type Document } from "./document.ts";
import { ports, type WorkloadOptions } from "./workload-options.ts";

/** The Service; none without webhooks. Only replicas that are ready are called. */
export function webhookServicesOf(
  operator: OperatorDefinition,
  { operatorNamespace }: WorkloadOptions,
): readonly Document[] {
  if (!servesWebhooks(operator)) return [];
  const labels = labelsOf(operator.name);
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...webhookServiceOf(operator.name, operatorNamespace), labels },
      spec: {
        selector: labels,
        ports: [{ name: "webhook", port: 443, targetPort: "webhook", protocol: "TCP", appProtocol: "https" }],
      },
    },
  ];
}

/** The configurations, without the authorities, which the operator puts in. */
export function admissionConfigurationsOf(
  operator: OperatorDefinition,
  { namespaces, operatorNamespace }: WorkloadOptions,
): readonly Document[] {
  const { name } = operator;
  return webhookConfigurationsOf(admittedKindsOf(operator), {
    operator: name,
    address: { service: webhookServiceOf(name, operatorNamespace) },
    namespaces,
    operatorUser: `system:serviceaccount:${operatorNamespace}:${name}`,
  });
}

/** The webhooks as the Operator Lifecycle Manager knows them, which makes the Service, the certificate and the configurations. */
export function olmWebhooksOf(operator: OperatorDefinition, options: WorkloadOptions): readonly object[] {
  const conversions = convertedKindsOf(operator).map((kind) => ({
    type: "ConversionWebhook",
    generateName: `convert.${resourceNameOf(kind)}`,
    deploymentName: operator.name,
    containerPort: 443,
    targetPort: ports.webhook,
    webhookPath: conversionPathOf(kind),
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    conversionCRDs: [resourceNameOf(kind)],
  }));
  const admissions = admissionConfigurationsOf(operator, options).flatMap(({ kind, webhooks }) =>
    (webhooks as readonly AdmissionWebhook[]).map((webhook) => ({
      type:
        kind === "MutatingWebhookConfiguration" ? "MutatingAdmissionWebhook" : "ValidatingAdmissionWebhook",
      generateName: webhook.name,
      deploymentName: operator.name,
      containerPort: 443,
      targetPort: ports.webhook,
      webhookPath: webhook.clientConfig.service?.path,
      ...Object.fromEntries(sharedWithOlm.map((field) => [field, webhook[field]])),
    })),
  );
  return [...admissions, ...conversions];
}

/** Whom they are for is decided by the OperatorGroup. */
const sharedWithOlm = [
  "admissionReviewVersions",
  "rules",
  "matchPolicy",
  "failurePolicy",
  "sideEffects",
  "timeoutSeconds",
] as const;
