// Operators in Go: a controller on client-go alone, Argo's rollouts, the Prometheus operator, and RabbitMQ's on controller-runtime.
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, ForeignProgram, InstalledOperator, Obtained } from "./foreign-operator.ts";

/** Builds the program of a module, and says how it is run from the module's folder. */
function fromModule(
  name: string,
  module: string,
  main: string,
  installed: (folder: string) => Omit<ForeignProgram, "command"> & Omit<InstalledOperator, "programs">,
): Obtained {
  const built = buildGoModule(name, module, main);
  if ("failure" in built) return built;
  const { manifests, role, ...program } = installed(built.folder);
  return {
    programs: [{ command: built.files[0]!, ...program }],
    manifests,
    ...(role === undefined ? {} : { role }),
  };
}

const sampleVersion = "v0.36.2";
const foo = (replicas: number): string => `
apiVersion: samplecontroller.k8s.io/v1alpha1
kind: Foo
metadata: { name: example }
spec: { deploymentName: example, replicas: ${replicas} }
`;

/** Kubernetes' own example of a controller. */
export const sampleController: ForeignOperator = {
  name: "sample-controller",
  version: sampleVersion,
  obtain: () =>
    fromModule("sample-controller", `k8s.io/sample-controller@${sampleVersion}`, ".", (folder) => ({
      args: (kubeconfig) => [`--kubeconfig=${kubeconfig}`],
      manifests: [join(folder, "artifacts/examples/crd-status-subresource.yaml")],
    })),
  steps: [
    {
      name: "create",
      apply: foo(1),
      reached: [
        "wait --for=jsonpath={.status.availableReplicas}=1 foo/example",
        "rollout status deployment/example",
      ],
    },
    {
      name: "update",
      apply: foo(3),
      reached: [
        "wait --for=jsonpath={.status.availableReplicas}=3 foo/example",
        "rollout status deployment/example",
      ],
    },
    {
      name: "drift",
      kubectl: ["scale deployment/example --replicas=5"],
      reached: [
        "wait --for=jsonpath={.spec.replicas}=3 deployment/example",
        "rollout status deployment/example",
      ],
    },
    {
      name: "delete",
      kubectl: ["delete foo/example"],
      reached: ["wait --for=delete deployment/example", "wait --for=delete pods --all"],
    },
  ],
};

const rolloutsVersion = "v1.9.1";
const rollout = (image: string, replicas = 2): string => `
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: { name: canary }
spec:
  replicas: ${replicas}
  revisionHistoryLimit: 2
  selector: { matchLabels: { app: canary } }
  template:
    metadata: { labels: { app: canary } }
    spec:
      containers:
        - { name: demo, image: "argoproj/rollouts-demo:${image}", ports: [{ containerPort: 8080 }] }
  strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } }
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: { name: blue-green }
spec:
  replicas: ${replicas}
  revisionHistoryLimit: 2
  selector: { matchLabels: { app: blue-green } }
  template:
    metadata: { labels: { app: blue-green } }
    spec:
      containers:
        - { name: demo, image: "argoproj/rollouts-demo:${image}", ports: [{ containerPort: 8080 }] }
  strategy: { blueGreen: { activeService: active, previewService: preview, autoPromotionEnabled: false } }
---
apiVersion: v1
kind: Service
metadata: { name: active }
spec: { selector: { app: blue-green }, ports: [{ port: 80, targetPort: 8080 }] }
---
apiVersion: v1
kind: Service
metadata: { name: preview }
spec: { selector: { app: blue-green }, ports: [{ port: 80, targetPort: 8080 }] }
`;
const inPhase = (name: string, phase: string): string =>
  `wait --for=jsonpath={.status.phase}=${phase} rollout/${name}`;

