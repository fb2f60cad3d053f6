// Kubeflow's training operator: pods, each of which has a Service, of jobs whose parts restart and end by rules of their own; webhooks,
// with certificates of its own making, which it expects at a place of the file system.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { calledThrough, manifestsIn, writtenOut } from "./installed-manifests.ts";
import { withFolderAt } from "./folders-of-its-own.ts";

const version = "v1.8.1";
/** Where its webhooks listen in a network of its own. */
const port = 9_443;
const service = "training-operator";
const secret = "training-operator-webhook-cert";

function obtain(): Obtained {
  const built = buildGoModule(
    "training-operator",
    `github.com/kubeflow/training-operator@${version}`,
    "./cmd/training-operator.v1",
  );
  if ("failure" in built) return built;
  const { files, folder } = built;
  const base = join(folder, "manifests/base");
  const published = ["rbac/role", "webhook/manifests"]
    .map((name) => readFileSync(join(base, `${name}.yaml`), "utf8"))
    .join("\n---\n")
    // As its kustomization patches them.
    .replaceAll("name: webhook-service", `name: ${service}`)
    .replaceAll("namespace: system", `namespace: ${home}`)
    .replaceAll("name: validating-webhook-configuration", "name: validator.training-operator.kubeflow.org");
  const certificates = { apiVersion: "v1", kind: "Secret", metadata: { name: secret, namespace: home } };
  const manifest = join(folder, "installed.yaml");
  writeFileSync(
    manifest,
    writtenOut([certificates, ...calledThrough(service, port, manifestsIn(published, /^$/))]),
  );
  const placeOf = (kubeconfig: string): string => join(dirname(kubeconfig), "certificates");
  return {
    programs: [
      {
        command: "unshare",
        args: (kubeconfig) => [
          ...withFolderAt("/tmp/k8s-webhook-server/serving-certs", placeOf(kubeconfig)),
          files[0]!,
          `--webhook-server-port=${port}`,
        ],
        env: { MY_POD_NAMESPACE: home },
        // It listens on every address.
        isolated: true,
        called: port,
        mounted: { secret, folder: placeOf },
      },
    ],
    manifests: [...globSync(join(base, "crds/kubeflow.org_*.yaml")).toSorted(), manifest],
  };
}

const part = (
  name: string,
  container: string,
  image: string,
  replicas = 1,
  restart = "OnFailure",
): string => `
    ${name}:
      replicas: ${replicas}
      restartPolicy: ${restart}
      template: { spec: { terminationGracePeriodSeconds: 0, containers: [{ name: ${container}, image: "example.com/${image}" }] } }`;
const torch = (name: string, parts: string, policy = ""): string => `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: ${name} }
spec:
  runPolicy: { cleanPodPolicy: Running${policy} }
  pytorchReplicaSpecs:${parts}
---`;
const flow = (name: string, parts: string): string => `
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: { name: ${name} }
spec:
  runPolicy: { cleanPodPolicy: All, ttlSecondsAfterFinished: 3600, backoffLimit: 1 }
  tfReplicaSpecs:${parts}
`;
const both = (image: string, workers = 2): string =>
  part("Master", "pytorch", image) + part("Worker", "pytorch", "long", workers);
const is = (type: string, object: string): string => `wait --for=condition=${type} ${object}`;

/** The training operator: what becomes of jobs whose pods work together. */
export const trainingOperator: ForeignOperator = {
  name: "training-operator",
  version,
  obtain,
  prepare(pods) {
    pods.simulate({ image: "example.com/long" }, { exit: { code: 0, after: 3_600_000 } });
    // Long enough for all of a job to run.
    pods.simulate({ image: "example.com/short" }, { exit: { code: 0, after: 3_000 } });
    pods.simulate({ image: "example.com/broken" }, { exit: { code: 1, after: 3_000 } });
  },
  steps: [
    {
      name: "a job that runs",
      apply: torch("pair", both("long")),
      reached: [is("Running", "pytorchjob/pair"), "wait --for=condition=Ready pods --all"],
    },
    {
      name: "what its webhook refuses",
      refused: torch("wrong", part("Boss", "pytorch", "long")),
      reached: [],
    },
    {
      name: "a worker is lost",
      kubectl: ["delete pod/pair-worker-1"],
      reached: [
        "wait --for=create pod/pair-worker-1",
        "wait --for=condition=Ready pods --all",
        "wait --for=jsonpath={.status.replicaStatuses.Worker.active}=2 pytorchjob/pair",
        is("Running", "pytorchjob/pair"),
      ],
    },
    {
      name: "suspend it",
      kubectl: ['patch pytorchjob/pair --type=merge --patch={"spec":{"runPolicy":{"suspend":true}}}'],
      reached: [is("Suspended", "pytorchjob/pair"), "wait --for=delete pods --all"],
    },
    {
      name: "go on",
      kubectl: ['patch pytorchjob/pair --type=merge --patch={"spec":{"runPolicy":{"suspend":false}}}'],
      reached: [is("Running", "pytorchjob/pair"), "wait --for=condition=Ready pods --all"],
    },
    {
      name: "a job that succeeds",
      apply: torch("short", both("short", 1)),
      reached: [is("Succeeded", "pytorchjob/short"), "wait --for=delete pod/short-worker-0"],
    },
    {
      name: "a job that fails",
      apply: flow(
        "broken",
        part("Chief", "tensorflow", "broken", 1, "Never") + part("Worker", "tensorflow", "long", 2, "Never"),
      ),
      reached: [is("Failed", "tfjob/broken"), "wait --for=delete pod/broken-worker-0 pod/broken-worker-1"],
    },
    {
      name: "delete",
      kubectl: ["delete pytorchjobs --all", "delete tfjobs --all"],
      reached: ["wait --for=delete pods --all", "wait --for=delete services --all"],
    },
  ],
};
