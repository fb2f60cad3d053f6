// Cluster API's core: a graph of owners over many kinds, those of providers among them that it finds by the labels of their definitions and
// knows no schema of; webhooks that complete, check and convert its kinds, and topologies that it writes by server-side apply. The provider
// here is no program: its definitions fill in what one would report.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, writtenOut, type InstalledManifest } from "./installed-manifests.ts";
import { calledHere, makeCertificate } from "./webhooks-here.ts";

const version = "v1.13.6";
/** Where the webhooks listen in a network of its own. */
const port = 9_443;
const provider = "infrastructure.cluster.x-k8s.io";

function obtain(): Obtained {
  const built = buildGoModule("cluster-api", `sigs.k8s.io/cluster-api@${version}`, ".");
  if ("failure" in built) return built;
  const { folder } = built;
  const certificates = join(folder, "certificates");
  const made = makeCertificate(certificates);
  if ("failure" in made) return made;
  const file = (path: string): string => join(folder, "config", path);
  const conversion = {
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: { url: `https://localhost:${port}/convert`, caBundle: made.authority.toString("base64") },
    },
  };
  const definitions = globSync(file("crd/bases/*.yaml"))
    .toSorted()
    .map((path) => parse(readFileSync(path, "utf8")) as InstalledManifest)
    .map((each) => ({ ...each, spec: { ...each.spec, conversion } }));
  const roles = manifestsIn(
    ["rbac/role.yaml", "rbac/aggregated_role.yaml"]
      .map((path) => readFileSync(file(path), "utf8"))
      .join("---\n"),
    /^Role$/,
  ).map((role) => ({ ...role, metadata: { ...role.metadata, labels: aggregated } }));
  const manifest = join(folder, "installed.yaml");
  writeFileSync(
    manifest,
    writtenOut([...definitions, ...provided, ...roles, roleOfProvider]) +
      "---\n" +
      calledHere(file("webhook/manifests.yaml"), [], port, made.authority),
  );
  return {
    programs: [
      {
        command: built.files[0]!,
        args: () => [
          `--webhook-port=${port}`,
          `--webhook-cert-dir=${certificates}`,
          "--feature-gates=ClusterTopology=true",
          "--diagnostics-address=127.0.0.1:0",
        ],
        env: { POD_NAMESPACE: home },
        // Its webhooks listen on every address.
        isolated: true,
        called: port,
      },
    ],
    manifests: [manifest],
    role: "aggregated-manager-role",
  };
}

const aggregated = { "cluster.x-k8s.io/aggregate-to-manager": "true" };

/** A kind of the provider, with what it reports of each of its objects. */
function definitionOf(kind: string, status: object, spec: object = {}): object {
  const plural = `${kind.toLowerCase()}s`;
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${provider}`, labels: { "cluster.x-k8s.io/v1beta2": "v1" } },
    spec: {
      group: provider,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { ...open, default: {}, properties: spec },
                status: { ...open, default: status },
              },
            },
          },
        },
      ],
    },
  };
}

const initialization = { provisioned: true };
const text = (given: string): object => ({ type: "string", default: given });
const provided = [
  definitionOf(
    "BareCluster",
    { initialization },
    {
      controlPlaneEndpoint: {
        type: "object",
        properties: { host: text("bare"), port: { type: "integer", default: 6_443 } },
        default: {},
      },
    },
  ),
  definitionOf("BareClusterTemplate", {}),
  definitionOf("BareMachine", { initialization }, { providerID: text("bare://machine") }),
  definitionOf("BareMachineTemplate", {}),
  definitionOf("BareControlPlane", {
    initialization: { controlPlaneInitialized: false },
    externalManagedControlPlane: true,
  }),
  definitionOf("BareControlPlaneTemplate", {}),
  definitionOf("BareConfig", { initialization: { dataSecretCreated: true }, dataSecretName: "boot" }),
  definitionOf("BareConfigTemplate", {}),
];

const roleOfProvider = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "bare-provider", labels: aggregated },
  rules: [{ apiGroups: [provider], resources: ["*"], verbs: ["*"] }],
};

const template = (kind: string, name: string, spec = "{}"): string => `
apiVersion: ${provider}/v1
kind: ${kind}
metadata: { name: ${name} }
spec: { template: { spec: ${spec} } }
---`;
const boot = `
apiVersion: v1
kind: Secret
metadata: { name: boot }
stringData: { value: "#cloud-config" }
---`;
const refTo = (kind: string, name: string): string =>
  `{ apiGroup: ${provider}, kind: ${kind}, name: ${name} }`;
const cluster = (pods: string, more = ""): string => `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: plain }
spec:
  ${more}
  clusterNetwork: { pods: { cidrBlocks: ["${pods}"] } }
  infrastructureRef: ${refTo("BareCluster", "plain")}
---`;
const workers = (replicas: number, machine: string): string => `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: { name: workers }
spec:
  clusterName: plain
  replicas: ${replicas}
  selector: { matchLabels: { pool: workers } }
  template:
    metadata: { labels: { pool: workers } }
    spec:
      clusterName: plain
      version: v1.36.1
      bootstrap: { dataSecretName: boot }
      infrastructureRef: ${refTo("BareMachineTemplate", machine)}