/** Argo Rollouts: deployments with canaries, which makes replica sets by itself. */
export const argoRollouts: ForeignOperator = {
  name: "argo-rollouts",
  version: rolloutsVersion,
  obtain: () =>
    fromModule(
      "argo-rollouts",
      `github.com/argoproj/argo-rollouts@${rolloutsVersion}`,
      "./cmd/rollouts-controller",
      (folder) => ({
        args: (kubeconfig) => [`--kubeconfig=${kubeconfig}`, `--namespace=${home}`, "--leader-elect=false"],
        env: { POD_NAMESPACE: home },
        manifests: [
          ...["analysis-run", "analysis-template", "cluster-analysis-template", "experiment", "rollout"].map(
            (each) => join(folder, `manifests/crds/${each}-crd.yaml`),
          ),
          join(folder, "manifests/role/argo-rollouts-clusterrole.yaml"),
        ],
        role: "argo-rollouts",
        // It listens on every address.
        isolated: true,
      }),
    ),
  steps: [
    {
      name: "create",
      apply: rollout("blue"),
      reached: [inPhase("canary", "Healthy"), inPhase("blue-green", "Healthy")],
    },
    {
      name: "new image",
      apply: rollout("green"),
      reached: [
        inPhase("canary", "Paused"),
        inPhase("blue-green", "Paused"),
        "wait --for=jsonpath={.status.availableReplicas}=2 rollout/canary",
      ],
    },
    {
      name: "promote",
      kubectl: [
        'patch rollout/canary --subresource=status --type=merge --patch={"status":{"promoteFull":true}}',
        'patch rollout/blue-green --subresource=status --type=merge --patch={"status":{"pauseConditions":null}}',
      ],
      reached: [inPhase("canary", "Healthy"), inPhase("blue-green", "Healthy")],
    },
    {
      name: "scale",
      kubectl: ["scale rollout/canary --replicas=4"],
      reached: [
        "wait --for=jsonpath={.status.availableReplicas}=4 rollout/canary",
        inPhase("canary", "Healthy"),
      ],
    },
    {
      name: "delete",
      kubectl: ["delete rollout/canary rollout/blue-green service/active service/preview"],
      reached: ["wait --for=delete pods --all", "wait --for=delete replicasets --all"],
    },
  ],
};

const prometheusVersion = "v0.85.0";
const prometheus = (replicas: number): string => `
apiVersion: v1
kind: ServiceAccount
metadata: { name: prometheus }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main }
spec:
  replicas: ${replicas}
  serviceAccountName: prometheus
  serviceMonitorSelector: { matchLabels: { team: frontend } }
  ruleSelector: {}
  resources: { requests: { memory: 400Mi } }
  enableAdminAPI: false
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: app, labels: { team: frontend } }
spec: { selector: { matchLabels: { app: app } }, endpoints: [{ port: web }] }
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: { name: rules }
spec: { groups: [{ name: example, rules: [{ alert: Example, expr: vector(${replicas}) }] }] }
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: { name: main }
spec: { replicas: ${replicas} }
`;
const available = ["prometheus/main", "alertmanager/main"].map(
  (each) => `wait --for=condition=Available ${each}`,
);
const sets = ["statefulset/prometheus-main", "statefulset/alertmanager-main"].map(
  (each) => `rollout status ${each}`,
);

