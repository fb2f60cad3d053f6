// CloudNativePG: pods and claims without a workload, Jobs that prepare them, roles that it grants to their accounts, certificates and
// passwords in Secrets, and webhooks. Nobody answers in the pods, so that a cluster has no more than its first instance.
import { cpSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { calledHere, makeCertificate } from "./webhooks-here.ts";

const version = "v1.25.1";
/** Where the webhooks listen in a network of its own. */
const port = 9_443;

function obtain(): Obtained {
  const built = buildGoModule(
    "cloudnative-pg",
    `github.com/cloudnative-pg/cloudnative-pg@${version}`,
    "./cmd/manager",
  );
  if ("failure" in built) return built;
  const { folder } = built;
  const certificates = join(folder, "webhook-certificates");
  const made = makeCertificate(certificates);
  if ("failure" in made) return made;
  for (const part of ["crt", "key"]) {
    cpSync(join(certificates, `tls.${part}`), join(certificates, `apiserver.${part}`));
  }
  // Pods would get the program for their machine out of the operator's image.
  mkdirSync(join(folder, "operator"), { recursive: true });
  for (const each of ["amd64", "arm64"]) writeFileSync(join(folder, `operator/manager_${each}`), each);
  const webhooks = join(folder, "webhooks.yaml");
  writeFileSync(
    webhooks,
    calledHere(join(folder, "config/webhook/manifests.yaml"), [], port, made.authority),
  );
  return {
    programs: [
      {
        command: "sh",
        args: () => ["-c", 'cd "$0" && exec ./program "$@"', folder, "controller", `--webhook-port=${port}`],
        env: {
          OPERATOR_NAMESPACE: home,
          OPERATOR_IMAGE_NAME: "example.com/cloudnative-pg",
          WEBHOOK_CERT_DIR: certificates,
        },
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
    role: "manager",
  };
}

const cluster = (spec: string): string => `
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: { name: pg }
spec:
  instances: 2
  storage: { size: 1Gi }
  ${spec}
`;
const pooler = `
apiVersion: postgresql.cnpg.io/v1
kind: Pooler
metadata: { name: pool }
spec: { cluster: { name: pg }, instances: 2, type: rw, pgbouncer: { poolMode: session } }
`;
const backup = `
apiVersion: postgresql.cnpg.io/v1
kind: ScheduledBackup
metadata: { name: nightly }
spec: { schedule: "0 0 3 * * *", cluster: { name: pg }, suspend: true }
`;
const primary = ["wait --for=create pod/pg-1", "wait --for=condition=Ready pod/pg-1"];

/** CloudNativePG: what becomes of a cluster of PostgreSQL. */
export const cloudNativePg: ForeignOperator = {
  name: "cloudnative-pg",
  version,
  obtain,
  prepare(pods) {
    pods.simulate({ labels: { "cnpg.io/jobRole": "initdb" } }, { exit: { code: 0 } });
  },
  random: [
    // Certificates, passwords, and when they end.
    [/^Secret\/pg-/, /^data\./],
    [/^Cluster\/pg$/, /^status\.certificates\.expirations\./],
    // The versions of Secrets.
    [/^Cluster\/pg$/, /^status\.secretsResourceVersion\./],
    [/^Pooler\/pool$/, /^status\.secrets\..*ersion$/],
    // In whichever order it has seen them.
    [/^Cluster\/pg$/, /^writtenBy\./],
  ],
  steps: [
    {
      name: "what its webhook refuses",
      refused: cluster("minSyncReplicas: 3"),
      reached: [],
    },
    {
      name: "create",
      apply: cluster('postgresql: { parameters: { max_connections: "50" } }'),
      reached: [
        ...primary,
        "wait --for=condition=Complete job/pg-1-initdb",
        "wait --for=create service/pg-rw",
      ],
    },
    {
      name: "a pool of connections, and backups",
      apply: pooler + "---" + backup,
      reached: ["wait --for=create deployment/pool", "rollout status deployment/pool"],
    },
    {
      name: "drift",
      kubectl: ["delete service/pg-rw poddisruptionbudget/pg-primary", "delete deployment/pool"],
      reached: [
        "wait --for=create service/pg-rw",
        "wait --for=create poddisruptionbudget/pg-primary",
        "wait --for=create deployment/pool",
        "rollout status deployment/pool",
      ],
    },
    {
      name: "delete",
      kubectl: ["delete scheduledbackup/nightly pooler/pool cluster/pg"],
      reached: [
        "wait --for=delete pods --all",
        "wait --for=delete persistentvolumeclaims --all",
        "wait --for=delete deployment/pool",
      ],
    },
  ],
};
