// Everything that is applied to run an operator, in files and in the order in which they can be applied.
import type { OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { crdOf } from "../kinds/crd.ts";
import { webhookServiceOf } from "../meta/webhook-address.ts";
import { rolesOf, serviceAccountOf } from "./roles.ts";
import type { Document } from "./document.ts";
import {
  deploymentOf,
  disruptionBudgetOf,
  metricsServiceOf,
  namespaceOf,
  serviceMonitorOf,
} from "./workload.ts";
import { admissionConfigurationsOf, webhookServicesOf } from "./webhooks.ts";
import type { WorkloadOptions } from "./workload-options.ts";

/** One file of manifests. */
export interface ManifestFile {
  /** Name without a suffix. */
  readonly name: string;
  readonly documents: readonly Document[];
}

/** The files, in the order in which they are applied; none is empty. */
export function manifestFilesOf(
  operator: OperatorDefinition,
  options: WorkloadOptions,
): readonly ManifestFile[] {
  const { name } = operator;
  const files: readonly ManifestFile[] = [
    ...crdFilesOf(operator, options),
    { name: "namespace", documents: [namespaceOf(name, options)] },
    { name: "service-account", documents: [serviceAccountOf(operator, options.operatorNamespace)] },
    { name: "rbac", documents: rolesOf(operator, options) },
    { name: "deployment", documents: [deploymentOf(operator, options)] },
    { name: "metrics-service", documents: [metricsServiceOf(name, options)] },
    { name: "webhook-service", documents: webhookServicesOf(operator, options) },
    { name: "pod-disruption-budget", documents: disruptionBudgetOf(name, options) },
    // Last: from then on writes wait for the operator.
    { name: "webhook-configurations", documents: admissionConfigurationsOf(operator, options) },
  ];
  return files.filter(({ documents }) => documents.length > 0);
}

/** The definitions of the kinds, a file each. */
export function crdFilesOf(
  { name, controllers }: OperatorDefinition,
  { operatorNamespace }: Pick<WorkloadOptions, "operatorNamespace">,
): readonly ManifestFile[] {
  const options = { operator: name, webhooks: { service: webhookServiceOf(name, operatorNamespace) } };
  return controllers.map(({ kind }) => {
    const crd = crdOf(kind, options) as unknown as Document;
    return { name: `crd-${crd.metadata.name}`, documents: [crd] };
  });
}

/** What the Prometheus operator reads: for clusters that have its kinds. */
export function monitoringFilesOf(
  { name }: OperatorDefinition,
  options: WorkloadOptions,
  alerts: object,
): readonly ManifestFile[] {
  const rule = alerts as Document;
  const placed = { ...rule, metadata: { ...rule.metadata, namespace: options.operatorNamespace } };
  return [
    { name: "service-monitor", documents: [serviceMonitorOf(name, options)] },
    { name: "prometheus-rule", documents: [placed] },
  ];
}
