// KEDA: an operator that makes autoscalers and Jobs and scales by itself what is at zero, and beside it the API server of the metrics that
// those autoscalers ask for, to which an APIService leads; both have certificates that the operator makes and rotates.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAllDocuments } from "yaml";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import { accountFlags } from "../extension-server-account.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { calledThrough, writtenOut, type InstalledManifest } from "./installed-manifests.ts";

const version = "v2.21.0";
/** Where the API server of metrics listens in a network of its own. */
const port = 6_443;
const service = "keda-metrics-apiserver";

/** One network has both: the operator, begun again when its certificates are new, and the API server once there are some. */
const both = `
trap 'trap - TERM; kill 0' TERM EXIT
( while "$0" --cert-dir="$2" --enable-cert-rotation --leader-elect --metrics-bind-address=0; do :; done ) &
until [ -s "$2/tls.crt" ]; do kill -0 $! || exit 1; sleep 0.1; done
"$1" --cert-dir="$2" --client-ca-file="$2/ca.crt" --tls-cert-file="$2/tls.crt" --tls-private-key-file="$2/tls.key" \\
  --secure-port=${port} --metrics-service-address=localhost:9666 \\
  --metrics-service-grpc-authority=keda-operator.${home}.svc "\${@:3}" &
wait -n
`;

function obtain(): Obtained {
  const module = `github.com/kedacore/keda/v2@${version}`;
  const built = buildGoModule("keda", module, "./cmd/operator", "./cmd/adapter");
  if ("failure" in built) return built;
  const { files, folder } = built;
  const installed = ["rbac/role", "rbac/role_binding", "metrics-server/role", "metrics-server/role_binding"];
  const objects = [...installed, "metrics-server/api_service"].flatMap((name) =>
    parseAllDocuments(
      readFileSync(join(folder, `config/${name}.yaml`), "utf8")
        .replaceAll(/namespace: keda$/gm, `namespace: ${home}`)
        .replaceAll(/(kind: ServiceAccount\n *name:) keda-operator/g, "$1 operator"),
    ).map((document) => document.toJS() as InstalledManifest),
  );
  const manifest = join(folder, "installed.yaml");
  writeFileSync(
    manifest,
    writtenOut(calledThrough(service, port, objects)).replace(
      `name: ${service}\n    namespace: ${home}\n`,
      (text) => `${text}    port: ${port}\n`,
    ),
  );
  const placeOf = (kubeconfig: string): string => join(dirname(kubeconfig), "certificates");
  return {
    programs: [
      {
        command: "setsid",
        args: (kubeconfig) => [
          "bash",
          "-c",
          both,
          files[0]!,
          files[1]!,
          placeOf(kubeconfig),
          ...accountFlags(kubeconfig, "lister-kubeconfig"),
        ],
        env: { POD_NAMESPACE: home, KEDA_CLUSTER_OBJECT_NAMESPACE: home, WATCH_NAMESPACE: "" },
        // They listen on every address.
        isolated: true,
        called: port,
        mounted: { secret: "kedaorg-certs", folder: placeOf },
      },
    ],
    manifests: [...globSync(join(folder, "config/crd/bases/*.yaml")).toSorted(), manifest],
    role: "bound",
  };
}

const deployment = (name: string, replicas: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: main, image: ${name} }] }
---`;
const trigger = (value: number): string =>
  `{ type: kubernetes-workload, name: waiting, metadata: { podSelector: app=queue, value: "${value}" } }`;
const scaled = (value: number): string => `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: web }
spec:
  scaleTargetRef: { name: web }
  pollingInterval: 1
  cooldownPeriod: 1
  minReplicaCount: 0
  maxReplicaCount: 9
  advanced:
    horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }
  triggers: [${trigger(value)}]
`;
const jobs = `
apiVersion: keda.sh/v1alpha1
kind: ScaledJob
metadata: { name: work }
spec:
  pollingInterval: 5
  maxReplicaCount: 1
  jobTargetRef:
    template:
      spec:
        restartPolicy: Never
        terminationGracePeriodSeconds: 0
        containers: [{ name: main, image: "example.com/job:long" }]
  triggers: [${trigger(1)}]
