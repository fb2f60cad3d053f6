// An object of each built-in type that is right, into whose fields wrong values are put.
import type { Body } from "../api-server/raw-request.ts";

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const once = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
const selector = { matchLabels: { a: "b" } };
const workload = { spec: { selector, template } };
const devices = { requests: [{ name: "r", exactly: { deviceClassName: "c.example.com" } }] };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const clusterRole = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
const matched = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }];
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://example.com" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: matched,
};

/** By plural; without metadata each is called `one`. */
export const rightObjects: Readonly<Record<string, Body>> = {
  pods: { spec: template.spec },
  podtemplates: { template },
  deployments: workload,
  replicasets: workload,
  statefulsets: { spec: { ...workload.spec, serviceName: "s" } },
  daemonsets: workload,
  replicationcontrollers: { spec: { selector: { a: "b" }, template } },
  jobs: { spec: { template: once } },
  cronjobs: { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: once } } } },
  controllerrevisions: { revision: 1, data: { a: 1 } },
  services: { spec: { ports: [{ port: 80 }] } },
  endpoints: { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
  endpointslices: {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"] }],
    ports: [{ name: "a", port: 80 }],
  },
  configmaps: { data: { a: "b" } },
  secrets: { data: { a: "MQ==" } },
  serviceaccounts: {},
  namespaces: {},
  nodes: {},
  resourcequotas: { spec: { hard: { pods: "1" } } },
  limitranges: { spec: { limits: [{ type: "Container", max: { cpu: "1" } }] } },
  persistentvolumes: {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
  },
  persistentvolumeclaims: {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  ingresses: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
  ingressclasses: { spec: { controller: "example.com/c" } },
  networkpolicies: { spec: { podSelector: {} } },
  servicecidrs: { spec: { cidrs: ["10.97.0.0/24"] } },
  ipaddresses: {
    metadata: { name: "10.99.0.1" },
    spec: { parentRef: { resource: "services", namespace: "default", name: "s" } },
  },
  poddisruptionbudgets: { spec: { minAvailable: 1, selector } },
  roles: { rules },
  clusterroles: { rules },
  rolebindings: { roleRef: clusterRole },
  clusterrolebindings: { roleRef: clusterRole },
  leases: { spec: { holderIdentity: "h" } },
  priorityclasses: { value: 1 },
  runtimeclasses: { handler: "h" },
  storageclasses: { provisioner: "example.com/p" },
  csidrivers: { spec: {} },
  csinodes: { spec: { drivers: [{ name: "d.example.com", nodeID: "n", topologyKeys: ["a"] }] } },
  csistoragecapacities: { storageClassName: "a" },
  volumeattachments: {
    spec: { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "p" } },
  },
  volumeattributesclasses: { driverName: "d.example.com", parameters: { a: "b" } },
  flowschemas: {
    spec: {
      priorityLevelConfiguration: { name: "global-default" },
      rules: [
        {
          subjects: [{ kind: "Group", group: { name: "g" } }],
          nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
        },
      ],
    },
  },
  prioritylevelconfigurations: {
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" }, nominalConcurrencyShares: 1 } },
  },
  resourceclaims: { spec: { devices } },
  resourceclaimtemplates: { spec: { spec: { devices } } },
  deviceclasses: { spec: {} },
  resourceslices: {
    spec: {
      driver: "d.example.com",
      pool: { name: "p", resourceSliceCount: 1, generation: 1 },
      nodeName: "n",
      devices: [{ name: "a" }],
    },
  },
  horizontalpodautoscalers: {
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 3 },
  },
  certificatesigningrequests: {
    spec: { signerName: "example.com/s", request: "bm8=", usages: ["client auth"] },
  },
  validatingwebhookconfigurations: { webhooks: [webhook] },
  mutatingwebhookconfigurations: { webhooks: [webhook] },
  validatingadmissionpolicies: {
    spec: { matchConstraints: { resourceRules: matched }, validations: [{ expression: "true" }] },
  },
  validatingadmissionpolicybindings: { spec: { policyName: "p", validationActions: ["Deny"] } },
  mutatingadmissionpolicies: {
    spec: {
      matchConstraints: { resourceRules: matched },
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "[]" } }],
    },
  },
  mutatingadmissionpolicybindings: { spec: { policyName: "p" } },
  apiservices: {
    metadata: { name: "v1.example.com" },
    spec: { group: "example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 },
  },
  customresourcedefinitions: {
    metadata: { name: "ws.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "ws", kind: "W" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  },
};

/** What an item of a list has besides what is put into it, by the name of the list. */
export const rightItems: Readonly<Record<string, Body>> = {
  volumes: { name: "v" },
  containers: { name: "c", image: "i" },
  initContainers: { name: "d", image: "i" },
  ephemeralContainers: { name: "e", image: "i" },
  env: { name: "A" },
  volumeMounts: { name: "v", mountPath: "/v" },
  volumeClaimTemplates: {
    metadata: { name: "t" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  requests: { name: "r" },
  firstAvailable: { name: "f", deviceClassName: "c.example.com" },
  taints: { key: "k", effect: "NoSchedule" },
  tolerations: { key: "k" },
  conditions: {
    type: "A",
    status: "True",
    reason: "R",
    message: "",
    lastTransitionTime: "2020-01-01T00:00:00Z",
  },
  containerStatuses: { name: "c", image: "i", imageID: "d", ready: true, restartCount: 0 },
};
