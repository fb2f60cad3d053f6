// The built-in types that the server serves, one row each.
import { apiVersionOf } from "../../../meta/resource-type.ts";
import { isFields, type ApiObject, type Fields } from "../api-object.ts";
import type { Column, IncomingShape, ScalePaths, ServedType, TypeBehaviour } from "../served-type.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { builtinColumns } from "../representation/builtin-columns.ts";
import * as core from "./behaviours/core-behaviours.ts";
import { claimBehaviour, volumeBehaviour } from "./behaviours/claim-behaviour.ts";
import { cronJobBehaviour, jobBehaviour } from "./behaviours/job-behaviours.ts";
import * as policy from "./behaviours/policy-behaviours.ts";
import { podBehaviour } from "./behaviours/pod-behaviour.ts";
import { createServiceBehaviour } from "./behaviours/service-behaviour.ts";
import * as workload from "./behaviours/workload-behaviours.ts";
import { builtinSchema } from "./builtin-schemas.ts";
import { fromEventsGroup, toEventsGroup } from "./event-conversion.ts";
import { shapeObject } from "./shape-object.ts";

interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly clusterScoped?: boolean;
  readonly hasStatus?: boolean;
  readonly scale?: ScalePaths;
  readonly selectableFields?: readonly string[];
  readonly otherSubresources?: ServedType["otherSubresources"];
  readonly behaviour?: TypeBehaviour;
  readonly review?: boolean;
}

const all = ["all"];
const extensions = ["api-extensions"];
const scale: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};
const eventFields = [
  "involvedObject.kind",
  "involvedObject.namespace",
  "involvedObject.name",
  "involvedObject.uid",
];

/** Group, version, name of the schema package, and the types in it. */
type Group = readonly [group: string, version: string, packageName: string, rows: readonly Row[]];

function groupsOf(store: ObjectStore): readonly Group[] {
  return [
    ["", "v1", "io.k8s.api.core.v1", coreRows(store)],
    ["apps", "v1", "io.k8s.api.apps.v1", appsRows],
    ["batch", "v1", "io.k8s.api.batch.v1", batchRows],
    [
      "coordination.k8s.io",
      "v1",
      "io.k8s.api.coordination.v1",
      [{ kind: "Lease", plural: "leases", behaviour: policy.leaseBehaviour }],
    ],
    [
      "discovery.k8s.io",
      "v1",
      "io.k8s.api.discovery.v1",
      [{ kind: "EndpointSlice", plural: "endpointslices", behaviour: policy.sliceBehaviour }],
    ],
    [
      "events.k8s.io",
      "v1",
      "io.k8s.api.events.v1",
      [
        {
          kind: "Event",
          plural: "events",
          shortNames: ["ev"],
          selectableFields: ["regarding.kind", "regarding.namespace", "regarding.name", "reason", "type"],
        },
      ],
    ],
    ["rbac.authorization.k8s.io", "v1", "io.k8s.api.rbac.v1", rbacRows],
    [
      "policy",
      "v1",
      "io.k8s.api.policy.v1",
      [
        {
          kind: "PodDisruptionBudget",
          plural: "poddisruptionbudgets",
          shortNames: ["pdb"],
          hasStatus: true,
          behaviour: policy.budgetBehaviour,
        },
      ],
    ],
    ["networking.k8s.io", "v1", "io.k8s.api.networking.v1", networkingRows],
    ["admissionregistration.k8s.io", "v1", "io.k8s.api.admissionregistration.v1", webhookRows],
    [
      "authorization.k8s.io",
      "v1",
      "io.k8s.api.authorization.v1",
      [
        {
          kind: "SelfSubjectAccessReview",
          plural: "selfsubjectaccessreviews",
          clusterScoped: true,
          review: true,
        },
        { kind: "SubjectAccessReview", plural: "subjectaccessreviews", clusterScoped: true, review: true },
      ],
    ],
    [
      "authentication.k8s.io",
      "v1",
      "io.k8s.api.authentication.v1",
      [{ kind: "TokenReview", plural: "tokenreviews", clusterScoped: true, review: true }],
    ],
  ];
}

function coreRows(store: ObjectStore): readonly Row[] {
  return [
    {
      kind: "Namespace",
      plural: "namespaces",
      shortNames: ["ns"],
      clusterScoped: true,
      hasStatus: true,
      selectableFields: ["status.phase"],
      otherSubresources: [{ name: "finalize", kind: "Namespace", verbs: ["update"] }],
      behaviour: core.namespaceBehaviour,
    },
    {
      kind: "Pod",
      plural: "pods",
      shortNames: ["po"],
      categories: all,
      hasStatus: true,
      selectableFields: ["spec.nodeName", "spec.restartPolicy", "status.phase", "status.podIP"],
      otherSubresources: [
        { name: "log", kind: "Pod", verbs: ["get"] },
        { name: "binding", kind: "Binding", verbs: ["create"] },
      ],
      behaviour: podBehaviour,
    },
    {
      kind: "Service",
      plural: "services",
      shortNames: ["svc"],
      categories: all,
      hasStatus: true,
      selectableFields: ["spec.clusterIP", "spec.type"],
      behaviour: createServiceBehaviour(store),
    },
    { kind: "Endpoints", plural: "endpoints", shortNames: ["ep"] },
    { kind: "ConfigMap", plural: "configmaps", shortNames: ["cm"], behaviour: core.configMapBehaviour },
    { kind: "Secret", plural: "secrets", selectableFields: ["type"], behaviour: core.secretBehaviour },
    {
      kind: "Event",
      plural: "events",
      shortNames: ["ev"],
      selectableFields: [...eventFields, "reason", "type", "reportingComponent", "source"],
    },
    { kind: "ServiceAccount", plural: "serviceaccounts", shortNames: ["sa"] },
    {
      kind: "PersistentVolumeClaim",
      plural: "persistentvolumeclaims",
      shortNames: ["pvc"],
      hasStatus: true,
      behaviour: claimBehaviour,
    },
    {
      kind: "PersistentVolume",
      plural: "persistentvolumes",
      shortNames: ["pv"],
      clusterScoped: true,
      hasStatus: true,
      behaviour: volumeBehaviour,
    },
    {
      kind: "Node",
      plural: "nodes",
      shortNames: ["no"],
      clusterScoped: true,
      hasStatus: true,
      selectableFields: ["spec.unschedulable"],
      behaviour: core.nodeBehaviour,
    },
  ];
}

