// Kinds of Kubernetes that run pods.
import {
  conditions,
  container,
  counts,
  metadataDirectives,
  podDirectives,
  podFields,
  replicas,
  selector,
  template,
} from "./kind-parts.ts";
import type { RandomKind } from "./random-kind.ts";

export const deployment: RandomKind = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  plural: "deployments",
  sample: { spec: { selector, template } },
  fields: [
    replicas,
    ...podFields("spec", "template"),
    {
      path: ["spec", "strategy"],
      right: [{ type: "Recreate" }, { rollingUpdate: { maxSurge: 1 } }, {}],
      wrong: [{ type: "X" }],
    },
    { path: ["spec", "minReadySeconds"], right: [1, 0], wrong: [-1] },
    { path: ["spec", "paused"], right: [true, false] },
    { path: ["spec", "selector"], right: [selector], wrong: [{}, { matchLabels: { app: "b" } }] },
    { path: ["spec", "template", "metadata", "labels", "more"], right: ["x", "y"], wrong: [1] },
    {
      path: ["spec", "template", "metadata", "labels"],
      right: [{ app: "a", z: "z" }],
      wrong: [{ app: "b" }],
    },
  ],
  status: [
    ...counts("replicas", "readyReplicas", "observedGeneration"),
    conditions("Available", "Progressing"),
  ],
  hasScale: true,
  directives: [...metadataDirectives, ...podDirectives((spec) => ({ spec: { template: { spec } } }))],
};

export const pod: RandomKind = {
  apiVersion: "v1",
  kind: "Pod",
  plural: "pods",
  sample: { spec: { containers: [container] } },
  fields: [
    ...podFields(),
    { path: ["spec", "activeDeadlineSeconds"], right: [10, 5], wrong: [0, -1] },
    { path: ["spec", "restartPolicy"], right: ["Never", "Always"], wrong: ["X"] },
  ],
  status: [
    { path: ["status", "phase"], right: ["Running", "Failed", "Pending"], wrong: [1] },
    conditions("Ready", "example.com/gate"),
    { path: ["status", "message"], right: ["m", ""] },
  ],
  parts: [
    {
      endpoint: "/ephemeralcontainers",
      fields: [
        {
          path: ["spec", "ephemeralContainers"],
          right: [
            [{ name: "e", image: "i" }],
            [
              { name: "e", image: "i" },
              { name: "f", image: "j", targetContainerName: "c" },
            ],
            [],
          ],
          wrong: [
            [{ name: "c", image: "i" }],
            [{ image: "i" }],
            [{ name: "e", image: "i", ports: [{ containerPort: 1 }] }],
          ],
        },
      ],
    },
  ],
  actions: [
    {
      endpoint: "/binding",
      body: { apiVersion: "v1", kind: "Binding", target: { kind: "Node", name: "n" } },
    },
    { endpoint: "/binding", body: { apiVersion: "v1", kind: "Binding", target: { kind: "Node", name: "" } } },
    { endpoint: "/eviction", body: { apiVersion: "policy/v1", kind: "Eviction" } },
  ],
  directives: [...metadataDirectives, ...podDirectives((spec) => ({ spec }))],
  selectors: [
    "status.phase=Running",
    "spec.restartPolicy=Always",
    "metadata.name=one,status.phase!=Failed",
    "spec.x=1",
  ],
  watched: "status.phase!=Running",
};

export const job: RandomKind = {
  apiVersion: "batch/v1",
  kind: "Job",
  plural: "jobs",
  sample: { spec: { template: { spec: { containers: [container], restartPolicy: "Never" } } } },
  fields: [
    { path: ["spec", "parallelism"], right: [0, 2, null], wrong: [-1, "x"] },
    { path: ["spec", "completions"], right: [1, 3, null], wrong: [-1] },
    { path: ["spec", "suspend"], right: [true, false, null] },
    { path: ["spec", "backoffLimit"], right: [1], wrong: [-1] },
    { path: ["spec", "ttlSecondsAfterFinished"], right: [100], wrong: [-1] },
    { path: ["spec", "template", "spec", "restartPolicy"], right: ["OnFailure"], wrong: ["Always"] },
    { path: ["spec", "template", "spec", "containers", 0, "image"], right: ["i", "j"], wrong: [""] },
  ],
  status: [
    { path: ["status", "active"], right: [1, 0], wrong: [-1] },
    { path: ["status", "startTime"], right: ["2020-01-01T00:00:00Z", null], wrong: ["x"] },
    conditions("Suspended", "Other"),
  ],
  directives: metadataDirectives,
};

