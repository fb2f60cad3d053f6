// Kinds of Kubernetes about where pods run, and what they keep.
import { conditions, metadataDirectives, selector } from "./kind-parts.ts";
import type { RandomKind } from "./random-kind.ts";

export const budget: RandomKind = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  sample: { spec: { minAvailable: 1, selector } },
  fields: [
    { path: ["spec", "minAvailable"], right: [2, "50%", null], wrong: [-1, "x", "101%"] },
    { path: ["spec", "maxUnavailable"], right: [null], wrong: [1] },
    {
      path: ["spec", "selector"],
      right: [{}, { matchLabels: { app: "b" } }],
      wrong: [{ matchLabels: { "-": "x" } }],
    },
    { path: ["spec", "unhealthyPodEvictionPolicy"], right: ["AlwaysAllow"], wrong: ["X"] },
  ],
  status: [
    { path: ["status", "currentHealthy"], right: [1, 0], wrong: [-1] },
    { path: ["status", "disruptedPods"], right: [{ p: "2020-01-01T00:00:00Z" }, {}], wrong: [{ p: "x" }] },
    {
      path: ["status", "conditions"],
      right: [
        [{ type: "A", status: "True", reason: "R", message: "", lastTransitionTime: "2020-01-01T00:00:00Z" }],
      ],
      wrong: [[{ type: "A", status: "X" }]],
    },
  ],
  directives: metadataDirectives,
};

export const claim: RandomKind = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  sample: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  fields: [
    { path: ["spec", "accessModes"], right: [["ReadWriteOnce"]], wrong: [["X"], ["ReadWriteMany"], []] },
    {
      path: ["spec", "resources", "requests", "storage"],
      right: ["1Gi", "1024Mi"],
      wrong: ["2Gi", "x", "-1"],
    },
    { path: ["spec", "storageClassName"], right: ["", null], wrong: ["fast", "A B"] },
  ],
  status: [
    { path: ["status", "phase"], right: ["Bound", "Lost"], wrong: [1] },
    { path: ["status", "capacity"], right: [{ storage: "1Gi" }], wrong: [{ storage: "x" }] },
    conditions("Resizing", "FileSystemResizePending"),
  ],
  directives: metadataDirectives,
};

export const node: RandomKind = {
  apiVersion: "v1",
  kind: "Node",
  plural: "nodes",
  isClusterScoped: true,
  sample: {},
  fields: [
    { path: ["spec", "unschedulable"], right: [true, false], wrong: ["x"] },
    {
      path: ["spec", "taints"],
      right: [[{ key: "a", effect: "NoSchedule" }], [{ key: "a", value: "b", effect: "NoExecute" }], []],
      wrong: [
        [{ key: "", effect: "X" }],
        [
          { key: "a", effect: "NoSchedule" },
          { key: "a", effect: "NoSchedule" },
        ],
      ],
    },
    { path: ["spec", "providerID"], right: ["p://x"], wrong: [1] },
  ],
  status: [
    { path: ["status", "capacity"], right: [{ cpu: "2", memory: "1Gi" }], wrong: [{ cpu: "x" }] },
    { path: ["status", "addresses"], right: [[{ type: "InternalIP", address: "1.2.3.4" }], []] },
    conditions("Ready", "MemoryPressure"),
  ],
  directives: [
    ...metadataDirectives,
    { spec: { taints: [{ key: "a", effect: "NoSchedule", $patch: "delete" }] } },
    { status: { addresses: [{ type: "Hostname", address: "h" }] } },
  ],
};

export const autoscaler: RandomKind = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  sample: {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
  },
  fields: [
    { path: ["spec", "maxReplicas"], right: [4, 5], wrong: [0, "x"] },
    { path: ["spec", "minReplicas"], right: [1, 2, null], wrong: [0, 9] },
    {
      path: ["spec", "metrics"],
      right: [
        [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
          },
        ],
        [],
        null,
      ],
      wrong: [[{ type: "X" }], [{ type: "Resource" }]],
    },
    {
      path: ["spec", "behavior"],
      right: [{ scaleDown: { stabilizationWindowSeconds: 60 } }, null],
      wrong: [{ scaleDown: { stabilizationWindowSeconds: -1 } }],
    },
  ],
  status: [
    { path: ["status", "currentReplicas"], right: [1, 2, 0], wrong: [-1, "x"] },
    { path: ["status", "desiredReplicas"], right: [1, 2], wrong: [-1] },
    conditions("AbleToScale", "ScalingActive"),
  ],
  directives: metadataDirectives,
};

export const volume: RandomKind = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  isClusterScoped: true,
  sample: {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
  },
  fields: [
    { path: ["spec", "capacity", "storage"], right: ["2Gi", "1024Mi"], wrong: ["x", "-1"] },
    { path: ["spec", "accessModes"], right: [["ReadWriteMany"]], wrong: [["X"], []] },
    { path: ["spec", "persistentVolumeReclaimPolicy"], right: ["Delete", "Retain"], wrong: ["X"] },
    { path: ["spec", "storageClassName"], right: ["fast", ""], wrong: ["A B"] },
    { path: ["spec", "mountOptions"], right: [["ro"], []], wrong: ["x"] },
    { path: ["spec", "hostPath", "path"], right: ["/data"], wrong: ["/other", "../x"] },
  ],
  status: [
    { path: ["status", "phase"], right: ["Available", "Bound"], wrong: [1] },
    { path: ["status", "message"], right: ["m", ""] },
  ],
  directives: metadataDirectives,
};

export const storageClass: RandomKind = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  plural: "storageclasses",
  isClusterScoped: true,
  sample: { provisioner: "example.com/p" },
  fields: [
    { path: ["provisioner"], right: ["example.com/p"], wrong: ["example.com/q", ""] },
    { path: ["parameters"], right: [{}, null], wrong: [{ a: "b" }, { a: 1 }] },
    { path: ["reclaimPolicy"], right: ["Delete"], wrong: ["Retain", "X"] },
    { path: ["allowVolumeExpansion"], right: [true, false, null], wrong: ["x"] },
    { path: ["mountOptions"], right: [["ro"], []], wrong: ["x"] },
    { path: ["volumeBindingMode"], right: ["Immediate"], wrong: ["WaitForFirstConsumer", "X"] },
  ],
  directives: metadataDirectives,
};
