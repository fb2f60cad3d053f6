// The types of apps/v1, batch/v1 and autoscaling.
import { jobFields } from "../../selectors/selectable-fields.ts";
import type { ApiObject } from "../../api-object.ts";
import type { ScalePaths } from "../../served-type.ts";
import { fromFormerAutoscaler, toFormerAutoscaler } from "../../former-autoscaler.ts";
import { autoscalerBehaviour, formerAutoscalerBehaviour } from "../behaviours/autoscaler-behaviour.ts";
import { cronJobBehaviour, jobBehaviour } from "../behaviours/job-behaviours.ts";
import * as workload from "../behaviours/workload-behaviours.ts";
import { autoscalerRules } from "../validation/autoscaler-rules.ts";
import { jobChanges } from "../validation/job-changes.ts";
import { jobRules } from "../validation/job-rules.ts";
import { jobStatusChanges } from "../validation/job-status-rules.ts";
import * as rules from "../validation/workload-rules.ts";
import {
  autoscalerStatusRules,
  collisionChanges,
  daemonSetStatusRules,
  deploymentStatusRules,
  replicaSetStatusRules,
  statefulSetStatusRules,
} from "../validation/status-rules.ts";
import type { RowGroup } from "./row.ts";

const all = ["all"];
const scale: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

/** apps/v1. */
export const appsGroup: RowGroup = {
  group: "apps",
  version: "v1",
  packageName: "io.k8s.api.apps.v1",
  rows: [
    {
      kind: "Deployment",
      plural: "deployments",
      shortNames: ["deploy"],
      categories: all,
      hasStatus: true,
      scale,
      behaviour: workload.deploymentBehaviour,
      rules: rules.deploymentRules,
      statusRules: deploymentStatusRules,
      statusChanges: collisionChanges,
    },
    {
      kind: "ReplicaSet",
      plural: "replicasets",
      shortNames: ["rs"],
      categories: all,
      hasStatus: true,
      scale,
      behaviour: workload.replicaSetBehaviour,
      rules: rules.replicaSetRules,
      statusRules: replicaSetStatusRules,
    },
    {
      kind: "StatefulSet",
      plural: "statefulsets",
      shortNames: ["sts"],
      categories: all,
      hasStatus: true,
      scale,
      behaviour: workload.statefulSetBehaviour,
      rules: rules.statefulSetRules,
      rulesOfChanged: rules.changedStatefulSetRules,
      statusRules: statefulSetStatusRules,
      statusChanges: collisionChanges,
    },
    {
      kind: "DaemonSet",
      plural: "daemonsets",
      shortNames: ["ds"],
      categories: all,
      hasStatus: true,
      behaviour: workload.daemonSetBehaviour,
      rules: rules.daemonSetRules,
      statusRules: daemonSetStatusRules,
      statusChanges: collisionChanges,
    },
    {
      kind: "ControllerRevision",
      plural: "controllerrevisions",
      rules: rules.revisionRules,
      rulesOfNew: rules.newRevisionRules,
      changes: rules.revisionChanges,
    },
  ],
};

/** batch/v1. */
export const batchGroup: RowGroup = {
  group: "batch",
  version: "v1",
  packageName: "io.k8s.api.batch.v1",
  rows: [
    {
      kind: "Job",
      plural: "jobs",
      categories: all,
      hasStatus: true,
      selectable: jobFields,
      behaviour: jobBehaviour,
      rules: jobRules,
      statusChanges: jobStatusChanges,
      changes: jobChanges,
    },
    {
      kind: "CronJob",
      plural: "cronjobs",
      shortNames: ["cj"],
      categories: all,
      hasStatus: true,
      behaviour: cronJobBehaviour,
      rules: rules.cronJobRules,
      rulesOfNew: rules.newCronJobRules,
    },
  ],
};

const autoscaler = {
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  shortNames: ["hpa"],
  categories: all,
  hasStatus: true,
  statusRules: autoscalerStatusRules,
} as const;

/** autoscaling/v2, as which autoscalers are stored, and autoscaling/v1. */
export const autoscalingGroups: readonly RowGroup[] = [
  {
    group: "autoscaling",
    version: "v2",
    packageName: "io.k8s.api.autoscaling.v2",
    rows: [{ ...autoscaler, behaviour: autoscalerBehaviour, rules: autoscalerRules }],
  },
  {
    group: "autoscaling",
    version: "v1",
    packageName: "io.k8s.api.autoscaling.v1",
    rows: [
      {
        ...autoscaler,
        behaviour: formerAutoscalerBehaviour,
        rules: (value, at, parent) => autoscalerRules(fromFormerAutoscaler(value as ApiObject), at, parent),
        stored: { fromStorage: toFormerAutoscaler, toStorage: fromFormerAutoscaler },
      },
    ],
  },
];
