// LeaderWorkerSet, on controller-runtime: stateful sets by server-side apply, revisions of its own, a scale, and webhooks for its
// resources and for their pods.
import { obtainConfigured } from "./configured-operator.ts";
import type { ForeignOperator } from "./foreign-operator.ts";

const version = "v0.7.0";

const set = (name: string, { image = "one", replicas = 2, size = 2, surge = 0 } = {}): string => `
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  rolloutStrategy:
    type: RollingUpdate
    rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: ${surge} }
  leaderWorkerTemplate:
    size: ${size}
    restartPolicy: RecreateGroupOnPodRestart
    workerTemplate:
      spec:
        containers: [{ name: worker, image: "example.com/worker:${image}", ports: [{ containerPort: 8080 }] }]
`;
const ready = (replicas: number): string[] => [
  `wait --for=jsonpath={.status.readyReplicas}=${replicas} lws/web`,
  `wait --for=jsonpath={.status.updatedReplicas}=${replicas} lws/web`,
  "wait --for=condition=Available lws/web",
  "wait --for=condition=Ready pods --all",
];

/** LeaderWorkerSet: groups of a leader and its workers, each a stateful set that belongs to the pod of its leader. */
export const leaderWorkerSet: ForeignOperator = {
  name: "lws (LeaderWorkerSet)",
  version,
  obtain: () =>
    obtainConfigured({
      name: "lws",
      module: `sigs.k8s.io/lws@${version}`,
      main: "./cmd",
      configuration: "config.lws.x-k8s.io/v1alpha1",
      args: ["--metrics-bind-address=0", "--leader-elect=false"],
      webhooks: "config/webhook",
      manifests: ["config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml", "config/rbac/role.yaml"],
    }),
  steps: [
    {
      name: "what its webhook refuses",
      refused: set("web", { size: 0 }),
      reached: [],
    },
    {
      name: "create",
      apply: set("web"),
      reached: ["wait --for=create statefulset/web", ...ready(2), "rollout status statefulset/web-0"],
    },
    {
      name: "update",
      apply: set("web", { image: "two" }),
      reached: [
        "wait --for=jsonpath={.spec.template.spec.containers[0].image}=example.com/worker:two statefulset/web-1",
        "wait --for=jsonpath={.spec.template.spec.containers[0].image}=example.com/worker:two statefulset/web-0",
        ...ready(2),
      ],
    },
    {
      name: "scale",
      kubectl: ["scale lws/web --replicas=3"],
      reached: ["wait --for=create statefulset/web-2", ...ready(3), "rollout status statefulset/web-2"],
    },
    {
      name: "drift",
      kubectl: ["delete service/web"],
      reached: ["wait --for=create service/web", ...ready(3)],
    },
    {
      name: "delete",
      kubectl: ["delete lws/web"],
      reached: [
        "wait --for=delete statefulsets --all",
        "wait --for=delete pods --all",
        "wait --for=delete service/web",
      ],
    },
  ],
};
