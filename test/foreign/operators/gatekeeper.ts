// OPA Gatekeeper: policies in Rego and CEL as resources, for each of which it makes a definition; webhooks for everything, with
// certificates of its own making; and admission policies that it writes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { calledThrough, manifestsIn, writtenOut } from "./installed-manifests.ts";

const version = "v3.23.1";
/** Where its webhooks listen in a network of its own. */
const port = 8_443;

function obtain(): Obtained {
  const built = buildGoModule("gatekeeper", `github.com/open-policy-agent/gatekeeper/v3@${version}`, ".");
  if ("failure" in built) return built;
  const { folder } = built;
  const manifest = join(folder, "installed.yaml");
  writeFileSync(manifest, manifestsOf(readFileSync(join(folder, "deploy/gatekeeper.yaml"), "utf8")));
  const placeOf = (kubeconfig: string): string => join(dirname(kubeconfig), "certificates");
  const auditedIn = (kubeconfig: string): string => {
    const place = join(dirname(kubeconfig), "audited");
    mkdirSync(place, { recursive: true });
    return place;
  };
  return {
    programs: [
      {
        command: built.files[0]!,
        args: (kubeconfig) => [
          `--port=${port}`,
          `--cert-dir=${placeOf(kubeconfig)}`,
          `--api-cache-dir=${auditedIn(kubeconfig)}`,
          `--exempt-namespace=${home}`,
          "--audit-interval=3",
          "--default-wait-for-vapb-generation=1",
          "--shutdown-delay=0",
          "--log-denies",
        ],
        env: { POD_NAME: "gatekeeper", POD_NAMESPACE: home },
        // It listens on every address.
        isolated: true,
        called: port,
        mounted: { secret: "gatekeeper-webhook-server-cert", folder: placeOf },
      },
    ],
    manifests: [manifest],
    role: "bound",
  };
}

/** What it installs, for our account, and the pod that its programs would be. */
function manifestsOf(text: string): string {
  const placed = text.replaceAll("gatekeeper-system", home).replaceAll("gatekeeper-admin", "operator");
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "gatekeeper", namespace: home },
    spec: { containers: [{ name: "manager", image: "gatekeeper" }] },
  };
  const others = manifestsIn(placed, /^(?:Namespace|ServiceAccount|Service|Deployment)$/);
  return writtenOut([pod, ...calledThrough("gatekeeper-webhook-service", port, others)]);
}