/** The Prometheus operator: stateful sets, and configuration in secrets. */
export const prometheusOperator: ForeignOperator = {
  name: "prometheus-operator",
  version: prometheusVersion,
  obtain: () =>
    fromModule(
      "prometheus-operator",
      `github.com/prometheus-operator/prometheus-operator@${prometheusVersion}`,
      "./cmd/operator",
      (folder) => ({
        args: () => ["--web.listen-address=127.0.0.1:0", "--kubelet-endpoints=false"],
        manifests: [
          join(folder, "example/prometheus-operator-crd"),
          join(folder, "example/rbac/prometheus-operator/prometheus-operator-cluster-role.yaml"),
        ],
        role: "prometheus-operator",
      }),
    ),
  // A hash of what it read, in which there are uids.
  random: [
    [/^(?:StatefulSet|ControllerRevision)\//, /^metadata\.annotations\.prometheus-operator-input-hash$/],
  ],
  steps: [
    {
      name: "create",
      apply: prometheus(1),
      reached: [
        "wait --for=create statefulset/prometheus-main statefulset/alertmanager-main",
        "wait --for=create statefulset/alertmanager-main",
        ...available,
        ...sets,
      ],
    },
    {
      name: "update",
      apply: prometheus(2),
      reached: [
        "wait --for=jsonpath={.status.availableReplicas}=2 prometheus/main",
        "wait --for=jsonpath={.status.availableReplicas}=2 alertmanager/main",
        ...available,
        ...sets,
      ],
    },
    {
      name: "drift",
      // It does not watch services: the one comes back when what it belongs to is looked at.
      kubectl: [
        "delete service/alertmanager-operated",
        "delete statefulset/prometheus-main statefulset/alertmanager-main",
      ],
      reached: [
        "wait --for=create statefulset/prometheus-main",
        "wait --for=create service/alertmanager-operated",
        "wait --for=jsonpath={.status.availableReplicas}=2 prometheus/main",
        ...available,
        ...sets,
      ],
    },
    {
      name: "delete",
      kubectl: ["delete prometheus/main alertmanager/main"],
      reached: ["wait --for=delete statefulsets --all", "wait --for=delete pods --all"],
    },
  ],
};

const rabbitVersion = "v2.16.0";
const rabbit = (replicas: number, config: string, plugin = ""): string => `
apiVersion: rabbitmq.com/v1beta1
kind: RabbitmqCluster
metadata: { name: queue }
spec:
  replicas: ${replicas}
  rabbitmq: { additionalConfig: "${config}", additionalPlugins: [${plugin}] }
`;
const ready = ["AllReplicasReady", "ClusterAvailable", "ReconcileSuccess"].map(
  (condition) => `wait --for=condition=${condition} rabbitmqcluster/queue`,
);

/** RabbitMQ's operator, on controller-runtime: a stateful set with claims, secrets, roles, and the election of a leader. */
export const rabbitmqOperator: ForeignOperator = {
  name: "rabbitmq cluster-operator",
  version: rabbitVersion,
  obtain: () =>
    fromModule("rabbitmq", `github.com/rabbitmq/cluster-operator/v2@${rabbitVersion}`, ".", (folder) => ({
      args: () => ["--metrics-bind-address=127.0.0.1:0"],
      env: { OPERATOR_NAMESPACE: home },
      manifests: [join(folder, "config/crd/bases/rabbitmq.com_rabbitmqclusters.yaml")],
    })),
  prepare(pods) {
    // Commands that it runs in the pods, by SPDY.
    const done = /^(?:rabbitmqctl enable_feature_flag|rabbitmq-plugins set|rabbitmq-queues rebalance) /;
    pods.answer(
      { labels: { "app.kubernetes.io/name": "queue" } },
      {
        exec({ command: [shell, , script = ""] }) {
          if (!/^(?:ba)?sh$/.test(shell ?? "")) return undefined;
          if (script === "cat /etc/pod-info/skipPreStopChecks") return { stdout: "true" };
          return done.test(script) ? { stdout: "done\n" } : undefined;
        },
      },
    );
  },
  random: [
    [/^Secret\/queue-default-user$/, /^data\.(?:username|password|connection_string|default_user\.conf)$/],
    [/^Secret\/queue-erlang-cookie$/, /^data\./],
    // It restarts once more what it restarted in the second in which the configuration changed.
    [/^StatefulSet\/queue-server$/, /^(?:metadata\.generation|status\.(?:observedGeneration|\w+Revision))$/],
    [/^Pod\/queue-server-/, /^metadata\.labels\.controller-revision-hash$/],
    [/^ControllerRevision\/queue-server-/, /^/],
  ],
  steps: [
    {
      name: "create",
      apply: rabbit(1, "channel_max = 1000"),
      reached: [...ready, "rollout status statefulset/queue-server"],
    },
    {
      name: "update",
      apply: rabbit(1, "channel_max = 2000"),
      reached: [...ready, "rollout status statefulset/queue-server"],
    },
    {
      name: "more of them, and a plugin",
      apply: rabbit(3, "channel_max = 2000", "rabbitmq_top"),
      reached: [
        "rollout status statefulset/queue-server",
        "wait --for=jsonpath={.status.readyReplicas}=3 statefulset/queue-server",
        ...ready,
      ],
    },
    {
      name: "drift",
      kubectl: ["delete service/queue configmap/queue-server-conf"],
      reached: ["wait --for=create service/queue", "wait --for=create configmap/queue-server-conf", ...ready],
    },
    {
      name: "delete",
      kubectl: ["delete rabbitmqcluster/queue"],
      reached: [
        "wait --for=delete statefulset/queue-server",
        "wait --for=delete pods --all",
        "wait --for=delete secrets --all",
      ],
    },
  ],
};
