// Kinds of Kubernetes itself that random operations are about.
import type { FieldChoices, Fields, RandomKind } from "./random-kind.ts";

const selector = { matchLabels: { app: "a" } };
const container = { name: "c", image: "i" };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };

/** Fields of the pods in a template at a path. */
function podFields(...at: readonly string[]): readonly FieldChoices[] {
  const first = [...at, "spec", "containers", 0];
  return [
    { path: [...first, "image"], right: ["i", "j:2", "k"], wrong: ["", 1] },
    {
      path: [...first, "env"],
      right: [
        [{ name: "A", value: "1" }],
        [
          { name: "B", value: "2" },
          { name: "A", value: "3" },
        ],
        [{ name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        [],
      ],
      wrong: [
        [{ value: "x" }],
        [{ name: "A", value: "1", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      ],
    },
    {
      path: [...first, "ports"],
      right: [
        [{ containerPort: 80 }],
        [
          { containerPort: 80, name: "http" },
          { containerPort: 80, protocol: "UDP", name: "quic" },
        ],
        [],
      ],
      wrong: [[{ containerPort: 0 }], [{ containerPort: 80, protocol: "X" }], [{ containerPort: "80" }]],
    },
    {
      path: [...first, "resources"],
      right: [
        { requests: { cpu: "100m" } },
        { limits: { cpu: 1, memory: "1Gi" } },
        { limits: { memory: "0.5Gi" } },
        {},
      ],
      wrong: [{ requests: { cpu: "2" }, limits: { cpu: "1" } }, { requests: { cpu: "x" } }],
    },
    {
      path: [...first, "readinessProbe"],
      right: [{ httpGet: { port: 80 } }, { exec: { command: ["true"] }, periodSeconds: 3 }],
      wrong: [{ periodSeconds: 1 }, { tcpSocket: { port: 0 } }],
    },
    { path: [...first, "command"], right: [["a", "b"], ["a"], []], wrong: ["a"] },
    { path: [...first, "volumeMounts"], right: [[]], wrong: [[{ name: "absent", mountPath: "/x" }]] },
    {
      path: [...at, "spec", "containers"],
      right: [[container, { name: "d", image: "i" }], [container], [{ name: "d", image: "j" }, container]],
      wrong: [[], [container, container], [{ image: "i" }]],
    },
    {
      path: [...at, "spec", "volumes"],
      right: [[{ name: "v", emptyDir: {} }], [{ name: "w", configMap: { name: "x" } }], []],
      wrong: [[{ name: "v" }, { name: "v" }], [{ name: "v", emptyDir: {}, hostPath: { path: "/" } }]],
    },
    {
      path: [...at, "spec", "tolerations"],
      right: [[{ key: "a", operator: "Exists", effect: "NoSchedule" }], []],
      wrong: [[{ operator: "X" }]],
    },
    { path: [...at, "spec", "nodeSelector"], right: [{ a: "b" }, {}], wrong: [{ "-": "b" }] },
    { path: [...at, "spec", "terminationGracePeriodSeconds"], right: [5, 0], wrong: [-1, "x"] },
    { path: [...at, "spec", "serviceAccountName"], right: ["default"], wrong: ["A B"] },
    { path: [...at, "spec", "unknown"], right: [1] },
  ];
}

const replicas: FieldChoices = { path: ["spec", "replicas"], right: [0, 2, 3, null], wrong: [-1, "2", 1.5] };
const conditions = (...types: readonly string[]): FieldChoices => ({
  path: ["status", "conditions"],
  right: [
    [{ type: types[0], status: "True", reason: "R" }],
    types.map((type) => ({ type, status: "False", reason: "S", message: "m" })),
    [],
  ],
  wrong: [[{ type: types[0] }], "x"],
});
const counts = (...names: readonly string[]): readonly FieldChoices[] =>
  names.map((name) => ({ path: ["status", name], right: [1, 2, 0], wrong: [-1, "x"] }));

const podDirectives = (inTemplate: (spec: Fields) => Fields): readonly Fields[] => [
  inTemplate({ containers: [{ name: "d", $patch: "delete" }] }),
  inTemplate({ containers: [{ name: "c", $patch: "replace", image: "z" }] }),
  inTemplate({ containers: [{ name: "c", env: [{ name: "A", $patch: "delete" }] }] }),
  inTemplate({ $setElementOrder: [], containers: [{ name: "e", image: "e" }] }),
  inTemplate({
    "$setElementOrder/containers": [{ name: "e" }, { name: "c" }],
    containers: [{ name: "e", image: "e" }],
  }),
  inTemplate({ $patch: "x" }),
  inTemplate({ $retainKeys: ["containers"], containers: [container] }),
  inTemplate({ containers: [{ image: "no name" }] }),
];
const metadataDirectives: readonly Fields[] = [
  {
    metadata: {
      finalizers: ["example.com/b"],
      "$setElementOrder/finalizers": ["example.com/b", "example.com/a"],
    },
  },
  { metadata: { labels: { $patch: "replace", app: "b" } } },
  { metadata: { annotations: null } },
  { metadata: { ownerReferences: [{ uid: "6dcdde8a-0000-4000-8000-000000000001", $patch: "delete" }] } },
];

const configMap: RandomKind = {
  apiVersion: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  sample: { data: { a: "1" } },
  fields: [
    { path: ["data", "a"], right: ["1", "2", ""], wrong: [1, null, {}] },
    { path: ["data", "b"], right: ["x", "y"], wrong: [true] },
    { path: ["data", "bad key"], right: [], wrong: ["x"] },
    { path: ["data"], right: [{}, { c: "3" }], wrong: [[], "x"] },
    { path: ["binaryData", "bin"], right: ["AAEC", ""], wrong: ["?", 1] },
    { path: ["immutable"], right: [true, false], wrong: ["true"] },
    { path: ["unknown"], right: ["x"] },
  ],
  directives: [
    ...metadataDirectives,
    { data: { $patch: "replace", z: "z" } },
    { data: { $patch: "delete" } },
  ],
  selectors: ["metadata.name=one", "metadata.name!=one", "metadata.namespace=first", "data.a=1"],
};

const secret: RandomKind = {
  apiVersion: "v1",
  kind: "Secret",
  plural: "secrets",
  sample: { data: { a: "MQ==" } },
  fields: [
    { path: ["data", "a"], right: ["MQ==", "Mg==", ""], wrong: ["?", 1] },
    { path: ["stringData", "s"], right: ["one", "two"], wrong: [1] },
    { path: ["stringData"], right: [{ a: "x" }, {}] },
    {
      path: ["type"],
      right: ["Opaque", "example.com/x"],
      wrong: ["kubernetes.io/tls", "kubernetes.io/dockerconfigjson"],
    },
    { path: ["immutable"], right: [true, false] },
  ],
  directives: metadataDirectives,
  selectors: ["type=Opaque", "metadata.name=two", "x=y"],
};

const service: RandomKind = {
  apiVersion: "v1",
  kind: "Service",
  plural: "services",
  sample: { spec: { clusterIP: "None", selector: { app: "a" }, ports: [{ port: 80 }] } },
  fields: [
    {
      path: ["spec", "ports"],
      right: [
        [{ port: 80 }],
        [{ port: 80, targetPort: "web" }],
        [
          { name: "a", port: 80 },
          { name: "b", port: 443, targetPort: 8443 },
        ],
        [
          { name: "a", port: 80 },
          { name: "u", port: 80, protocol: "UDP" },
        ],
      ],
      wrong: [
        [],
        [{ port: 0 }],
        [{ port: 80 }, { port: 81 }],
        [{ port: 80, protocol: "X" }],
        [{ name: "A_", port: 1 }],
      ],
    },
    { path: ["spec", "ports", 0, "port"], right: [81, 80], wrong: ["80", 65_536] },
    { path: ["spec", "ports", 0, "targetPort"], right: [8080, "http"], wrong: [0, "", true] },
    { path: ["spec", "selector"], right: [{ app: "b" }, { app: "a", x: "y" }, null], wrong: [{ app: 1 }] },
    { path: ["spec", "type"], right: ["ClusterIP"], wrong: ["X", "ExternalName"] },
    { path: ["spec", "sessionAffinity"], right: ["ClientIP", "None"], wrong: ["x"] },
    { path: ["spec", "publishNotReadyAddresses"], right: [true, false] },
    { path: ["spec", "clusterIP"], right: ["None"], wrong: ["", "1.2.3"] },
  ],
  status: [
    {
      path: ["status", "loadBalancer", "ingress"],
      right: [[{ ip: "1.2.3.4" }], []],
      wrong: [[{ ip: "x" }]],
    },
    conditions("A", "B"),
  ],
  directives: [
    ...metadataDirectives,
    { spec: { ports: [{ port: 80, $patch: "delete" }] } },
    { spec: { ports: [{ port: 443, name: "b" }] } },
    { spec: { ports: [{ $patch: "replace" }, { port: 90 }] } },
    { spec: { selector: { $patch: "delete" } } },
  ],
};

const deployment: RandomKind = {
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

const pod: RandomKind = {
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
  directives: [...metadataDirectives, ...podDirectives((spec) => ({ spec }))],
  selectors: [
    "status.phase=Running",
    "spec.restartPolicy=Always",
    "metadata.name=one,status.phase!=Failed",
    "spec.x=1",
  ],
};

const job: RandomKind = {
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

const statefulSet: RandomKind = {
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

const cronJob: RandomKind = {
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

const ingress: RandomKind = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  plural: "ingresses",
  sample: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
  fields: [
    {
      path: ["spec", "defaultBackend", "service", "port"],
      right: [{ name: "http" }, { number: 1 }],
      wrong: [{}, { number: 1, name: "x" }],
    },
    {
      path: ["spec", "rules"],
      right: [
        [
          {
            host: "a.example.com",
            http: {
              paths: [
                { pathType: "Prefix", path: "/", backend: { service: { name: "s", port: { number: 80 } } } },
              ],
            },
          },
        ],
        [{ host: "b.example.com" }],
        [],
      ],
      wrong: [[{ host: "A B" }], [{ http: { paths: [] } }]],
    },
    {
      path: ["spec", "tls"],
      right: [[{ hosts: ["a.example.com"], secretName: "t" }], []],
      wrong: [[{ hosts: ["?"] }]],
    },
    { path: ["spec", "ingressClassName"], right: ["c", null], wrong: ["A B"] },
  ],
  status: [
    {
      path: ["status", "loadBalancer", "ingress"],
      right: [[{ ip: "1.2.3.4" }], [{ hostname: "h" }], []],
      wrong: [[{ ip: "x" }]],
    },
  ],
  directives: metadataDirectives,
};

const networkPolicy: RandomKind = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  sample: { spec: { podSelector: {} } },
  fields: [
    {
      path: ["spec", "podSelector"],
      right: [selector, {}],
      wrong: [{ matchExpressions: [{ key: "a", operator: "X" }] }],
    },
    { path: ["spec", "policyTypes"], right: [["Ingress"], ["Ingress", "Egress"]], wrong: [["X"]] },
    {
      path: ["spec", "ingress"],
      right: [[{}], [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }], []],
      wrong: [[{ from: [{}] }]],
    },
    {
      path: ["spec", "egress"],
      right: [[{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }]],
      wrong: [[{ to: [{ ipBlock: { cidr: "x" } }] }]],
    },
  ],
  directives: metadataDirectives,
};

const budget: RandomKind = {
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

const lease: RandomKind = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  plural: "leases",
  sample: { spec: { holderIdentity: "h" } },
  fields: [
    { path: ["spec", "holderIdentity"], right: ["i", "j", null], wrong: [1] },
    { path: ["spec", "leaseDurationSeconds"], right: [10, null], wrong: [0, -1] },
    {
      path: ["spec", "renewTime"],
      right: ["2020-01-01T00:00:00.000000Z"],
      wrong: ["2020-01-01T00:00:00.000Z", "x"],
    },
    { path: ["spec", "leaseTransitions"], right: [1], wrong: [-1] },
  ],
  directives: metadataDirectives,
};

const role: RandomKind = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  plural: "roles",
  sample: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  fields: [
    {
      path: ["rules"],
      right: [[], null, [{ apiGroups: ["apps"], resources: ["*"], verbs: ["*"], resourceNames: ["x"] }]],
      wrong: [[{}], "x"],
    },
    { path: ["rules", 0, "verbs"], right: [["get", "list"]], wrong: [[]] },
  ],
  directives: metadataDirectives,
};

const binding: RandomKind = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  isClusterScoped: true,
  sample: {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [],
  },
  fields: [
    {
      path: ["subjects"],
      right: [
        [{ kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" }],
        [{ kind: "ServiceAccount", name: "s", namespace: "first" }],
        [],
      ],
      wrong: [[{ kind: "X", name: "u" }], [{ kind: "User", name: "" }]],
    },
    { path: ["roleRef", "name"], right: ["view"], wrong: ["edit", ""] },
  ],
  directives: metadataDirectives,
};

const account: RandomKind = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  sample: {},
  fields: [
    { path: ["secrets"], right: [[{ name: "a" }], [{ name: "a" }, { name: "b" }], []], wrong: ["x"] },
    { path: ["imagePullSecrets"], right: [[{ name: "p" }], []], wrong: [[1]] },
    { path: ["automountServiceAccountToken"], right: [true, false, null], wrong: ["x"] },
  ],
  directives: [
    ...metadataDirectives,
    { secrets: [{ name: "a", $patch: "delete" }] },
    { secrets: [{ name: "z" }] },
  ],
};

const claim: RandomKind = {
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

const quota: RandomKind = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  sample: { spec: { hard: { "count/widgets.example.com": "100" } } },
  fields: [
    {
      path: ["spec", "hard"],
      right: [{ "count/things.example.com": "0.5k" }, {}],
      wrong: [{ pods: "x" }, { pods: "-1" }, { pods: "1.5" }],
    },
    { path: ["spec", "scopes"], right: [], wrong: [["X"], ["Terminating", "NotTerminating"]] },
  ],
  status: [
    { path: ["status", "used"], right: [{ "count/things.example.com": "1" }], wrong: [{ pods: "x" }] },
  ],
  directives: metadataDirectives,
};

const priority: RandomKind = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  isClusterScoped: true,
  sample: { value: 10 },
  fields: [
    { path: ["value"], right: [10], wrong: [11, 2_000_000_000, "x"] },
    { path: ["description"], right: ["d", "e"], wrong: [1] },
    { path: ["preemptionPolicy"], right: ["PreemptLowerPriority"], wrong: ["Never", "X"] },
  ],
  directives: metadataDirectives,
};

const node: RandomKind = {
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

/** The kinds. */
export const builtInKinds: readonly RandomKind[] = [
  configMap,
  secret,
  service,
  deployment,
  pod,
  job,
  statefulSet,
  cronJob,
  ingress,
  networkPolicy,
  budget,
  lease,
  role,
  binding,
  account,
  claim,
  quota,
  priority,
  node,
];