const appsRows: readonly Row[] = [
  {
    kind: "Deployment",
    plural: "deployments",
    shortNames: ["deploy"],
    categories: all,
    hasStatus: true,
    scale,
    behaviour: workload.deploymentBehaviour,
  },
  {
    kind: "ReplicaSet",
    plural: "replicasets",
    shortNames: ["rs"],
    categories: all,
    hasStatus: true,
    scale,
    selectableFields: ["status.replicas"],
    behaviour: workload.replicaSetBehaviour,
  },
  {
    kind: "StatefulSet",
    plural: "statefulsets",
    shortNames: ["sts"],
    categories: all,
    hasStatus: true,
    scale,
    behaviour: workload.statefulSetBehaviour,
  },
  {
    kind: "DaemonSet",
    plural: "daemonsets",
    shortNames: ["ds"],
    categories: all,
    hasStatus: true,
    behaviour: workload.daemonSetBehaviour,
  },
  { kind: "ControllerRevision", plural: "controllerrevisions" },
];

const batchRows: readonly Row[] = [
  {
    kind: "Job",
    plural: "jobs",
    categories: all,
    hasStatus: true,
    selectableFields: ["status.successful"],
    behaviour: jobBehaviour,
  },
  {
    kind: "CronJob",
    plural: "cronjobs",
    shortNames: ["cj"],
    categories: all,
    hasStatus: true,
    behaviour: cronJobBehaviour,
  },
];

const rbacRows: readonly Row[] = [
  { kind: "Role", plural: "roles", behaviour: policy.roleBehaviour },
  { kind: "RoleBinding", plural: "rolebindings", behaviour: policy.bindingBehaviour },
  { kind: "ClusterRole", plural: "clusterroles", clusterScoped: true, behaviour: policy.roleBehaviour },
  {
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    clusterScoped: true,
    behaviour: policy.bindingBehaviour,
  },
];

const networkingRows: readonly Row[] = [
  {
    kind: "Ingress",
    plural: "ingresses",
    shortNames: ["ing"],
    hasStatus: true,
    behaviour: policy.ingressBehaviour,
  },
  {
    kind: "NetworkPolicy",
    plural: "networkpolicies",
    shortNames: ["netpol"],
    behaviour: policy.networkPolicyBehaviour,
  },
];

const webhookRows: readonly Row[] = [
  {
    kind: "ValidatingWebhookConfiguration",
    plural: "validatingwebhookconfigurations",
    clusterScoped: true,
    categories: extensions,
    behaviour: policy.createWebhookBehaviour(false),
  },
  {
    kind: "MutatingWebhookConfiguration",
    plural: "mutatingwebhookconfigurations",
    clusterScoped: true,
    categories: extensions,
    behaviour: policy.createWebhookBehaviour(true),
  },
];

/** All built-in types but the CustomResourceDefinition, which custom/ declares. */
export function createBuiltinTypes(store: ObjectStore): readonly ServedType[] {
  return groupsOf(store).flatMap(([group, version, packageName, rows]) =>
    rows.map((row) => createBuiltinType({ group, version, packageName, row })),
  );
}

/** One built-in type from its row. */
export function createBuiltinType({
  group,
  version,
  packageName,
  row,
}: {
  readonly group: string;
  readonly version: string;
  readonly packageName: string;
  readonly row: Row;
}): ServedType {
  const schema = builtinSchema(`${packageName}.${row.kind}`);
  const apiVersion = apiVersionOf({ group, version });
  const isEventsGroup = group === "events.k8s.io";
  // Both groups of events share one key space.
  const storageKey = group === "" || isEventsGroup ? row.plural : `${row.plural}.${group}`;
  const columns: readonly Column[] = builtinColumns(row.plural);
  return {
    group,
    version,
    kind: row.kind,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    listKind: `${row.kind}List`,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    namespaced: row.clusterScoped !== true,
    storageKey,
    custom: false,
    schema,
    hasStatus: row.hasStatus ?? false,
    scale: row.scale,
    ...(row.otherSubresources === undefined ? {} : { otherSubresources: row.otherSubresources }),
    ...(row.review === undefined ? {} : { review: row.review }),
    behaviour: row.behaviour ?? {},
    columns,
    selectableFields: row.selectableFields ?? [],
    shape: (body) => shapeBody(body),
    fromStorage: isEventsGroup ? toEventsGroup : (object) => object,
    toStorage: isEventsGroup ? fromEventsGroup : (object) => object,
  };

  function shapeBody(body: Fields): IncomingShape {
    const { apiVersion: _version, kind: _kind, metadata, ...content } = body;
    const shaped = shapeObject(schema, { metadata: isFields(metadata) ? metadata : {}, ...content });
    const fields = isFields(shaped.value) ? shaped.value : {};
    return {
      object: { kind: row.kind, apiVersion, ...fields } as ApiObject,
      unknownFields: shaped.unknownFields,
      typeErrors: shaped.typeErrors,
    };
  }
}
