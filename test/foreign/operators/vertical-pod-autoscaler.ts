// Kubernetes' vertical autoscaler, its updater and its webhook: new pods are given what is recommended, and those that have something
// else are evicted, or resized where they run. Whoever recommends writes a status, so that no metrics are needed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, writtenOut } from "./installed-manifests.ts";
import { makeCertificate } from "./webhooks-here.ts";

const version = "v1.8.1";
/** Where the webhook listens in a network of its own. */
const port = 8_000;

function obtain(): Obtained {
  const module = `k8s.io/autoscaler/vertical-pod-autoscaler@${version}`;
  const parts = ["recommender", "updater", "admission-controller"].map((part) => `./pkg/${part}`);
  const built = buildGoModule("vertical-pod-autoscaler", module, ...parts);
  if ("failure" in built) return built;
  const { folder } = built;
  const [, updater = "", webhook = ""] = built.files;
  const certificates = join(folder, "certificates");
  const made = makeCertificate(certificates);
  if ("failure" in made) return made;
  const roles = manifestsIn(
    readFileSync(join(folder, "deploy/vpa-rbac.yaml"), "utf8")
      .replaceAll("namespace: kube-system", `namespace: ${home}`)
      .replaceAll(/(kind: ServiceAccount\n *name:) vpa-[a-z-]+/g, "$1 operator"),
    /^ServiceAccount$/,
  );
  const manifest = join(folder, "installed.yaml");
  writeFileSync(manifest, `${writtenOut(roles)}---\n${registration(made.authority)}`);
  const certificate = (name: string): string => join(certificates, name);
  return {
    programs: [
      {
        command: updater,
        args: (kubeconfig) => [
          `--kubeconfig=${kubeconfig}`,
          "--updater-interval=1s",
          "--address=127.0.0.1:0",
          "--min-replicas=1",
        ],
        env: { NAMESPACE: home },
        // They listen on every address.
        isolated: true,
      },
      {
        command: webhook,
        args: (kubeconfig) => [
          `--kubeconfig=${kubeconfig}`,
          "--register-webhook=false",
          `--port=${port}`,
          `--client-ca-file=${certificate("tls.crt")}`,
          `--tls-cert-file=${certificate("tls.crt")}`,
          `--tls-private-key=${certificate("tls.key")}`,
        ],
        env: { NAMESPACE: home },
        isolated: true,
        called: port,
      },
    ],
    manifests: [join(folder, "deploy/vpa-v1-crd-gen.yaml"), manifest],
    role: "bound",
  };
}

/** As it would register itself, but called at a port here. */
function registration(authority: Buffer): string {
  const rule = (group: string, resource: string, ...operations: readonly string[]): object => ({
    apiGroups: [group],
    apiVersions: ["*"],
    resources: [resource],
    operations,
  });
  return stringify({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "vpa-webhook-config" },
    webhooks: [
      {
        name: "vpa.k8s.io",
        admissionReviewVersions: ["v1"],
        rules: [
          rule("", "pods", "CREATE"),
          rule("autoscaling.k8s.io", "verticalpodautoscalers", "CREATE", "UPDATE"),
        ],
        failurePolicy: "Fail",
        clientConfig: { url: `https://localhost:${port}/`, caBundle: authority.toString("base64") },
        sideEffects: "None",
        timeoutSeconds: 10,
      },
    ],
  });
}

const workload = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: main
          image: web
          resources: { requests: { cpu: 100m, memory: 64Mi }, limits: { cpu: 200m } }
        - { name: beside, image: beside }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { minAvailable: 1, selector: { matchLabels: { app: web } } }
---`;
const autoscaler = (mode: string, policy = ""): string => `
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: { name: web }
spec:
  targetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  updatePolicy: { updateMode: ${mode} }
  resourcePolicy:
    containerPolicies: [{ containerName: beside, mode: "Off" }, { containerName: main ${policy} }]
`;
const recommended = (cpu: string, memory: string): string => {
  const target = { cpu, memory };
  const each = { target, lowerBound: target, upperBound: target, uncappedTarget: target };
  const recommendation = { containerRecommendations: [{ containerName: "main", ...each }] };
  return `patch vpa/web --subresource=status --type=merge --patch=${JSON.stringify({ status: { recommendation } })}`;
};
const requested = (cpu: string, limit: string): readonly string[] => [
  `wait --for=jsonpath={.spec.containers[0].resources.requests.cpu}=${cpu} pods --all`,
  `wait --for=jsonpath={.spec.containers[0].resources.limits.cpu}=${limit} pods --all`,
  "rollout status deployment/web",
];

/** The vertical autoscaler: what pods are given as recommendations and rules change. */
export const verticalPodAutoscaler: ForeignOperator = {
  name: "vertical-pod-autoscaler",
  version,
  obtain,
  // In whichever order it names what it has changed.
  random: [[/^Pod\//, /^metadata\.annotations\.vpaUpdates$/]],
  steps: [
    // The webhook has to know of it before there are pods.
    { name: "nothing to scale", apply: autoscaler("Recreate"), reached: [] },
    {
      name: "nothing recommended yet",
      apply: workload,
      reached: requested("100m", "200m"),
    },
    {
      name: "what its webhook refuses",
      refused: autoscaler("Recreate", ", minAllowed: { cpu: 2 }, maxAllowed: { cpu: 1 }"),
      reached: [],
    },
    {
      name: "something recommended",
      kubectl: [recommended("250m", "100Mi")],
      reached: requested("250m", "500m"),
    },
    {
      name: "not so much",
      apply: autoscaler("Recreate", ", maxAllowed: { cpu: 200m }"),
      reached: requested("200m", "400m"),
    },
    {
      name: "only what is requested",
      apply: autoscaler("Recreate", ", maxAllowed: { cpu: 150m }, controlledValues: RequestsOnly"),
      reached: requested("150m", "200m"),
    },
    {
      name: "more than it may be",
      kubectl: [recommended("180m", "100Mi")],
      reached: requested("150m", "200m"),
    },
    {
      name: "where they run",
      apply: autoscaler("InPlaceOrRecreate", ", controlledValues: RequestsOnly"),
      reached: requested("180m", "200m"),
    },
    {
      name: "only new ones",
      apply: autoscaler("Initial"),
      kubectl: [recommended("400m", "100Mi")],
      reached: [],
    },
    {
      name: "a new one",
      kubectl: ["scale deployment/web --replicas=3"],
      reached: ["rollout status deployment/web"],
    },
    { name: "switch it off", apply: autoscaler('"Off"'), reached: [] },
    {
      name: "new ones, once it is off",
      kubectl: ["delete pods --all --wait=false"],
      reached: requested("100m", "200m"),
    },
    {
      name: "delete",
      kubectl: ["delete vpa/web deployment/web"],
      reached: ["wait --for=delete pods --all"],
    },
  ],
};