const template = (kind: string, code: string): string => `
apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: { name: ${kind.toLowerCase()} }
spec:
  crd:
    spec:
      names: { kind: ${kind} }
      validation:
        openAPIV3Schema:
          type: object
          properties: { labels: { type: array, items: { type: string } } }
  targets:
    - target: admission.k8s.gatekeeper.sh
${code}
`;
const rego = template(
  "NeededLabels",
  `      rego: |
        package neededlabels
        violation[{"msg": msg}] {
          given := {label | input.review.object.metadata.labels[label]}
          needed := {label | label := input.parameters.labels[_]}
          missing := needed - given
          count(missing) > 0
          msg := sprintf("these labels are missing: %v", [missing])
        }`,
);
const cel = template(
  "ForbiddenLabels",
  `      code:
        - engine: K8sNativeValidation
          source:
            generateVAP: true
            validations:
              - expression: "!has(variables.anyObject.metadata.labels) || !variables.params.labels.exists(each, each in variables.anyObject.metadata.labels)"
                message: it has labels that it must not have`,
);
const constraint = (kind: string, name: string, labels: string, resource = "ConfigMap"): string => `
apiVersion: constraints.gatekeeper.sh/v1beta1
kind: ${kind}
metadata: { name: ${name} }
spec:
  match: { kinds: [{ apiGroups: [""], kinds: [${resource}] }], namespaces: [shop] }
  parameters: { labels: [${labels}] }
`;
const map = (name: string, labels: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, labels: { ${labels} } }
`;
const created = (kind: string): readonly string[] => [
  `wait --for=jsonpath={.status.created}=true constrainttemplate/${kind}`,
  `wait --for=create crd/${kind}.constraints.gatekeeper.sh`,
  `wait --for=condition=Established crd/${kind}.constraints.gatekeeper.sh`,
];
const enforced = (object: string): string => `wait --for=jsonpath={.status.byPod[0].enforced}=true ${object}`;

/** Gatekeeper: who may write what, decided in a webhook and by policies that it writes. */
export const gatekeeper: ForeignOperator = {
  name: "gatekeeper",
  version,
  obtain,
  clusterWide: /\.gatekeeper\.sh$|^validatingadmissionpolic/,
  // Its port, and what it makes at random.
  random: [
    [/^ConstraintTemplate\/|^NeededLabels\/|^ForbiddenLabels\//, /^status\.auditTimestamp$/],
    [/PodStatus\//, /^status\.(?:template|constraint|mutator)UID$/],
  ],
  steps: [
    {
      name: "a template in Rego",
      apply: rego,
      reached: created("neededlabels"),
    },
    {
      name: "a constraint of it, and what it already finds",
      apply: map("before", "a: b") + "---" + constraint("NeededLabels", "team", "team"),
      reached: [
        enforced("neededlabels/team"),
        // The other is the authority that each namespace has.
        "wait --for=jsonpath={.status.totalViolations}=2 neededlabels/team",
      ],
    },
    {
      name: "what is refused",
      refused: map("bad", "a: b"),
      reached: [],
    },
    {
      name: "what is not refused",
      apply: map("good", "team: blue"),
      reached: ["wait --for=jsonpath={.metadata.labels.team}=blue configmap/good"],
    },
    {
      name: "a template in CEL, of which it makes an admission policy",
      apply: cel,
      reached: [
        ...created("forbiddenlabels"),
        "wait --for=create validatingadmissionpolicy/gatekeeper-forbiddenlabels",
      ],
    },
    {
      name: "a constraint of it, which binds the policy",
      apply: constraint("ForbiddenLabels", "secretive", "password"),
      reached: [
        "wait --for=create validatingadmissionpolicybinding/gatekeeper-forbiddenlabels-secretive",
        enforced("forbiddenlabels/secretive"),
      ],
    },
    {
      name: "what the policy refuses",
      refused: map("loud", "team: blue, password: secret"),
      reached: [],
    },
    {
      name: "a label that it adds",
      apply: `
apiVersion: mutations.gatekeeper.sh/v1
kind: AssignMetadata
metadata: { name: owner }
spec:
  match: { scope: Namespaced, kinds: [{ apiGroups: [""], kinds: [ConfigMap] }], namespaces: [shop] }
  location: metadata.labels.owner
  parameters: { assign: { value: shop } }
`,
      reached: ["wait --for=jsonpath={.status.byPod[0].enforced}=true assignmetadata/owner"],
    },
    {
      name: "what it adds the label to",
      apply: map("good", "team: green"),
      reached: ["wait --for=jsonpath={.metadata.labels.owner}=shop configmap/good"],
    },
    {
      name: "what its webhook refuses of its own resources",
      refused: rego.replace("name: neededlabels", "name: otherlabels"),
      reached: [],
    },
    {
      name: "delete",
      kubectl: [
        "delete neededlabels/team forbiddenlabels/secretive",
        "delete constrainttemplate/neededlabels constrainttemplate/forbiddenlabels",
        "delete assignmetadata/owner configmap/before configmap/good",
      ],
      reached: [
        "wait --for=delete crd/neededlabels.constraints.gatekeeper.sh",
        "wait --for=delete validatingadmissionpolicy/gatekeeper-forbiddenlabels",
        "wait --for=delete validatingadmissionpolicybinding/gatekeeper-forbiddenlabels-secretive",
      ],
    },
  ],
};
