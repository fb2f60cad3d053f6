// LeaderWorkerSet, on controller-runtime: stateful sets by server-side apply, revisions of its own, a scale, and webhooks for its
// resources and for their pods.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { buildGoModule } from "../go-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { calledHere, makeCertificate } from "./webhooks-here.ts";

const version = "v0.7.0";
/** Where the webhooks listen in a network of its own. */
const port = 9_443;

function obtain(): Obtained {
  const built = buildGoModule("lws", `sigs.k8s.io/lws@${version}`, "./cmd");
  if ("failure" in built) return built;
  const { folder } = built;
  const certificates = join(folder, "certificates");
  const made = makeCertificate(certificates);
  if ("failure" in made) return made;
  const configuration = join(folder, "configuration.yaml");
  writeFileSync(
    configuration,
    stringify({
      apiVersion: "config.lws.x-k8s.io/v1alpha1",
      kind: "Configuration",
      webhook: { port, certDir: certificates },
      // The certificate would be mounted from a Secret that it writes.
      internalCertManagement: { enable: false },
      leaderElection: { leaderElect: false },
      metrics: { bindAddress: "0" },
    }),
  );
  const webhooks = join(folder, "webhooks.yaml");
  const config = join(folder, "config/webhook");
  const patches = ["mutating", "validating"].map((each) => join(config, `${each}-patch.yaml`));
  writeFileSync(webhooks, calledHere(join(config, "manifests.yaml"), patches, port, made.authority));
  return {
    programs: [
      {
        command: built.files[0]!,
        args: (kubeconfig) => [
          `--kubeconfig=${kubeconfig}`,
          `--config=${configuration}`,
          "--metrics-bind-address=0",
          "--leader-elect=false",
        ],
        isolated: true,
        called: port,
      },
    ],
    manifests: [
      join(folder, "config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml"),
      join(folder, "config/rbac/role.yaml"),
      webhooks,
    ],
    role: "manager-role",
  };
}

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
  obtain,
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
