// The cluster roles that every cluster has for people and for what everyone may ask, as Kubernetes 1.36 makes them.
import { timestampOf, type ApiCore } from "../api-core.ts";

const group = "rbac.authorization.k8s.io";
const bootstrap = { "kubernetes.io/bootstrapping": "rbac-defaults" };

const roles: readonly Readonly<Record<string, unknown>>[] = [
  {
    name: "admin",
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { "rbac.authorization.k8s.io/aggregate-to-admin": "true" } }],
    },
  },
  {
    name: "cluster-admin",
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ],
  },
  {
    name: "edit",
    labels: { "rbac.authorization.k8s.io/aggregate-to-admin": "true" },
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" } }],
    },
  },
  {
    name: "system:aggregate-to-admin",
    labels: { "rbac.authorization.k8s.io/aggregate-to-admin": "true" },
    rules: [
      { apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews"], verbs: ["create"] },
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["rolebindings", "roles"],
        verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      },
    ],
  },
  {
    name: "system:aggregate-to-edit",
    labels: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" },
    rules: [
      {
        apiGroups: [""],
        resources: [
          "pods/attach",
          "pods/exec",
          "pods/portforward",
          "pods/proxy",
          "secrets",
          "services/proxy",
        ],
        verbs: ["get", "list", "watch"],
      },
      { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"] },
      {
        apiGroups: [""],
        resources: ["pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
      {
        apiGroups: [""],
        resources: [
          "configmaps",
          "persistentvolumeclaims",
          "replicationcontrollers",
          "replicationcontrollers/scale",
          "secrets",
          "serviceaccounts",
          "services",
          "services/proxy",
        ],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      { apiGroups: [""], resources: ["serviceaccounts/token"], verbs: ["create"] },
      {
        apiGroups: ["", "events.k8s.io"],
        resources: ["events"],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      {
        apiGroups: ["apps"],
        resources: [
          "daemonsets",
          "deployments",
          "deployments/rollback",
          "deployments/scale",
          "replicasets",
          "replicasets/scale",
          "statefulsets",
          "statefulsets/scale",
        ],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      {
        apiGroups: ["autoscaling"],
        resources: ["horizontalpodautoscalers"],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      {
        apiGroups: ["batch"],
        resources: ["cronjobs", "jobs"],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      {
        apiGroups: ["extensions"],
        resources: [
          "daemonsets",
          "deployments",
          "deployments/rollback",
          "deployments/scale",
          "ingresses",
          "networkpolicies",
          "replicasets",
          "replicasets/scale",
          "replicationcontrollers/scale",
        ],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      {
        apiGroups: ["policy"],
        resources: ["poddisruptionbudgets"],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      {
        apiGroups: ["networking.k8s.io"],
        resources: ["ingresses", "networkpolicies"],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      },
      {
        apiGroups: ["resource.k8s.io"],
        resources: ["resourceclaims", "resourceclaimtemplates"],
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
      },
    ],
  },
  {
    name: "system:aggregate-to-view",
    labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" },
    rules: [
      {
        apiGroups: [""],
        resources: [
          "configmaps",
          "endpoints",
          "persistentvolumeclaims",
          "persistentvolumeclaims/status",
          "pods",
          "replicationcontrollers",
          "replicationcontrollers/scale",
          "serviceaccounts",
          "services",
          "services/status",
        ],
        verbs: ["get", "list", "watch"],
      },
      {
        apiGroups: [""],
        resources: [
          "bindings",
          "limitranges",
          "namespaces/status",
          "pods/log",
          "pods/status",
          "replicationcontrollers/status",
          "resourcequotas",
          "resourcequotas/status",
        ],
        verbs: ["get", "list", "watch"],
      },
      { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["get", "list", "watch"] },
      {
        apiGroups: ["apps"],
        resources: [
          "controllerrevisions",
          "daemonsets",
          "daemonsets/status",
          "deployments",
          "deployments/scale",
          "deployments/status",
          "replicasets",
          "replicasets/scale",
          "replicasets/status",
          "statefulsets",
          "statefulsets/scale",
          "statefulsets/status",
        ],
        verbs: ["get", "list", "watch"],
      },
      {
        apiGroups: ["autoscaling"],
        resources: ["horizontalpodautoscalers", "horizontalpodautoscalers/status"],
        verbs: ["get", "list", "watch"],
      },
      {
        apiGroups: ["batch"],
        resources: ["cronjobs", "cronjobs/status", "jobs", "jobs/status"],
        verbs: ["get", "list", "watch"],
      },
      {
        apiGroups: ["extensions"],
        resources: [
          "daemonsets",
          "daemonsets/status",
          "deployments",
          "deployments/scale",
          "deployments/status",
          "ingresses",
          "ingresses/status",
          "networkpolicies",
          "replicasets",
          "replicasets/scale",
          "replicasets/status",
          "replicationcontrollers/scale",
        ],
        verbs: ["get", "list", "watch"],
      },
      {
        apiGroups: ["policy"],
        resources: ["poddisruptionbudgets", "poddisruptionbudgets/status"],
        verbs: ["get", "list", "watch"],
      },
      {
        apiGroups: ["networking.k8s.io"],
        resources: ["ingresses", "ingresses/status", "networkpolicies"],
        verbs: ["get", "list", "watch"],
      },
      {
        apiGroups: ["resource.k8s.io"],
        resources: ["resourceclaims", "resourceclaims/status", "resourceclaimtemplates"],
        verbs: ["get", "list", "watch"],
      },
    ],
  },
  {
    name: "system:basic-user",
    rules: [
      {
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        verbs: ["create"],
      },
      { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
    ],
  },
  {
    name: "system:discovery",
    rules: [
      {
        nonResourceURLs: [
          "/api",
          "/api/*",
          "/apis",
          "/apis/*",
          "/healthz",
          "/livez",
          "/openapi",
          "/openapi/*",
          "/readyz",
          "/version",
          "/version/",
        ],
        verbs: ["get"],
      },
    ],
  },
  {
    name: "system:public-info-viewer",
    rules: [{ nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"], verbs: ["get"] }],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      {
        nonResourceURLs: [
          "/.well-known/openid-configuration",
          "/.well-known/openid-configuration/",
          "/openid/v1/jwks",
          "/openid/v1/jwks/",
        ],
        verbs: ["get"],
      },
    ],
  },
  {
    name: "view",
    labels: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" },
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } }],
    },
  },
];

const bindings: readonly (readonly [
  role: string,
  subjects: readonly (readonly [kind: string, name: string])[],
])[] = [
  ["cluster-admin", [["Group", "system:masters"]]],
  ["system:basic-user", [["Group", "system:authenticated"]]],
  ["system:discovery", [["Group", "system:authenticated"]]],
  [
    "system:public-info-viewer",
    [
      ["Group", "system:authenticated"],
      ["Group", "system:unauthenticated"],
    ],
  ],
  ["system:service-account-issuer-discovery", [["Group", "system:serviceaccounts"]]],
];

/** Creates the default roles and their bindings. */
export function createDefaultRoles(core: ApiCore): void {
  const put = (plural: string, kind: string, name: string, content: object, labels: object = {}): void => {
    if (core.store.get(`${plural}.${group}`, undefined, name) !== undefined) return;
    core.store.put(`${plural}.${group}`, {
      kind,
      apiVersion: `${group}/v1`,
      metadata: {
        name,
        uid: core.newUid(),
        creationTimestamp: timestampOf(core),
        labels: { ...bootstrap, ...labels },
        annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
      },
      ...content,
    });
  };
  for (const { name, labels, ...content } of roles) {
    put("clusterroles", "ClusterRole", String(name), content, labels as object | undefined);
  }
  for (const [name, subjects] of bindings) {
    put("clusterrolebindings", "ClusterRoleBinding", name, {
      subjects: subjects.map(([kind, subject]) => ({ kind, apiGroup: group, name: subject })),
      roleRef: { apiGroup: group, kind: "ClusterRole", name },
    });
  }
}
