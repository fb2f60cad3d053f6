// kro: a definition is a graph of resources in CEL, of which it makes a CustomResourceDefinition and for which it starts a controller of
// its own; schemas come from the server's OpenAPI, resources are applied as an ApplySet, and what it watches it watches by metadata alone.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, renderChart, writtenOut } from "./installed-manifests.ts";

const version = "v0.9.4";

/** What users give it beside its own role: its definitions, and what is in them. */
const granted = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "kro-shops", labels: { "rbac.kro.run/aggregate-to-controller": "true" } },
  rules: [
    { apiGroups: ["kro.run"], resources: ["*"], verbs: ["*"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] },
    { apiGroups: [""], resources: ["services", "configmaps"], verbs: ["*"] },
    { apiGroups: ["networking.k8s.io"], resources: ["ingresses"], verbs: ["*"] },
  ],
};

function obtain(): Obtained {
  const built = buildGoModule("kro", `github.com/kubernetes-sigs/kro@${version}`, "./cmd/controller");
  if ("failure" in built) return built;
  const { folder } = built;
  const rendered = renderChart("kro", join(folder, "helm"), {
    "rbac.mode": "aggregation",
    "serviceAccount.name": "operator",
  });
  if ("failure" in rendered) return rendered;
  const manifest = join(folder, "installed.yaml");
  const objects = manifestsIn(rendered.text, /^(?:Deployment|Service|ServiceAccount)$/);
  writeFileSync(manifest, writtenOut([...objects, granted]));
  return {
    programs: [
      {
        command: built.files[0]!,
        args: () => [
          "--metrics-bind-address=127.0.0.1:0",
          "--health-probe-bind-address=127.0.0.1:0",
          "--allow-crd-deletion",
        ],
      },
    ],
    manifests: [
      join(folder, "helm/crds/internal.kro.run_graphrevisions.yaml"),
      join(folder, "helm/crds/kro.run_resourcegraphdefinitions.yaml"),
      manifest,
    ],
    role: "bound",
  };
}

interface Graph {
  /** What the instances' status says. */
  readonly status?: string;
  /** The image's tag by default. */
  readonly tag?: string;
  /** A field of the instances that may not be there. */
  readonly field?: string;
}