---`;
const bare = `
apiVersion: ${provider}/v1
kind: BareCluster
metadata: { name: plain }
---`;
const older = `
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: { name: older }
spec:
  clusterName: plain
  replicas: 1
  template:
    spec:
      clusterName: plain
      bootstrap: { dataSecretName: boot }
      infrastructureRef: { apiVersion: ${provider}/v1, kind: BareMachineTemplate, name: small }
`;
const clusterClass = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: { name: bare }
spec:
  infrastructure: { templateRef: { apiVersion: ${provider}/v1, kind: BareClusterTemplate, name: bare } }
  controlPlane: { templateRef: { apiVersion: ${provider}/v1, kind: BareControlPlaneTemplate, name: bare } }
  workers:
    machineDeployments:
      - class: worker
        bootstrap: { templateRef: { apiVersion: ${provider}/v1, kind: BareConfigTemplate, name: bare } }
        infrastructure: { templateRef: { apiVersion: ${provider}/v1, kind: BareMachineTemplate, name: small } }
  variables:
    - name: size
      required: true
      schema: { openAPIV3Schema: { type: string, enum: [small, large], default: small } }
  patches:
    - name: size
      definitions:
        - selector:
            apiVersion: ${provider}/v1
            kind: BareMachineTemplate
            matchResources: { machineDeploymentClass: { names: [worker] } }
          jsonPatches: [{ op: add, path: /spec/template/spec/size, valueFrom: { variable: size } }]
---`;
const templates = [
  template("BareClusterTemplate", "bare"),
  template("BareControlPlaneTemplate", "bare"),
  template("BareConfigTemplate", "bare", "{ commands: [start] }"),
].join("");
const topology = (size: string, replicas: number): string => `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: shaped }
spec:
  topology:
    classRef: { name: bare }
    version: v1.36.1
    variables: [{ name: size, value: ${size} }]
    workers: { machineDeployments: [{ class: worker, name: pool, replicas: ${replicas} }] }
`;
const phase = (given: string, object: string): string =>
  `wait --for=jsonpath={.status.phase}=${given} ${object}`;
const replicas = (count: number, object: string): string =>
  `wait --for=jsonpath={.status.replicas}=${count} ${object}`;

/** Cluster API: what becomes of a cluster of machines, and of one that a class shapes. */
export const clusterApi: ForeignOperator = {
  name: "cluster-api",
  version,
  obtain,
  // Two of its controllers add theirs at the same time.
  random: [[/^Machine(?:Deployment|Set)\//, /^metadata\.finalizers\./]],
  names:
    /(?<=\b(?:workers|older|shaped|shaped-pool)-)[a-z0-9]{5}(?:-[a-z0-9]{5})?\b|\b\d{6,10}-[a-z0-9]{5}\b/g,
  steps: [
    { name: "what its webhook refuses", refused: cluster("nowhere"), reached: [] },
    {
      name: "a cluster of machines",
      apply:
        bare + boot + template("BareMachineTemplate", "small") + cluster("10.0.0.0/16") + workers(2, "small"),
      reached: [
        phase("Provisioned", "cluster/plain"),
        replicas(2, "machinedeployment/workers"),
        phase("Provisioned", "machines --all"),
      ],
    },
    {
      name: "more machines, of another sort",
      apply: template("BareMachineTemplate", "large", "{ size: large }") + workers(3, "large"),
      reached: [
        replicas(4, "machinedeployment/workers"),
        "wait --for=jsonpath={.status.upToDateReplicas}=2 machinedeployment/workers",
        phase("Provisioned", "machines --all"),
      ],
    },
    {
      name: "some in an older version, which it converts",
      apply: older,
      reached: [
        replicas(1, "machinedeployment/older"),
        "wait --for=jsonpath={.spec.template.spec.infrastructureRef.apiGroup}=" +
          `${provider} machinedeployments.v1beta2.cluster.x-k8s.io/older`,
        "wait --for=jsonpath={.spec.template.spec.infrastructureRef.apiVersion}=" +
          `${provider}/v1 machinedeployments.v1beta1.cluster.x-k8s.io/workers`,
        phase("Provisioned", "machines --all"),
      ],
    },
    {
      name: "pause",
      apply: cluster("10.0.0.0/16", "paused: true"),
      kubectl: ["scale machinedeployment/older --replicas=2"],
      reached: [
        "wait --for=condition=Paused cluster/plain",
        "wait --for=condition=Paused machinedeployment/older",
        "wait --for=condition=Paused machines --all",
      ],
    },
    {
      name: "go on",
      apply: cluster("10.0.0.0/16", "paused: false"),
      reached: [
        "wait --for=condition=Paused=False cluster/plain",
        replicas(2, "machinedeployment/older"),
        phase("Provisioned", "machines --all"),
      ],
    },
    {
      name: "a class",
      apply: templates + clusterClass,
      reached: ["wait --for=condition=VariablesReady clusterclass/bare"],
    },
    { name: "what the class refuses", refused: topology("huge", 1), reached: [] },
    {
      name: "a cluster of the class",
      apply: topology("small", 1),
      reached: [
        "wait --for=condition=TopologyReconciled cluster/shaped",
        phase("Provisioned", "cluster/shaped"),
      ],
    },
    {
      name: "another size",
      apply: topology("large", 2),
      reached: ["wait --for=condition=TopologyReconciled cluster/shaped"],
    },
    {
      name: "delete",
      kubectl: ["delete cluster/plain cluster/shaped", "delete clusterclass/bare"],
      reached: ["wait --for=delete machines --all", "wait --for=delete clusters --all"],
    },
  ],
};
