// Objects that are stored, and then changed field by field: besides the right ones, those in which something is settled once, or
// depends on something else.
import type { Body } from "../api-server/raw-request.ts";
import { exampleRequest } from "../api-server/kind-cases.ts";
import { rightObjects } from "./right-objects.ts";

const meta = { metadata: { labels: { a: "b" } } };
const container = { name: "c", image: "i" };
const amounts = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } };
const pod = {
  containers: [
    { ...container, resources: amounts, ports: [{ containerPort: 80 }] },
    { name: "b", image: "i" },
  ],
  initContainers: [{ name: "d", image: "i" }],
  volumes: [{ name: "v", emptyDir: {} }],
  tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 9 }],
  nodeSelector: { a: "b" },
  activeDeadlineSeconds: 100,
};
const nodes = { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }] };
const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nodes } };
const once = { ...meta, spec: { containers: [container], restartPolicy: "Never" } };
const selector = { matchLabels: { a: "b" } };
const template = { ...meta, spec: { containers: [container] } };
const claim = {
  metadata: { name: "t" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const csi = { driver: "d.example.com", volumeHandle: "h", volumeAttributes: { a: "b" } };

/** By plural, besides the right one. */
const others: Readonly<Record<string, readonly Body[]>> = {
  configmaps: [{ immutable: true, data: { a: "b" }, binaryData: { c: "MQ==" } }],
  secrets: [
    { immutable: true, data: { a: "MQ==" } },
    { type: "kubernetes.io/tls", data: { "tls.crt": "MQ==", "tls.key": "MQ==" } },
  ],
  pods: [{ spec: pod }, { spec: { ...pod, affinity, schedulingGates: [{ name: "g" }] } }],
  services: [
    { spec: { type: "NodePort", ports: [{ name: "a", port: 80 }] } },
    { spec: { type: "LoadBalancer", loadBalancerClass: "example.com/a", ports: [{ name: "a", port: 80 }] } },
    { spec: { type: "ExternalName", externalName: "example.com" } },
    { spec: { clusterIP: "None", selector: { a: "b" } } },
  ],
  deployments: [{ spec: { selector, template, strategy: { type: "Recreate" } } }],
  statefulsets: [{ spec: { selector, template, serviceName: "s", volumeClaimTemplates: [claim] } }],
  jobs: [
    { spec: { template: once, suspend: true } },
    {
      spec: {
        template: once,
        completionMode: "Indexed",
        completions: 2,
        parallelism: 2,
        backoffLimitPerIndex: 1,
        podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "A" }] }] },
        successPolicy: { rules: [{ succeededIndexes: "0" }] },
      },
    },
  ],
  persistentvolumes: [
    {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "s",
        csi,
        nodeAffinity: { required: nodes },
      },
    },
  ],
  persistentvolumeclaims: [
    {
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "s",
        volumeName: "v",
        selector,
        dataSource: { kind: "PersistentVolumeClaim", name: "o" },
      },
    },
  ],
  storageclasses: [{ provisioner: "example.com/p", parameters: { a: "b" }, mountOptions: ["a"] }],
  csidrivers: [
    {
      spec: {
        tokenRequests: [{ audience: "a" }],
        volumeLifecycleModes: ["Ephemeral"],
        attachRequired: false,
      },
    },
  ],
  csinodes: [{ spec: { drivers: [{ name: "d.example.com", nodeID: "n", allocatable: { count: 1 } }] } }],
  csistoragecapacities: [{ storageClassName: "a", nodeTopology: selector, capacity: "1Gi" }],
  runtimeclasses: [
    { handler: "h", overhead: { podFixed: { cpu: "1" } }, scheduling: { nodeSelector: { a: "b" } } },
  ],
  nodes: [
    {
      spec: {
        podCIDR: "10.1.0.0/24",
        podCIDRs: ["10.1.0.0/24"],
        providerID: "p",
        taints: [{ key: "k", effect: "NoSchedule" }],
      },
      status: { capacity: { cpu: "1" }, addresses: [{ type: "Hostname", address: "h" }] },
    },
  ],
  resourcequotas: [{ spec: { hard: { pods: "1" }, scopes: ["BestEffort"] } }],
  poddisruptionbudgets: [
    { spec: { maxUnavailable: "50%", selector, unhealthyPodEvictionPolicy: "AlwaysAllow" } },
  ],
  rolebindings: [
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
    },
  ],
  clusterroles: [{ rules: [], aggregationRule: { clusterRoleSelectors: [selector] } }],
  ingressclasses: [
    { spec: { controller: "example.com/c", parameters: { kind: "K", name: "n", apiGroup: "example.com" } } },
  ],
  priorityclasses: [{ value: 5, globalDefault: false, preemptionPolicy: "Never", description: "d" }],
  horizontalpodautoscalers: [
    {
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 5 } },
          },
        ],
        behavior: { scaleUp: { stabilizationWindowSeconds: 1 } },
      },
    },
  ],
  volumeattachments: [
    { spec: { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "p" } } },
  ],
  leases: [{ spec: { holderIdentity: "h", leaseDurationSeconds: 5, leaseTransitions: 1 } }],
  networkpolicies: [
    { spec: { podSelector: selector, egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] } },
  ],
};

/** The objects that are changed, by plural. */
export function storedObjects(plural: string): readonly Body[] {
  const { [plural]: right = {} } = rightObjects;
  const request = { spec: { signerName: "example.com/s", request: exampleRequest, usages: ["client auth"] } };
  // Of a request, the sweep of new objects has one that is none.
  const first = plural === "certificatesigningrequests" ? request : right;
  return [first, ...(others[plural] ?? [])].map((content) => {
    const { metadata } = content as { readonly metadata?: Body };
    return { ...content, metadata: { name: "one", ...metadata } };
  });
}