export const statefulSet: RandomKind = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  sample: { spec: { serviceName: "s", selector, template } },
  fields: [
    replicas,
    ...podFields("spec", "template").slice(0, 4),
    { path: ["spec", "serviceName"], right: ["s"], wrong: ["other"] },
    { path: ["spec", "podManagementPolicy"], right: ["OrderedReady"], wrong: ["Parallel", "X"] },
    {
      path: ["spec", "updateStrategy"],
      right: [{ type: "OnDelete" }, { rollingUpdate: { partition: 1 } }],
      wrong: [{ type: "X" }],
    },
    { path: ["spec", "minReadySeconds"], right: [3], wrong: [-1] },
    {
      path: ["spec", "persistentVolumeClaimRetentionPolicy"],
      right: [{ whenDeleted: "Delete", whenScaled: "Retain" }],
      wrong: [{ whenDeleted: "X" }],
    },
  ],
  status: [...counts("replicas", "readyReplicas"), conditions("A", "B")],
  hasScale: true,
  directives: metadataDirectives,
};

export const cronJob: RandomKind = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  plural: "cronjobs",
  sample: { spec: { schedule: "* * * * *", jobTemplate: { spec: job.sample["spec"] } } },
  fields: [
    { path: ["spec", "schedule"], right: ["*/5 * * * *", "@hourly"], wrong: ["x", ""] },
    { path: ["spec", "suspend"], right: [true, false] },
    { path: ["spec", "concurrencyPolicy"], right: ["Forbid", "Replace"], wrong: ["X"] },
    { path: ["spec", "timeZone"], right: ["Europe/Berlin", null], wrong: ["X"] },
    { path: ["spec", "successfulJobsHistoryLimit"], right: [0, 1, null], wrong: [-1] },
    { path: ["spec", "jobTemplate", "spec", "parallelism"], right: [2], wrong: [-1] },
  ],
  status: [{ path: ["status", "lastScheduleTime"], right: ["2020-01-01T00:00:00Z", null], wrong: ["x"] }],
  directives: metadataDirectives,
};

export const replicaSet: RandomKind = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  sample: { spec: { selector, template } },
  fields: [
    replicas,
    ...podFields("spec", "template"),
    { path: ["spec", "minReadySeconds"], right: [1, 0], wrong: [-1] },
    { path: ["spec", "selector"], right: [selector], wrong: [{}, { matchLabels: { app: "b" } }] },
  ],
  status: [
    ...counts("replicas", "readyReplicas", "fullyLabeledReplicas", "observedGeneration"),
    conditions("ReplicaFailure", "Other"),
  ],
  hasScale: true,
  directives: [...metadataDirectives, ...podDirectives((spec) => ({ spec: { template: { spec } } }))],
  selectors: ["status.replicas=0", "metadata.name!=two"],
};

export const daemonSet: RandomKind = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  sample: { spec: { selector, template } },
  fields: [
    ...podFields("spec", "template"),
    {
      path: ["spec", "updateStrategy"],
      right: [{ type: "OnDelete" }, { rollingUpdate: { maxUnavailable: "10%" } }, {}],
      wrong: [{ type: "X" }, { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } }],
    },
    { path: ["spec", "minReadySeconds"], right: [1, 0], wrong: [-1] },
    { path: ["spec", "template", "metadata", "labels", "more"], right: ["x", "y"], wrong: [1] },
  ],
  status: [
    ...counts("numberReady", "desiredNumberScheduled", "currentNumberScheduled", "numberAvailable"),
    conditions("A", "B"),
  ],
  directives: [...metadataDirectives, ...podDirectives((spec) => ({ spec: { template: { spec } } }))],
};

export const replicationController: RandomKind = {
  apiVersion: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  sample: { spec: { selector: { app: "a" }, template } },
  fields: [
    replicas,
    ...podFields("spec", "template").slice(0, 6),
    { path: ["spec", "selector"], right: [{ app: "a" }, null], wrong: [{ app: "b" }, { app: 1 }] },
    { path: ["spec", "minReadySeconds"], right: [1, 0], wrong: [-1] },
  ],
  status: [...counts("replicas", "readyReplicas"), conditions("A", "B")],
  hasScale: true,
  directives: metadataDirectives,
};

export const podTemplate: RandomKind = {
  apiVersion: "v1",
  kind: "PodTemplate",
  plural: "podtemplates",
  sample: { template },
  fields: [
    ...podFields("template").slice(0, 6),
    { path: ["template", "metadata", "labels"], right: [{ app: "b" }, {}], wrong: [{ "-": "x" }] },
  ],
  directives: metadataDirectives,
};

export const revision: RandomKind = {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  sample: { data: { a: 1 }, revision: 1 },
  fields: [
    { path: ["revision"], right: [1, 2, 0], wrong: [-1, "x"] },
    { path: ["data"], right: [{ a: 1 }], wrong: [{ a: 2 }, { a: 1, b: [{}] }, null, "x"] },
  ],
  directives: metadataDirectives,
};
