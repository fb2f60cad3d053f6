// KubeRay: pods without a workload, a head and groups of workers; roles that it grants to their accounts, a Job that cleans up before its
// cluster is gone, and a webhook. Nobody answers in the pods, so that no jobs and services are run on the clusters.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, writtenOut } from "./installed-manifests.ts";
import { calledHere, makeCertificate } from "./webhooks-here.ts";

const version = "v1.5.0";
/** Where the webhooks listen in a network of its own. */
const port = 9_443;

function obtain(): Obtained {
  const built = buildGoModule("kuberay", `github.com/ray-project/kuberay/ray-operator@${version}`, ".");
  if ("failure" in built) return built;
  const { folder } = built;
  const certificates = join(folder, "webhook-certificates");
  const made = makeCertificate(certificates);
  if ("failure" in made) return made;
  // It looks for them in the folder for temporary files.
  const temporary = join(folder, "temporary");
  const expected = join(temporary, "k8s-webhook-server/serving-certs");
  mkdirSync(expected, { recursive: true });
  cpSync(certificates, expected, { recursive: true });
  const webhooks = join(folder, "webhooks.yaml");
  const [declared] = manifestsIn(readFileSync(join(folder, "config/webhook/manifests.yaml"), "utf8"), /^$/);
  // The others that are declared it does not answer.
  const answered = declared?.webhooks?.slice(0, 1);
  writeFileSync(webhooks, writtenOut([{ ...declared, webhooks: answered }]));
  writeFileSync(webhooks, calledHere(webhooks, [], port, made.authority));
  return {
    programs: [
      {
        command: built.files[0]!,
        args: () => ["--enable-leader-election=false"],
        env: { ENABLE_WEBHOOKS: "true", TMPDIR: temporary },
        // It listens on every address.
        isolated: true,
        called: port,
      },
    ],
    manifests: [
      ...globSync(join(folder, "config/crd/bases/*.yaml")).toSorted(),
      join(folder, "config/rbac/role.yaml"),
      webhooks,
    ],
    role: "kuberay-operator",
  };
}

const container = (name: string, more = ""): string =>
  `{ name: ${name}, image: "rayproject/ray:2.46.0", resources: { limits: { cpu: 1, memory: 1Gi } } ${more} }`;
const group = (name: string, replicas: number): string => `
    - groupName: ${name}
      replicas: ${replicas}
      minReplicas: 0
      maxReplicas: 5
      template: { spec: { terminationGracePeriodSeconds: 0, containers: [${container("worker")}] } }`;
const cluster = (name: string, groups: string, more = ""): string => `
apiVersion: ray.io/v1
kind: RayCluster
metadata: { name: ${name} }
spec:
  ${more}
  rayVersion: "2.46.0"
  headGroupSpec:
    rayStartParams: { dashboard-host: 0.0.0.0 }
    template:
      spec:
        terminationGracePeriodSeconds: 0
        containers: [${container("head", ", ports: [{ name: dashboard, containerPort: 8265 }]")}]
  workerGroupSpecs: ${groups}
`;
const ready = (name: string, workers: number): readonly string[] => [
  `wait --for=jsonpath={.status.state}=ready raycluster/${name}`,
  `wait --for=jsonpath={.status.availableWorkerReplicas}=${workers} raycluster/${name}`,
  `wait --for=condition=HeadPodReady raycluster/${name}`,
  `wait --for=condition=Ready pods --selector=ray.io/cluster=${name}`,
];

/** KubeRay: what becomes of clusters of Ray. */
export const kuberay: ForeignOperator = {
  name: "kuberay",
  version,
  obtain,
  prepare(pods) {
    pods.simulate({ labels: { "ray.io/node-type": "redis-cleanup" } }, { exit: { code: 0 } });
  },
  names: /(?<=\b(?:small-worker|large-worker)-)[a-z0-9]{5}\b/g,
  steps: [
    {
      name: "what its webhook refuses",
      refused: cluster("ray", group("same", 1) + group("same", 2)),
      reached: [],
    },
    {
      name: "create",
      apply: cluster("ray", group("small", 2)),
      reached: ready("ray", 2),
    },
    {
      name: "more of them, of two sorts",
      apply: cluster("ray", group("small", 3) + group("large", 1)),
      reached: ready("ray", 4),
    },
    {
      name: "fewer",
      apply: cluster("ray", group("small", 1) + group("large", 0)),
      reached: [
        "wait --for=delete pods --selector=ray.io/group=large",
        "wait --for=jsonpath={.status.desiredWorkerReplicas}=1 raycluster/ray",
        ...ready("ray", 1),
      ],
    },
    {
      name: "drift",
      kubectl: ["delete service/ray-head-svc", "delete pods --selector=ray.io/group=small"],
      reached: ["wait --for=create service/ray-head-svc", ...ready("ray", 1)],
    },
    {
      name: "suspend",
      kubectl: ['patch raycluster/ray --type=merge --patch={"spec":{"suspend":true}}'],
      reached: [
        "wait --for=jsonpath={.status.state}=suspended raycluster/ray",
        "wait --for=delete pods --selector=ray.io/cluster=ray",
      ],
    },
    {
      name: "go on",
      kubectl: ['patch raycluster/ray --type=merge --patch={"spec":{"suspend":false}}'],
      reached: ready("ray", 1),
    },
    {
      name: "one that scales itself, and keeps what it has in Redis",
      apply: cluster(
        "lasting",
        group("small", 1),
        `
  enableInTreeAutoscaling: true
  gcsFaultToleranceOptions: { redisAddress: "redis:6379" }`,
      ),
      reached: ["wait --for=create rolebinding/lasting", ...ready("lasting", 1)],
    },
    {
      name: "delete",
      kubectl: ["delete raycluster/ray raycluster/lasting"],
      reached: [
        "wait --for=delete rayclusters --all",
        "wait --for=delete pods --all",
        "wait --for=delete jobs --all",
      ],
    },
  ],
};
