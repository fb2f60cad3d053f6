// Manifests as authors write them: with what servers default, rewrite, reorder or leave out.
import type { Manifest } from "../../src/meta/object.ts";

const podSpec = {
  serviceAccountName: "default",
  hostNetwork: false,
  nodeSelector: { "kubernetes.io/os": "linux", role: "" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
  initContainers: [
    { name: "first", image: "init:1", command: ["sh", "-c", "true"] },
    { name: "second", image: "init:1" },
  ],
  containers: [
    {
      name: "web",
      image: "web:1",
      stdin: false,
      args: [],
      env: [
        { name: "A", value: "1" },
        { name: "EMPTY", value: "" },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } },
      ],
      ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }],
      resources: { limits: { cpu: "1000m", memory: "1024Mi" }, requests: { cpu: 0.5, memory: "0.5Gi" } },
      readinessProbe: { httpGet: { path: "/", port: 80 }, initialDelaySeconds: 0 },
      volumeMounts: [{ name: "tmp", mountPath: "/tmp", readOnly: false }],
      securityContext: { capabilities: { drop: ["NET_RAW", "ALL"] }, allowPrivilegeEscalation: false },
    },
    { name: "sidecar", image: "sidecar:1" },
  ],
  volumes: [
    { name: "tmp", emptyDir: {} },
    { name: "scratch", emptyDir: { sizeLimit: "2048Mi" } },
    { name: "config", configMap: { name: "c", items: [{ key: "a", path: "a" }] } },
    { name: "all", projected: { sources: [{ secret: { name: "s" } }, { downwardAPI: { items: [] } }] } },
  ],
  securityContext: {},
};

const labels = { app: "web", empty: "" };
const template = { metadata: { labels, annotations: {} }, spec: podSpec };

/** One manifest of each kind. */
export function workloads(namespace: string): readonly Manifest[] {
  const of = (apiVersion: string, kind: string, rest: Record<string, unknown>): Manifest => ({
    apiVersion,
    kind,
    metadata: { namespace, name: "w", labels },
    ...rest,
  });
  return [
    of("v1", "ConfigMap", { data: { a: "1", empty: "" }, binaryData: {} }),
    of("v1", "Secret", { stringData: { password: "p+&<>" }, data: { raw: "AAEC" } }),
    of("v1", "Service", {
      spec: {
        selector: labels,
        ports: [
          { name: "http", port: 80, targetPort: "http" },
          { name: "dns", port: 53, protocol: "UDP" },
        ],
      },
    }),
    of("v1", "ServiceAccount", { automountServiceAccountToken: false, imagePullSecrets: [{ name: "a" }] }),
    of("v1", "PersistentVolumeClaim", {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
    }),
    of("apps/v1", "Deployment", {
      spec: {
        replicas: 0,
        paused: false,
        minReadySeconds: 0,
        selector: { matchLabels: { app: "web" } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "25%" } },
        template,
      },
    }),
    of("apps/v1", "StatefulSet", {
      spec: {
        replicas: 0,
        serviceName: "w",
        selector: { matchLabels: { app: "web" } },
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
          },
        ],
      },
    }),
    of("apps/v1", "DaemonSet", { spec: { selector: { matchLabels: { app: "web" } }, template } }),
    of("batch/v1", "Job", {
      spec: { suspend: true, template: { spec: { ...podSpec, restartPolicy: "Never" } } },
    }),
    of("batch/v1", "CronJob", {
      spec: {
        schedule: "0 3 * * *",
        suspend: false,
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      },
    }),
    of("rbac.authorization.k8s.io/v1", "Role", {
      rules: [
        { apiGroups: ["", "apps"], resources: ["pods", "deployments"], verbs: ["watch", "get", "list"] },
      ],
    }),
    of("rbac.authorization.k8s.io/v1", "RoleBinding", {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "w" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace }],
    }),
    of("networking.k8s.io/v1", "NetworkPolicy", {
      spec: {
        podSelector: {},
        ingress: [{}, { from: [{ podSelector: {} }], ports: [{ port: 80 }, { port: "http" }] }],
        policyTypes: ["Egress", "Ingress"],
      },
    }),
    of("networking.k8s.io/v1", "Ingress", {
      spec: {
        rules: [
          {
            host: "w.example.com",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "w", port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    }),
    of("policy/v1", "PodDisruptionBudget", {
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    }),
    of("coordination.k8s.io/v1", "Lease", { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } }),
  ];
}