const graph = ({ status = "", tag = "1", field = "image" }: Graph): string => `
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: { name: webshops }
spec:
  schema:
    apiVersion: v1alpha1
    kind: WebShop
    types:
      Door: { port: "integer | minimum=1 maximum=65535", name: 'string | default="http"' }
    spec:
      image: 'string | default="example.com/web:${tag}" description="What runs"'
      replicas: integer | default=2 minimum=1 maximum=5
      mode: 'string | enum="open,closed" default="open"'
      owner: 'string | required=true immutable=true'
      host: 'string | pattern="^[a-z.]+$"'
      regions: '[]string | default=["north", "south"]'
      doors: '[]Door'
      labels: 'map[string]string'
    status:
      available: \${deployment.status.availableReplicas}
      address: \${service.spec.ports[0].port}
      conditionsOfIt: '\${deployment.status.conditions.map(c, c.type).sort()}'
      ${status}
    additionalPrinterColumns:
      - { name: Available, jsonPath: .status.available, type: integer }
  resources:
    - id: platform
      externalRef: { apiVersion: v1, kind: ConfigMap, metadata: { name: platform } }
    - id: deployment
      readyWhen: ["\${deployment.status.availableReplicas == deployment.spec.replicas}"]
      template:
        apiVersion: apps/v1
        kind: Deployment
        metadata: { name: "\${schema.metadata.name}" }
        spec:
          replicas: \${schema.spec.replicas}
          selector: { matchLabels: { app: "\${schema.metadata.name}" } }
          template:
            metadata: { labels: { app: "\${schema.metadata.name}" } }
            spec:
              containers:
                - name: web
                  image: \${schema.spec.${field}}
                  env:
                    - { name: ZONE, value: "\${platform.data.?zone.orValue('none')}" }
                    - { name: MODE, value: "\${schema.spec.mode}" }
                  ports: [{ name: http, containerPort: 8080 }]
    - id: service
      template:
        apiVersion: v1
        kind: Service
        metadata: { name: "\${deployment.metadata.name}" }
        spec:
          selector: \${deployment.spec.selector.matchLabels}
          ports: [{ name: http, port: 80, targetPort: http }]
    - id: regions
      forEach: [{ region: "\${schema.spec.regions}" }]
      template:
        apiVersion: v1
        kind: ConfigMap
        metadata: { name: "\${schema.metadata.name + '-' + region}" }
        data: { address: "\${service.metadata.name + '.' + region}" }
    - id: ingress
      includeWhen: ["\${schema.spec.mode == 'open'}"]
      template:
        apiVersion: networking.k8s.io/v1
        kind: Ingress
        metadata: { name: "\${schema.metadata.name}" }
        spec:
          rules:
            - host: \${schema.spec.host}
              http:
                paths:
                  - path: /
                    pathType: Prefix
                    backend: { service: { name: "\${service.metadata.name}", port: { name: http } } }
`;
const webShop = (spec: string): string => `
apiVersion: kro.run/v1alpha1
kind: WebShop
metadata: { name: web }
spec: { owner: me, host: web.example.com, ${spec} }
`;
const platform = (zone: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: platform }
data: { zone: ${zone} }
`;
const ready = [
  "wait --for=jsonpath={.status.state}=ACTIVE webshop/web",
  "wait --for=condition=Ready webshop/web",
];
const accepted = (generation: number): readonly string[] => [
  "wait --for=condition=Ready rgd/webshops",
  `wait --for=jsonpath={.metadata.generation}=${generation} rgd/webshops`,
];

/** kro: a kind that is a graph of resources, and what becomes of one of it. */
export const kro: ForeignOperator = {
  name: "kro",
  version,
  obtain,
  clusterWide: /\.kro\.run$|^customresourcedefinitions\./,
  steps: [
    {
      name: "a kind",
      apply: graph({}),
      reached: [...accepted(1), "wait --for=condition=Established crd/webshops.kro.run"],
    },
    {
      name: "what the kind refuses",
      refused: webShop("replicas: 9, mode: ajar, doors: [{ port: 0 }], regions: [1]"),
      reached: [],
    },
    {
      name: "one that waits for what it refers to",
      apply: webShop(""),
      reached: ["wait --for=jsonpath={.status.state}=IN_PROGRESS webshop/web"],
    },
    {
      name: "create",
      apply: platform("a"),
      reached: [...ready, "wait --for=create ingress/web", "rollout status deployment/web"],
    },
    {
      name: "update",
      apply: webShop(
        'replicas: 3, mode: closed, image: "example.com/web:7", regions: [north, west], doors: [{ port: 443 }]',
      ),
      reached: [
        "wait --for=delete ingress/web configmap/web-south",
        "wait --for=create configmap/web-west",
        "rollout status deployment/web",
        "wait --for=jsonpath={.status.available}=3 webshop/web",
        ...ready,
      ],
    },
    {
      name: "drift",
      kubectl: ["delete service/web configmap/web-north", "scale deployment/web --replicas=1"],
      reached: [
        "wait --for=create service/web",
        "wait --for=create configmap/web-north",
        "wait --for=jsonpath={.spec.replicas}=3 deployment/web",
        "rollout status deployment/web",
        ...ready,
      ],
    },
    {
      name: "what it refers to changes",
      apply: platform("b"),
      reached: [
        "wait --for=jsonpath={.spec.template.spec.containers[0].env[0].value}=b deployment/web",
        "rollout status deployment/web",
        ...ready,
      ],
    },
    {
      name: "another version of the kind",
      apply: graph({ tag: "8", status: "wanted: ${deployment.spec.replicas}" }),
      reached: [...accepted(2), "wait --for=jsonpath={.status.wanted}=3 webshop/web", ...ready],
    },
    {
      name: "one that is wrong",
      apply: graph({ tag: "8", field: "picture" }),
      reached: ["wait --for=condition=Ready=False rgd/webshops"],
    },
    {
      name: "back again",
      apply: graph({ tag: "8", status: "wanted: ${deployment.spec.replicas}" }),
      reached: accepted(4),
    },
    {
      name: "delete",
      kubectl: ["delete webshop/web configmap/platform"],
      reached: ["wait --for=delete deployment/web", "wait --for=delete pods --all"],
    },
    {
      name: "delete the kind",
      kubectl: ["delete rgd/webshops"],
      reached: ["wait --for=delete crd/webshops.kro.run"],
    },
  ],
};
