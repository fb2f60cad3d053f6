// The columns of `kubectl get` for the built-in types, by plural.
import type { Column } from "../served-type.ts";
import { age, createdAt, named } from "./columns/column.ts";
import * as classes from "./columns/class-columns.ts";
import * as core from "./columns/core-columns.ts";
import { podColumns } from "./columns/pod-columns.ts";
import * as infrastructure from "./columns/infrastructure-columns.ts";
import * as policy from "./columns/policy-columns.ts";
import * as service from "./columns/service-columns.ts";
import * as storage from "./columns/storage-columns.ts";
import * as workload from "./columns/workload-columns.ts";

const columns: Readonly<Record<string, readonly Column[]>> = {
  apiservices: classes.apiServiceColumns,
  certificatesigningrequests: classes.certificateColumns,
  clusterrolebindings: policy.bindingColumns,
  clusterroles: named(createdAt),
  configmaps: core.configMapColumns,
  controllerrevisions: workload.revisionColumns,
  cronjobs: workload.cronJobColumns,
  csidrivers: storage.driverColumns,
  csinodes: storage.storageNodeColumns,
  csistoragecapacities: named(createdAt),
  customresourcedefinitions: named(createdAt),
  daemonsets: workload.daemonSetColumns,
  deployments: workload.deploymentColumns,
  endpoints: service.endpointsColumns,
  endpointslices: service.sliceColumns,
  events: core.eventColumns,
  flowschemas: infrastructure.flowSchemaColumns,
  horizontalpodautoscalers: classes.autoscalerColumns,
  ingressclasses: classes.ingressClassColumns,
  ingresses: service.ingressColumns,
  ipaddresses: infrastructure.addressColumns,
  jobs: workload.jobColumns,
  leases: policy.leaseColumns,
  limitranges: named(createdAt),
  mutatingadmissionpolicies: policy.mutatingPolicyColumns,
  mutatingadmissionpolicybindings: policy.policyBindingColumns,
  mutatingwebhookconfigurations: policy.webhookColumns,
  namespaces: core.namespaceColumns,
  networkpolicies: service.networkPolicyColumns,
  nodes: core.nodeColumns,
  persistentvolumeclaims: core.claimColumns,
  persistentvolumes: core.volumeColumns,
  poddisruptionbudgets: policy.budgetColumns,
  pods: podColumns,
  podtemplates: infrastructure.podTemplateColumns,
  priorityclasses: classes.priorityClassColumns,
  prioritylevelconfigurations: infrastructure.priorityLevelColumns,
  replicasets: workload.replicaSetColumns,
  replicationcontrollers: classes.replicationControllerColumns,
  resourceclaims: infrastructure.deviceClaimColumns,
  resourcequotas: classes.quotaColumns,
  resourceslices: infrastructure.deviceSliceColumns,
  rolebindings: policy.bindingColumns,
  roles: named(createdAt),
  runtimeclasses: infrastructure.runtimeClassColumns,
  secrets: core.secretColumns,
  servicecidrs: infrastructure.serviceRangeColumns,
  services: service.serviceColumns,
  statefulsets: workload.statefulSetColumns,
  storageclasses: classes.storageClassColumns,
  validatingadmissionpolicies: policy.validatingPolicyColumns,
  validatingadmissionpolicybindings: policy.policyBindingColumns,
  validatingwebhookconfigurations: policy.webhookColumns,
  volumeattachments: storage.attachmentColumns,
  volumeattributesclasses: storage.attributesClassColumns,
};

/** The columns of a built-in type by its plural. */
export function builtinColumns(plural: string): readonly Column[] {
  return columns[plural] ?? named(age);
}
