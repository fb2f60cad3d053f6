// Operators in Rust, on kube-rs with rustls: kaniop, which runs Kanidm, and an example of the framework kuberator.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCrate } from "../rust-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";

/** Builds kaniop, and prints the definitions of its kinds. */
function obtainKaniop(): Obtained {
  const built = buildCrate({ crate: "kaniop", version: kaniopVersion, beside: "kaniop-definitions" });
  if ("failure" in built) return built;
  const { status, stdout, stderr } = spawnSync(built.besideFile, { encoding: "utf8" });
  if (status !== 0) return { failure: `${built.besideFile}: ${stderr.trim()}` };
  const definitions = join(built.folder, "definitions.yaml");
  writeFileSync(definitions, stdout);
  return {
    programs: [{ command: built.file, args: () => ["--listen-address=127.0.0.1", "--port=0"] }],
    manifests: [definitions],
  };
}

const kaniopVersion = "0.6.1";
const kanidm = (spec: string, domain = "idm.example.com"): string => `
apiVersion: kaniop.rs/v1beta1
kind: Kanidm
metadata: { name: idm }
spec:
  domain: ${domain}
  disableUpgradeChecks: true
  storage:
    volumeClaimTemplate:
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
${spec
  .split("\n")
  .map((line) => `  ${line}`)
  .join("\n")}
`;
/** Passwords that it would have the program in the pod make: a simulated pod has none. */
const passwords = `
apiVersion: v1
kind: Secret
metadata:
  name: idm-admin-passwords
  labels: { app.kubernetes.io/managed-by: kaniop-kanidm, kanidm.kaniop.rs/cluster: idm }
stringData: { ADMIN_USERNAME: admin, ADMIN_PASSWORD: one, IDM_ADMIN_USERNAME: idm_admin, IDM_ADMIN_PASSWORD: two }
---
`;
/** What cert-manager would put there: its pods wait for it. */
const certificate = `
apiVersion: v1
kind: Secret
metadata: { name: idm-tls }
stringData: { tls.crt: a certificate, tls.key: a key }
---
`;
const groups = (name: string): string => `replicaGroups: [{ name: ${name}, replicas: 1 }]`;
const ingress = "ingress: { ingressClassName: nginx, annotations: { team: shop } }";
const region = "regionIngress: { ingressClassName: nginx, region: eu }";
const settled = (group: string, generation: number): string[] => [
  `wait --for=create statefulset/idm-${group}`,
  `rollout status statefulset/idm-${group}`,
  `wait --for=jsonpath={.metadata.generation}=${generation} kanidm/idm`,
  `wait --for=jsonpath={.status.conditions[0].observedGeneration}=${generation} kanidm/idm`,
  "wait --for=condition=Available kanidm/idm",
  "wait --for=condition=Initialized kanidm/idm",
  "wait --for=condition=Progressing=False kanidm/idm",
];

/** kaniop: a stateful set with claims for each group of replicas, services and ingresses by server-side apply, a finalizer. */
export const kaniop: ForeignOperator = {
  name: "kaniop (kube-rs)",
  version: kaniopVersion,
  obtain: obtainKaniop,
  steps: [
    {
      name: "create",
      apply: `${passwords}${certificate}${kanidm(`${groups("main")}\nimage: kanidm/server:1.9.0\n${ingress}`)}`,
      reached: [...settled("main", 1), "wait --for=create service/idm", "wait --for=create ingress/idm"],
    },
    {
      name: "what its rules refuse",
      refused: kanidm(groups("main"), "other.example.com"),
      reached: [],
    },
    {
      name: "update",
      apply: kanidm(`${groups("main")}\nimage: kanidm/server:1.9.1\n${region}`),
      reached: [
        "wait --for=create ingress/idm-eu",
        "wait --for=delete ingress/idm",
        "wait --for=jsonpath={.spec.template.spec.containers[0].image}=kanidm/server:1.9.1 statefulset/idm-main",
        ...settled("main", 2),
      ],
    },
    {
      name: "another group",
      apply: kanidm(`${groups("second")}\nimage: kanidm/server:1.9.1`),
      reached: [
        "wait --for=delete statefulset/idm-main",
        "wait --for=delete pod/idm-main-0",
        "wait --for=delete ingress/idm-eu",
        ...settled("second", 3),
      ],
    },
    {
      name: "drift",
      kubectl: ["delete service/idm", "scale statefulset/idm-second --replicas=0"],
      reached: [
        "wait --for=create service/idm",
        "wait --for=jsonpath={.spec.replicas}=1 statefulset/idm-second",
        ...settled("second", 3),
      ],
    },
    {
      name: "delete",
      kubectl: ["delete kanidm/idm"],
      reached: [
        "wait --for=delete statefulset/idm-second",
        "wait --for=delete pods --all",
        "wait --for=delete service/idm",
      ],
    },
  ],
};

const kuberatorVersion = "0.4.1";
const kuberatorDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: myresources.example.kuberator.io }
spec:
  group: example.kuberator.io
  scope: Namespaced
  names: { kind: MyResource, plural: myresources, singular: myresource }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec: { type: object, required: [message], properties: { message: { type: string } } }
            status:
              type: object
              nullable: true
              required: [state]
              properties:
                state: { type: string }
                observed_generation: { type: integer, format: int64, nullable: true }
`;
const message = (text: string): string => `
apiVersion: example.kuberator.io/v1
kind: MyResource
metadata: { name: one }
spec: { message: ${text} }
`;
const finalizer = "myresources.example.kuberator.io/finalizer";
const observed = (generation: number): string[] => [
  "wait --for=jsonpath={.status.state}=Ready myresource/one",
  `wait --for=jsonpath={.status.observed_generation}=${generation} myresource/one`,
  `wait --for=jsonpath={.metadata.finalizers[0]}=${finalizer} myresource/one`,
];

/** kuberator's example with a status: kube-rs' own finalizers, which are JSON patches that test first. */
export const kuberatorExample: ForeignOperator = {
  name: "kuberator (kube-rs)",
  version: kuberatorVersion,
  obtain() {
    const built = buildCrate({ crate: "kuberator", version: kuberatorVersion, example: "with_status" });
    if ("failure" in built) return built;
    const definition = join(built.folder, "definition.yaml");
    writeFileSync(definition, kuberatorDefinition);
    return { programs: [{ command: built.file, args: () => [] }], manifests: [definition] };
  },
  namespace: "default",
  // The API server's own address.
  random: [[/^(?:Service|Endpoints)\/kubernetes$/, /^/]],
  steps: [
    { name: "create", apply: message("hello"), reached: observed(1) },
    { name: "update", apply: message("again"), reached: observed(2) },
    {
      name: "drift",
      kubectl: [
        'patch myresource/one --type=merge --patch={"metadata":{"finalizers":null}}',
        'patch myresource/one --subresource=status --type=merge --patch={"status":{"observed_generation":0}}',
      ],
      reached: observed(2),
    },
    { name: "delete", kubectl: ["delete myresource/one"], reached: ["wait --for=delete myresource/one"] },
  ],
};
