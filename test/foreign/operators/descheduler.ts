// Kubernetes' descheduler: pods that should not be where they are any more are evicted, as often as disruption budgets let it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { nodeName } from "../../../src/cluster/controllers/node/node-object.ts";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, writtenOut } from "./installed-manifests.ts";

const version = "v0.36.0";

/** Who has to go: those on a node that does not want them any more, and those that have failed. */
const policy = {
  apiVersion: "descheduler/v1alpha2",
  kind: "DeschedulerPolicy",
  profiles: [
    {
      name: "all",
      pluginConfig: [
        { name: "DefaultEvictor", args: { evictFailedBarePods: true } },
        { name: "RemovePodsViolatingNodeTaints", args: { namespaces: { include: ["shop"] } } },
        { name: "RemoveFailedPods", args: { namespaces: { include: ["shop"] }, minPodLifetimeSeconds: 1 } },
      ],
      plugins: { deschedule: { enabled: ["RemovePodsViolatingNodeTaints", "RemoveFailedPods"] } },
    },
  ],
};

function obtain(): Obtained {
  const built = buildGoModule("descheduler", `sigs.k8s.io/descheduler@${version}`, "./cmd/descheduler");
  if ("failure" in built) return built;
  const { folder } = built;
  const policies = join(folder, "policy.yaml");
  writeFileSync(policies, stringify(policy));
  const manifest = join(folder, "installed.yaml");
  const roles = readFileSync(join(folder, "kubernetes/base/rbac.yaml"), "utf8")
    .replaceAll("kube-system", home)
    .replaceAll("descheduler-sa", "operator");
  writeFileSync(manifest, writtenOut(manifestsIn(roles, /^(?:ServiceAccount|Role|RoleBinding)$/)));
  return {
    programs: [
      {
        command: built.files[0]!,
        args: (kubeconfig) => [
          `--kubeconfig=${kubeconfig}`,
          `--policy-config-file=${policies}`,
          "--descheduling-interval=1s",
        ],
        // It listens on every address.
        isolated: true,
      },
    ],
    manifests: [manifest],
    role: "bound",
  };
}

const workload = (minAvailable: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: main, image: web }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: tolerant }
spec:
  selector: { matchLabels: { app: tolerant } }
  template:
    metadata: { labels: { app: tolerant } }
    spec:
      terminationGracePeriodSeconds: 0
      tolerations: [{ key: example.com/closed, operator: Exists }]
      containers: [{ name: main, image: web }]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { minAvailable: ${minAvailable}, selector: { matchLabels: { app: web } } }
`;
const failed = `
apiVersion: v1
kind: Pod
metadata: { name: failed }
spec: { restartPolicy: Never, terminationGracePeriodSeconds: 0, containers: [{ name: main, image: "example.com/broken" }] }
`;
/** It looks at clusters of several nodes alone. */
const other = `---
apiVersion: v1
kind: Node
metadata: { name: other }
spec: { unschedulable: true }
`;
const isReady = JSON.stringify({ status: { conditions: [{ type: "Ready", status: "True" }] } });
const running = ["rollout status deployment/web", "rollout status deployment/tolerant"];

/** The descheduler: who has to go from a node, and who may stay. */
export const descheduler: ForeignOperator = {
  name: "descheduler",
  version,
  obtain,
  // Whether it evicted another one in the second in which its successor was ready.
  random: [[/^PodDisruptionBudget\//, /^writtenBy\./]],
  prepare(pods) {
    pods.simulate({ image: "example.com/broken" }, { exit: { code: 1 } });
  },
  steps: [
    {
      name: "pods that are well",
      apply: workload(2) + other,
      kubectl: [`patch node/other --subresource=status --type=merge --patch=${isReady}`],
      reached: running,
    },
    {
      name: "a node that does not want them, and a budget that needs all of them",
      kubectl: [`taint node ${nodeName} example.com/closed=yes:NoSchedule`],
      reached: [...running, "wait --for=jsonpath={.status.disruptionsAllowed}=0 poddisruptionbudget/web"],
    },
    {
      name: "a budget that can spare one",
      apply: workload(1),
      reached: [
        "wait --for=jsonpath={.status.readyReplicas}=1 deployment/web",
        "wait --for=jsonpath={.status.currentHealthy}=1 poddisruptionbudget/web",
        "rollout status deployment/tolerant",
      ],
    },
    {
      name: "a node that wants them again",
      kubectl: [`taint node ${nodeName} example.com/closed-`],
      reached: running,
    },
    { name: "one that has failed", apply: failed, reached: ["wait --for=delete pod/failed"] },
    {
      name: "delete",
      kubectl: ["delete deployment/web deployment/tolerant poddisruptionbudget/web node/other"],
      reached: ["wait --for=delete pods --all"],
    },
  ],
};