`;
const replicas = (count: number): string =>
  count === 0
    ? "wait --for=jsonpath={.spec.replicas}=0 deployment/web"
    : `wait --for=jsonpath={.status.readyReplicas}=${count} deployment/web`;
const active = (status: string, object = "scaledobject/web"): string =>
  `wait --for=condition=Active=${status} ${object}`;
const pause = "autoscaling.keda.sh/paused-replicas";

/** KEDA: what is scaled by how much there is to do, to zero too. */
export const keda: ForeignOperator = {
  name: "keda",
  version,
  obtain,
  controllerFlags: ["--horizontal-pod-autoscaler-sync-period=1s"],
  prepare(pods) {
    pods.simulate({ image: "example.com/job:long" }, { exit: { code: 0, after: 3_600_000 } });
  },
  random: [
    // Whether the autoscaler has looked once more before there was nothing to scale.
    [/^HorizontalPodAutoscaler\//, /^status\.conditions\.2\b/],
    // In how many steps it comes to a number, which depends on when it last did.
    [/^(?:Deployment|ReplicaSet)\/web/, /^(?:metadata\.generation|status\.observedGeneration)$/],
  ],
  names: /(?<=\bwork-)[a-z0-9]{5}(?:-[a-z0-9]{5})?\b/g,
  steps: [
    {
      name: "nothing to do",
      apply: deployment("queue", "replicas: 0") + deployment("web", "replicas: 0") + scaled(2),
      reached: [
        "wait --for=condition=Ready scaledobject/web",
        active("False"),
        replicas(0),
        "wait --for=condition=ScalingActive=False hpa/keda-hpa-web",
      ],
    },
    {
      name: "something to do",
      kubectl: ["scale deployment/queue --replicas=2"],
      reached: [active("True"), replicas(1), "wait --for=condition=ScalingActive hpa/keda-hpa-web"],
    },
    {
      name: "more to do",
      kubectl: ["scale deployment/queue --replicas=6"],
      reached: [
        replicas(3),
        "wait --for=jsonpath={.status.currentMetrics[0].external.current.averageValue}=2 hpa/keda-hpa-web",
        "wait --for=jsonpath={.status.desiredReplicas}=3 hpa/keda-hpa-web",
      ],
    },
    {
      name: "another measure",
      apply: scaled(1),
      reached: [
        replicas(6),
        "wait --for=jsonpath={.spec.metrics[0].external.target.averageValue}=1 hpa/keda-hpa-web",
        "wait --for=jsonpath={.status.currentMetrics[0].external.current.averageValue}=1 hpa/keda-hpa-web",
      ],
    },
    {
      name: "pause",
      kubectl: [`annotate scaledobject/web ${pause}=4`],
      reached: [
        "wait --for=condition=Paused scaledobject/web",
        replicas(4),
        "wait --for=delete hpa/keda-hpa-web",
      ],
    },
    {
      name: "go on",
      kubectl: [`annotate scaledobject/web ${pause}-`],
      reached: [
        "wait --for=condition=Paused=False scaledobject/web",
        "wait --for=create hpa/keda-hpa-web",
        replicas(6),
      ],
    },
    {
      name: "drift",
      kubectl: ["delete hpa/keda-hpa-web"],
      reached: [
        "wait --for=create hpa/keda-hpa-web",
        "wait --for=condition=ScalingActive hpa/keda-hpa-web",
        replicas(6),
      ],
    },
    {
      name: "jobs",
      apply: jobs,
      reached: [
        "wait --for=condition=Ready scaledjob/work",
        active("True", "scaledjob/work"),
        "wait --for=create jobs --selector=scaledjob.keda.sh/name=work",
        "wait --for=jsonpath={.status.ready}=1 jobs --all",
      ],
    },
    {
      name: "nothing any more",
      kubectl: ["delete scaledjob/work", "scale deployment/queue --replicas=0"],
      reached: ["wait --for=delete jobs --all", active("False"), replicas(0)],
    },
    {
      name: "delete",
      kubectl: ["delete scaledobject/web deployment/queue deployment/web"],
      reached: ["wait --for=delete hpa/keda-hpa-web", "wait --for=delete pods --all"],
    },
  ],
};
