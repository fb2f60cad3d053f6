// What people do with kubectl: workloads come up, are scaled, rolled, paused, set back and deleted.

/** An act of kubectl. */
export interface KubectlAct {
  readonly name: string;
  readonly apply?: string;
  /** Commands of kubectl. */
  readonly kubectl?: readonly string[];
  /** Commands that succeed once it has come to rest. */
  readonly reached: readonly string[];
}

const deployment = (image: string, more = ""): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      automountServiceAccountToken: false
      containers: [{ name: web, image: "web:${image}", ports: [{ name: http, containerPort: 8080 }] }]
${more}`;
const service = `---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: http }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { minAvailable: 2, selector: { matchLabels: { app: web } } }
`;
const statefulSet = (image: string): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: data }
spec:
  replicas: 2
  serviceName: data
  updateStrategy: { type: RollingUpdate }
  selector: { matchLabels: { app: data } }
  template:
    metadata: { labels: { app: data } }
    spec:
      automountServiceAccountToken: false
      containers: [{ name: data, image: "data:${image}", volumeMounts: [{ name: disk, mountPath: /data }] }]
  volumeClaimTemplates:
    - metadata: { name: disk }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: Service
metadata: { name: data }
spec: { clusterIP: None, selector: { app: data }, ports: [{ port: 5432 }] }
`;
const job = `
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  completions: 2
  completionMode: Indexed
  template:
    spec:
      automountServiceAccountToken: false
      restartPolicy: Never
      containers: [{ name: once, image: once }]
`;
const daemonSet = (image: string): string => `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec:
      containers: [{ name: agent, image: "agent:${image}" }]
`;
const agentIsUp = "wait --for=jsonpath={.status.numberAvailable}=1 daemonset/agent";
const rolledOut = "rollout status deployment/web";
const gone = ["wait --for=delete pods --all"];

/** The acts, in their order. */
export const kubectlActs: readonly KubectlAct[] = [
  { name: "a deployment comes up", apply: deployment("1", service), reached: [rolledOut] },
  {
    name: "a deployment is scaled",
    kubectl: ["scale deployment/web --replicas=5"],
    reached: ["wait --for=jsonpath={.status.availableReplicas}=5 deployment/web"],
  },
  {
    name: "a deployment is rolled to another template",
    apply: deployment("2"),
    reached: ["wait --for=jsonpath={.status.observedGeneration}=3 deployment/web", rolledOut],
  },
  {
    name: "a deployment is paused while its template changes, and goes on",
    kubectl: [
      "rollout pause deployment/web",
      "set image deployment/web web=web:3",
      "rollout resume deployment/web",
    ],
    reached: ["wait --for=jsonpath={.status.observedGeneration}=6 deployment/web", rolledOut],
  },
  {
    name: "a deployment goes back to an earlier revision",
    kubectl: ["rollout undo deployment/web --to-revision=1"],
    reached: ["wait --for=jsonpath={.status.observedGeneration}=7 deployment/web", rolledOut],
  },
  {
    name: "a deployment is deleted",
    kubectl: ["delete deployment/web service/web pdb/web"],
    reached: [...gone, "wait --for=delete replicasets --all"],
  },
  {
    name: "a stateful set comes up",
    apply: statefulSet("1"),
    reached: [
      "rollout status statefulset/data",
      "wait --for=jsonpath={.status.availableReplicas}=2 statefulset/data",
    ],
  },
  {
    name: "a stateful set is rolled to another template",
    apply: statefulSet("2"),
    reached: [
      "wait --for=jsonpath={.status.observedGeneration}=2 statefulset/data",
      "rollout status statefulset/data",
      "wait --for=jsonpath={.status.availableReplicas}=2 statefulset/data",
    ],
  },
  {
    name: "a stateful set is deleted, and its claims stay",
    kubectl: ["delete statefulset/data service/data"],
    reached: gone,
  },
  { name: "an indexed job completes", apply: job, reached: ["wait --for=condition=Complete job/once"] },
  { name: "a job is deleted", kubectl: ["delete job/once"], reached: gone },
  {
    name: "a daemon set comes up",
    apply: daemonSet("1"),
    reached: ["rollout status daemonset/agent", agentIsUp],
  },
  {
    name: "a daemon set is rolled to another template",
    apply: daemonSet("2"),
    reached: [
      "wait --for=jsonpath={.status.observedGeneration}=2 daemonset/agent",
      "rollout status daemonset/agent",
      agentIsUp,
    ],
  },
  { name: "a daemon set is deleted", kubectl: ["delete daemonset/agent"], reached: gone },
];
