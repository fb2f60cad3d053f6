// Kueue: which Jobs may run is decided by quotas in resources of its own; definitions of two versions, between which it converts, and
// webhooks for its resources, Jobs and pods, with certificates of its own making.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { calledThrough, manifestsIn, renderChart, writtenOut } from "./installed-manifests.ts";

const version = "v0.17.0";
/** Where the webhooks listen in a network of its own. */
const port = 9_443;
const service = "kueue-webhook-service";
const secret = "kueue-webhook-server-cert";

function obtain(): Obtained {
  const built = buildGoModule("kueue", `sigs.k8s.io/kueue@${version}`, "./cmd/kueue");
  if ("failure" in built) return built;
  const { folder } = built;
  const rendered = renderChart("kueue", join(folder, "charts/kueue"), {});
  if ("failure" in rendered) return rendered;
  const manifest = join(folder, "installed.yaml");
  const objects = manifestsIn(
    rendered.text.replaceAll("kueue-controller-manager", "operator"),
    /^(?:Deployment|Service|ServiceAccount)$/,
  );
  writeFileSync(manifest, writtenOut(calledThrough(service, port, objects)));
  const placeOf = (kubeconfig: string): string => join(dirname(kubeconfig), "certificates");
  return {
    programs: [
      {
        command: built.files[0]!,
        args: (kubeconfig) => [
          `--config=${configured(kubeconfig, placeOf(kubeconfig))}`,
          "--feature-gates=VisibilityOnDemand=false",
        ],
        // It listens on every address.
        isolated: true,
        called: port,
        mounted: { secret, folder: placeOf },
      },
    ],
    manifests: [manifest],
    role: "bound",
  };
}

/** Writes its configuration. */
function configured(kubeconfig: string, certDir: string): string {
  const file = join(dirname(kubeconfig), "kueue.yaml");
  writeFileSync(
    file,
    stringify({
      apiVersion: "config.kueue.x-k8s.io/v1beta2",
      kind: "Configuration",
      namespace: home,
      metrics: { bindAddress: "0" },
      webhook: { port, certDir },
      leaderElection: { leaderElect: false },
      internalCertManagement: { enable: true, webhookServiceName: service, webhookSecretName: secret },
      integrations: { frameworks: ["batch/job", "pod", "deployment"] },
    }),
  );
  return file;
}

interface Queue {
  readonly cpu: number;
  readonly covered?: string;
  readonly stopPolicy?: string;
}

const queues = ({ cpu, covered = "cpu", stopPolicy = "None" }: Queue): string => `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: any }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: team }
spec:
  namespaceSelector: {}
  stopPolicy: ${stopPolicy}
  preemption: { withinClusterQueue: LowerPriority }
  resourceGroups:
    - coveredResources: [${covered}]
      flavors: [{ name: any, resources: [{ name: cpu, nominalQuota: ${cpu} }] }]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: shop }
spec: { clusterQueue: team }
`;
const job = (name: string, pods: number, more = ""): string => `
apiVersion: batch/v1
kind: Job
metadata: { name: ${name}, labels: { kueue.x-k8s.io/queue-name: shop${more} } }
spec:
  parallelism: ${pods}
  completions: ${pods}
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 0
      containers: [{ name: c, image: "example.com/job:long", resources: { requests: { cpu: 1 } } }]
`;
const runs = (name: string, pods: number): readonly string[] => [
  `wait --for=jsonpath={.spec.suspend}=false job/${name}`,
  `wait --for=jsonpath={.status.ready}=${pods} job/${name}`,
];
const waits = (name: string): string => `wait --for=jsonpath={.spec.suspend}=true job/${name}`;
const counted = (what: string, count: number): readonly string[] =>
  ["clusterqueue/team", "localqueue/shop"].map(
    (queue) => `wait --for=jsonpath={.status.${what}Workloads}=${count} ${queue}`,
  );

/** Kueue: Jobs that wait until there is room for them. */
export const kueue: ForeignOperator = {
  name: "kueue",
  version,
  obtain,
  clusterWide: /\.kueue\.x-k8s\.io$/,
  prepare(pods) {
    pods.simulate({ image: "example.com/job:long" }, { exit: { code: 0, after: 3_600_000 } });
  },
  // The names of Workloads end with a part of the Job's uid.
  names: /(?<=\bjob-(?:first|second|urgent)-)[0-9a-f]{5}\b/g,
  random: [
    // How long it has run.
    [/^Workload\//, /^status\.(?:accumulatedPastExecutionTimeSeconds|schedulingStats\.)/],
  ],
  steps: [
    {
      name: "what its webhook refuses",
      refused: queues({ cpu: 4, covered: "memory" }),
      reached: [],
    },
    {
      name: "queues",
      apply: queues({ cpu: 4 }),
      reached: [
        "wait --for=condition=Active clusterqueue/team",
        "wait --for=condition=Active localqueue/shop",
      ],
    },
    {
      name: "one of another version, which it converts",
      apply: `
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: { name: old }
spec:
  cohort: both
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{ name: any, resources: [{ name: cpu, nominalQuota: 0 }] }]
`,
      reached: [
        "wait --for=jsonpath={.spec.cohortName}=both clusterqueues.v1beta2.kueue.x-k8s.io/old",
        "wait --for=jsonpath={.spec.cohort}=both clusterqueues.v1beta1.kueue.x-k8s.io/old",
        "wait --for=condition=Active clusterqueue/old",
      ],
    },
    {
      name: "a Job that runs",
      apply: job("first", 3),
      reached: [...runs("first", 3), ...counted("admitted", 1)],
    },
    {
      name: "one that waits",
      apply: job("second", 3),
      reached: [waits("second"), ...counted("pending", 1)],
    },
    {
      name: "more room",
      apply: queues({ cpu: 6 }),
      reached: [...runs("second", 3), ...counted("admitted", 2), ...counted("pending", 0)],
    },
    {
      name: "one that is more urgent",
      apply:
        `
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: { name: urgent }
value: 1000
---` + job("urgent", 3, ", kueue.x-k8s.io/priority-class: urgent"),
      reached: [...runs("urgent", 3), ...counted("admitted", 2), ...counted("pending", 1)],
    },
    {
      name: "stop all of them",
      apply: queues({ cpu: 6, stopPolicy: "HoldAndDrain" }),
      reached: [
        "wait --for=condition=Active=False clusterqueue/team",
        ...["first", "second", "urgent"].map(waits),
        ...counted("admitted", 0),
        "wait --for=delete pods --all",
      ],
    },
    {
      name: "go on",
      apply: queues({ cpu: 9 }),
      reached: [...runs("first", 3), ...runs("second", 3), ...runs("urgent", 3), ...counted("admitted", 3)],
    },
    {
      name: "delete",
      kubectl: [
        "delete job/first job/second job/urgent",
        "delete localqueue/shop clusterqueue/team clusterqueue/old resourceflavor/any",
        "delete workloadpriorityclass/urgent",
      ],
      reached: ["wait --for=delete workloads --all", "wait --for=delete pods --all"],
    },
  ],
};
