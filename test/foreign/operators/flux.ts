// Flux's kustomize-controller: what an archive of manifests says is applied by server-side apply, watched until it is ready, corrected, and
// pruned. The archives are served beside it, in place of source-controller.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildGoModule, sourceOf } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained, Step } from "./foreign-operator.ts";

const version = "v1.9.6";
const archives = join(tmpdir(), "xstate-operator-foreign", "archives");

/** The program with a server of files beside it, which ends with it. */
const withFiles = `
python3 -m http.server 8000 --bind 127.0.0.1 --directory ${archives} >/dev/null 2>&1 &
files=$!
"$0" "$@" &
program=$!
trap 'kill $program' TERM
wait $program
code=$?
wait $program
kill $files
exit $code
`;

function obtain(): Obtained {
  const built = buildGoModule(
    "kustomize-controller",
    `github.com/fluxcd/kustomize-controller@${version}`,
    ".",
  );
  if ("failure" in built) return built;
  const sources = sourceOf(`github.com/fluxcd/source-controller@${version}`);
  if ("failure" in sources) return sources;
  const { status, error } = spawnSync("python3", ["--version"]);
  if (status !== 0) return { failure: `python3: ${error?.message ?? `exit code ${status}`}` };
  return {
    programs: [
      {
        command: "sh",
        args: () => ["-c", withFiles, built.files[0]!, "--interval-jitter-percentage=0"],
        env: { RUNTIME_NAMESPACE: home },
        isolated: true,
      },
    ],
    manifests: [
      join(built.folder, "config/crd/bases/kustomize.toolkit.fluxcd.io_kustomizations.yaml"),
      // It watches every kind of source.
      ...globSync(join(sources.folder, "config/crd/bases/*.yaml")).toSorted(),
    ],
  };
}

const deployment = (image: string, selected = "web"): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 2
  selector: { matchLabels: { app: ${selected} } }
  template:
    metadata: { labels: { app: ${selected} } }
    spec:
      serviceAccountName: web
      containers:
        - name: web
          image: "example.com/web:${image}"
          ports: [{ name: http, containerPort: 8080 }, { name: dns, containerPort: 53, protocol: UDP }]
          resources: { requests: { cpu: 0.1, memory: 64Mi } }
          envFrom: [{ configMapRef: { name: settings } }]
`;
const common = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: web }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: web }
rules: [{ apiGroups: [""], resources: [configmaps], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: web }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: web }
subjects: [{ kind: ServiceAccount, name: web, namespace: shop }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ name: http, port: 80, targetPort: http }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { minAvailable: 1, selector: { matchLabels: { app: web } } }
---
apiVersion: v1
kind: Secret
metadata: { name: web }
stringData: { password: "\${password}" }
---`;
const settings = (mode: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { mode: ${mode} }
---`;
const report = `
apiVersion: batch/v1
kind: CronJob
metadata: { name: report }
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: report, image: report }] }
---`;
const ingress = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec:
  rules:
    - host: web.example.com
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { name: http } } } }] }
---`;

/** What the archive says at each revision. */
const revisions: Readonly<Record<string, string>> = {
  one: common + settings("one") + report + deployment("1"),
  two: common + settings("two") + ingress + deployment("2"),
  broken: common + settings("two") + ingress + deployment("2", "other"),
};

function revisionOf(name: string): string {
  return `main@sha1:${createHash("sha1").update(name).digest("hex")}`;
}

/** Has GitRepository say that this revision was fetched. */
function fetched(name: string): string {
  const folder = join(archives, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "manifests.yaml"), revisions[name] ?? "");
  const archive = join(archives, `${name}.tar.gz`);
  // The same bytes each time, as their digest is told.
  const options = ["--create", "--gzip", "--mtime=2026-01-01", `--file=${archive}`, `--directory=${folder}`];
  spawnSync("tar", [...options, "manifests.yaml"]);
  const artifact = {
    digest: `sha256:${createHash("sha256").update(readFileSync(archive)).digest("hex")}`,
    lastUpdateTime: "2026-01-01T00:00:00Z",
    path: `gitrepository/shop/app/${name}.tar.gz`,
    revision: revisionOf(name),
    url: `http://127.0.0.1:8000/${name}.tar.gz`,
  };
  const condition = {
    lastTransitionTime: "2026-01-01T00:00:00Z",
    message: "stored",
    observedGeneration: 1,
    reason: "Succeeded",
    status: "True",
    type: "Ready",
  };
  const status = { artifact, conditions: [condition], observedGeneration: 1 };
  return `patch gitrepository/app --subresource=status --type=merge --patch=${JSON.stringify({ status })}`;
}

const applied = (name: string): readonly string[] => [
  `wait --for=jsonpath={.status.lastAppliedRevision}=${revisionOf(name)} kustomization/app`,
  "wait --for=condition=Ready kustomization/app",
];
const again = (time: string): string =>
  `annotate --overwrite kustomization/app reconcile.fluxcd.io/requestedAt=${time}`;
const done = (time: string): readonly string[] => [
  `wait --for=jsonpath={.status.lastHandledReconcileAt}=${time} kustomization/app`,
  "wait --for=condition=Ready kustomization/app",
];

const steps = (): readonly Step[] => [
  {
    name: "apply",
    apply: `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: app }
spec: { interval: 1h, url: "https://example.com/app.git", ref: { branch: main } }
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: app }
spec:
  interval: 1h
  retryInterval: 2s
  timeout: 1m
  prune: true
  wait: true
  targetNamespace: shop
  commonMetadata: { labels: { team: shop } }
  postBuild: { substitute: { password: hunter2 } }
  patches: [{ patch: '[{"op":"add","path":"/metadata/annotations","value":{"patched":"yes"}}]', target: { kind: Service } }]
  sourceRef: { kind: GitRepository, name: app }
`,
    kubectl: [fetched("one")],
    reached: [...applied("one"), "rollout status deployment/web"],
  },
  {
    name: "another revision, which prunes",
    kubectl: [fetched("two")],
    reached: [...applied("two"), "wait --for=delete cronjob/report", "rollout status deployment/web"],
  },
  {
    name: "drift",
    kubectl: [
      "delete configmap/settings service/web",
      "set image deployment/web web=example.com/web:3",
      "label deployment/web team=other --overwrite",
      "scale deployment/web --replicas=5",
      again("1"),
    ],
    reached: [
      ...done("1"),
      "wait --for=create service/web",
      "wait --for=jsonpath={.spec.replicas}=2 deployment/web",
      "rollout status deployment/web",
    ],
  },
  {
    name: "a revision that cannot be applied",
    kubectl: [fetched("broken")],
    reached: [
      `wait --for=jsonpath={.status.lastAttemptedRevision}=${revisionOf("broken")} kustomization/app`,
      "wait --for=condition=Ready=False kustomization/app",
    ],
  },
  {
    name: "back again",
    kubectl: [fetched("two"), again("2")],
    reached: done("2"),
  },
  {
    name: "delete",
    kubectl: ["delete kustomization/app", "delete gitrepository/app"],
    reached: ["wait --for=delete deployment/web", "wait --for=delete pods --all"],
  },
];

/** Flux's kustomize-controller, on the library by which Flux applies everything. */
export const kustomizeController: ForeignOperator = {
  name: "kustomize-controller (Flux)",
  version,
  obtain,
  random: [
    // How long it took, and how often.
    [/^Kustomization\//, /^status\.history/],
    // In how many steps a rollout goes that is corrected on its way.
    [/^ReplicaSet\/web-/, /^(?:metadata\.generation|status\.observedGeneration)$/],
  ],
  get steps() {
    return steps();
  },
};
