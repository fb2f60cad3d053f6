// Flink's operator, on the Java Operator SDK and an older Fabric8: it hands its resources to Flink's own client, which makes Deployments,
// Services and ConfigMaps with two more versions of that library. No Flink runs in the pods, so that its clusters are deployed, not ready.
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { javaWith } from "../java-program.ts";
import { home, shop } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";

const version = "1.7.0";

function obtain(): Obtained {
  const artifacts = ["flink-kubernetes-operator", "flink-kubernetes-standalone"];
  const fetched = javaWith(
    `flink-operator-${version}`,
    artifacts.map((artifact) => `org.apache.flink:${artifact}:${version}`),
    "META-INF/fabric8/*-v1.yml",
  );
  if ("failure" in fetched) return fetched;
  const configuration = join(fetched.folder, "configuration");
  mkdirSync(configuration, { recursive: true });
  writeFileSync(
    join(configuration, "flink-conf.yaml"),
    `kubernetes.operator.health.probe.enabled: false
kubernetes.operator.reconcile.interval: 2 s
kubernetes.operator.observer.progress-check.interval: 1 s
kubernetes.operator.resource.cleanup.timeout: 20 s
kubernetes.operator.flink.client.timeout: 1 s
parallelism.default: 1
`,
  );
  return {
    programs: [
      {
        command: "java",
        args: () => [
          "-Xmx384m",
          "-cp",
          fetched.classPath,
          "org.apache.flink.kubernetes.operator.FlinkOperator",
        ],
        env: {
          FLINK_CONF_DIR: configuration,
          OPERATOR_NAMESPACE: home,
          OPERATOR_NAME: "flink-operator",
          WATCH_NAMESPACES: shop,
        },
        // It listens on every address.
        isolated: true,
      },
    ],
    manifests: globSync(join(fetched.unpacked, "META-INF/fabric8/*-v1.yml")).toSorted(),
  };
}

const account = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: flink }
---`;
interface Flink {
  readonly mode?: string;
  readonly image?: string;
  readonly slots?: number;
  readonly job?: string;
}
const flink = (
  name: string,
  { mode = "native", image = "flink:1.17", slots = 2, job = "" }: Flink,
): string => `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: { name: ${name} }
spec:
  image: ${image}
  flinkVersion: v1_17
  mode: ${mode}
  serviceAccount: flink
  flinkConfiguration: { taskmanager.numberOfTaskSlots: "${slots}" }
  podTemplate:
    spec:
      containers: [{ name: flink-main-container, env: [{ name: TEAM, value: shop }] }]
  jobManager: { resource: { memory: 1024m, cpu: 0.1 } }
  taskManager: { ${mode === "standalone" ? "replicas: 2, " : ""}resource: { memory: 1024m, cpu: 0.1 } }
  ${job}
---`;
const job = (state: string, parallelism = 2): string =>
  `job: { jarURI: "local:///opt/job.jar", parallelism: ${parallelism}, upgradeMode: stateless, state: ${state} }`;
const lifecycle = (name: string, state: string): string =>
  `wait --for=jsonpath={.status.lifecycleState}=${state} flinkdeployment/${name}`;
const deployed = (name: string): readonly string[] => [
  `wait --for=create deployment/${name}`,
  `rollout status deployment/${name}`,
  lifecycle(name, "DEPLOYED"),
];

/** Flink's operator: clusters for sessions and for a job, made by Flink itself and by the operator. */
export const flinkOperator: ForeignOperator = {
  name: "flink",
  version,
  obtain,
  // Files on its own disk, jobs, and the order in which it goes through a map.
  names: /(?<=flink_op_generated_podTemplate_)\d+|\b[0-9a-f]{32}\b|(?<=\.owner\.reference: )[^\n]+/g,
  steps: [
    {
      name: "a cluster for sessions",
      apply: account + flink("session", {}),
      reached: deployed("session"),
    },
    {
      name: "what its definition refuses",
      refused: flink("other", { mode: "none" }),
      reached: [],
    },
    {
      name: "what it refuses itself",
      apply: flink("wrong", {}).replace("memory: 1024m", "memory: nothing"),
      reached: ["wait --for=jsonpath={.status.error} flinkdeployment/wrong"],
    },
    { name: "what is put right", apply: flink("wrong", {}), reached: deployed("wrong") },
    {
      name: "one whose workers are a Deployment",
      apply: flink("alone", { mode: "standalone" }),
      reached: [...deployed("alone"), ...deployed("alone-taskmanager").slice(0, 2)],
    },
    {
      name: "a job",
      apply: flink("job", { job: job("running") }),
      reached: deployed("job"),
    },
    {
      name: "another image",
      apply:
        flink("session", { image: "flink:1.17.2", slots: 3 }) +
        flink("alone", { mode: "standalone", image: "flink:1.17.2" }),
      reached: [
        "wait --for=jsonpath={.spec.template.spec.containers[0].image}=flink:1.17.2 deployment/session",
        "wait --for=jsonpath={.spec.template.spec.containers[0].image}=flink:1.17.2 deployment/alone-taskmanager",
        ...deployed("session"),
        ...deployed("alone"),
      ],
    },
    {
      name: "suspend the job",
      apply: flink("job", { job: job("suspended") }),
      reached: [lifecycle("job", "SUSPENDED"), "wait --for=delete deployment/job"],
    },
    {
      name: "and let it go on",
      apply: flink("job", { job: job("running", 4) }),
      reached: deployed("job"),
    },
    {
      // It begins nothing again whose progress nobody has kept.
      name: "drift",
      kubectl: ["delete deployment/alone"],
      reached: ["wait --for=jsonpath={.status.jobManagerDeploymentStatus}=MISSING flinkdeployment/alone"],
    },
    {
      name: "delete",
      kubectl: ["delete flinkdeployments --all"],
      reached: ["wait --for=delete deployments --all", "wait --for=delete pods --all"],
    },
  ],
};
