// Kinds of Kubernetes that others read: configuration, accounts, roles, leases, classes.
import { metadataDirectives } from "./kind-parts.ts";
import type { RandomKind } from "./random-kind.ts";

export const configMap: RandomKind = {
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

export const secret: RandomKind = {
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
  watched: "type=Opaque",
};

export const lease: RandomKind = {
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

export const role: RandomKind = {
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

export const binding: RandomKind = {
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

export const account: RandomKind = {
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

export const quota: RandomKind = {
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

export const priority: RandomKind = {
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

export const clusterRole: RandomKind = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  isClusterScoped: true,
  sample: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  fields: [
    {
      path: ["rules"],
      right: [
        [],
        null,
        [{ nonResourceURLs: ["/healthz"], verbs: ["get"] }],
        [{ apiGroups: ["apps"], resources: ["*"], verbs: ["*"] }],
      ],
      wrong: [[{}], "x", [{ nonResourceURLs: ["/x"], resources: ["pods"], apiGroups: [""], verbs: ["get"] }]],
    },
    {
      path: ["aggregationRule"],
      right: [null, { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] }],
      wrong: [{ clusterRoleSelectors: [{ matchLabels: { "-": "x" } }] }, {}],
    },
  ],
  directives: metadataDirectives,
};

export const roleBinding: RandomKind = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  sample: {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [],
  },
  fields: [
    {
      path: ["subjects"],
      right: [
        [{ kind: "Group", name: "g" }],
        [{ kind: "ServiceAccount", name: "s" }],
        [{ kind: "ServiceAccount", name: "s", namespace: "first" }],
        [],
        null,
      ],
      wrong: [[{ kind: "X", name: "u" }], [{ kind: "ServiceAccount", name: "A B", namespace: "first" }]],
    },
    { path: ["roleRef", "name"], right: ["view"], wrong: ["edit", ""] },
    { path: ["roleRef", "kind"], right: ["ClusterRole"], wrong: ["Role", "X"] },
  ],
  directives: metadataDirectives,
};

/** Of a type of limits that nothing is held to, as the real server would notice it late. */
export const limitRange: RandomKind = {
  apiVersion: "v1",
  kind: "LimitRange",
  plural: "limitranges",
  sample: { spec: { limits: [{ type: "example.com/thing", max: { cpu: "2" } }] } },
  fields: [
    {
      path: ["spec", "limits"],
      right: [
        [{ type: "example.com/thing", max: { cpu: "2" }, min: { cpu: "100m" } }],
        [{ type: "example.com/thing" }],
      ],
      wrong: [
        [{ type: "example.com/thing", max: { cpu: "1" }, min: { cpu: "2" } }],
        [{ type: "A B" }],
        [{ type: "example.com/thing" }, { type: "example.com/thing" }],
        [{ type: "example.com/thing", max: { cpu: "x" } }],
      ],
    },
    { path: ["spec"], right: [], wrong: ["x"] },
  ],
  directives: metadataDirectives,
};

export const runtimeClass: RandomKind = {
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  isClusterScoped: true,
  sample: { handler: "h" },
  fields: [
    { path: ["handler"], right: ["h"], wrong: ["i", "A_", ""] },
    { path: ["overhead"], right: [{ podFixed: { cpu: "100m" } }, null], wrong: [{ podFixed: { cpu: "x" } }] },
    {
      path: ["scheduling"],
      right: [{ nodeSelector: { a: "b" } }, {}, null],
      wrong: [{ nodeSelector: { "-": "b" } }],
    },
  ],
  directives: metadataDirectives,
};

/** Told of something in the first namespace: in the second one, it is refused. */
export const event: RandomKind = {
  apiVersion: "v1",
  kind: "Event",
  plural: "events",
  sample: {
    involvedObject: { kind: "Pod", name: "p", namespace: "first" },
    reason: "R",
    message: "m",
    type: "Normal",
  },
  fields: [
    { path: ["message"], right: ["n", "o", ""], wrong: [1] },
    { path: ["type"], right: ["Warning", "Other", null], wrong: [1] },
    { path: ["count"], right: [1, 2, 0], wrong: ["x"] },
    { path: ["lastTimestamp"], right: ["2020-01-01T00:00:00Z", null], wrong: ["x"] },
    { path: ["source"], right: [{ component: "c" }, { component: "d", host: "h" }, {}], wrong: ["x"] },
    {
      path: ["involvedObject"],
      right: [{ kind: "Pod", name: "q", namespace: "first", fieldPath: "spec" }],
      wrong: [{}, { namespace: "elsewhere" }],
    },
    {
      path: ["series"],
      right: [{ count: 2, lastObservedTime: "2020-01-01T00:00:00.000000Z" }, {}, null],
      wrong: [{ count: "x" }],
    },
    { path: ["related"], right: [{ kind: "Pod", name: "r" }, {}, null] },
    { path: ["reportingComponent"], right: ["example.com/c", ""] },
  ],
  directives: metadataDirectives,
  selectors: ["involvedObject.name=p", "type=Warning,reason=R", "reason!=R", "source=c"],
};
