// Dask's operator: kopf's handlers with kr8s as its client, deployments for each worker, ports of pods that it forwards to itself.
import { globSync } from "node:fs";
import { join } from "node:path";
import { shop } from "../../support/side-by-side.ts";
import { pythonWith } from "../python-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";

const version = "2026.3.0";

function obtain(): Obtained {
  const made = pythonWith("dask", [`dask-kubernetes==${version}`]);
  if ("failure" in made) return made;
  const manifests = globSync(
    join(made.folder, "venv/lib/*/site-packages/dask_kubernetes/operator/deployment/helm/*/crds/*.yaml"),
  );
  return {
    programs: [
      {
        command: made.python,
        args: () => [
          "-m",
          "kopf",
          "run",
          "--standalone",
          `--namespace=${shop}`,
          "-m",
          "dask_kubernetes.operator.controller",
        ],
      },
    ],
    manifests,
  };
}

const cluster = (name: string, workers: number): string => `
apiVersion: kubernetes.dask.org/v1
kind: DaskCluster
metadata: { name: ${name}, labels: { team: shop } }
spec:
  worker:
    replicas: ${workers}
    spec: { containers: [{ name: worker, image: dask, args: [dask-worker, --name, $(DASK_WORKER_NAME)] }] }
  scheduler:
    spec:
      containers:
        - name: scheduler
          image: dask
          args: [dask-scheduler]
          ports: [{ name: tcp-comm, containerPort: 8786 }, { name: http-dashboard, containerPort: 8787 }]
    service:
      type: ClusterIP
      selector: { dask.org/cluster-name: ${name}, dask.org/component: scheduler }
      ports:
        - { name: tcp-comm, port: 8786, targetPort: tcp-comm }
        - { name: http-dashboard, port: 8787, targetPort: http-dashboard }
`;
const workers = `wait --for=jsonpath={.status.availableReplicas}=1 deployments --selector=dask.org/component=worker`;

/** Dask: clusters of a scheduler and workers, each a deployment of its own. */
export const daskOperator: ForeignOperator = {
  name: "dask (kopf and kr8s)",
  version,
  obtain,
  names: /\b[0-9a-f]{10}\b/g,
  // Two of its handlers set it, in any order.
  random: [[/^DaskCluster\//, /^status\.phase$/]],
  steps: [
    {
      name: "create",
      apply: cluster("simple", 2),
      reached: [
        "wait --for=create deployment/simple-scheduler",
        "wait --for=create daskworkergroup/simple-default",
        "wait --for=create deployments --selector=dask.org/component=worker",
        workers,
      ],
    },
    {
      name: "scale",
      kubectl: ["scale daskworkergroup/simple-default --replicas=3"],
      reached: [workers],
    },
    {
      name: "delete",
      kubectl: ["delete daskcluster/simple"],
      reached: [
        "wait --for=delete deployments --all",
        "wait --for=delete daskworkergroups --all",
        "wait --for=delete pods --all",
      ],
    },
  ],
};
