// Contour, both halves: the provisioner, which makes for each Gateway a Deployment, a DaemonSet, Services, accounts, roles, certificates
// and a configuration; and Contour itself, which such a Deployment would run, and which says in the status of Gateways, routes, proxies
// and ingresses what has become of them. It looks into the OpenAPI of the cluster for which types there are.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { home, shop } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, writtenOut } from "./installed-manifests.ts";

const version = "v1.33.8";

function obtain(): Obtained {
  const built = buildGoModule("contour", `github.com/projectcontour/contour@${version}`, "./cmd/contour");
  if ("failure" in built) return built;
  const { files, folder } = built;
  const published = ["01-roles", "02-rolebindings"]
    .map((name) => readFileSync(join(folder, `examples/gateway-provisioner/${name}.yaml`), "utf8"))
    .join("\n---\n")
    .replaceAll("namespace: projectcontour", `namespace: ${home}`)
    .replaceAll(/(kind: ServiceAccount\n\s*name:) contour-gateway-provisioner/g, "$1 operator");
  const manifest = join(folder, "installed.yaml");
  writeFileSync(manifest, writtenOut(manifestsIn(published, /^$/)));
  const configuration = join(folder, "configuration.yaml");
  writeFileSync(
    configuration,
    `gateway: { gatewayRef: { name: main, namespace: ${shop} } }
envoy-service-name: envoy-main
envoy-service-namespace: ${shop}
`,
  );
  const command = files[0]!;
  return {
    programs: [
      {
        command,
        args: (kubeconfig) => [
          "gateway-provisioner",
          "--no-incluster",
          `--kubeconfig=${kubeconfig}`,
          "--metrics-addr=0",
          "--enable-leader-election",
        ],
        env: { CONTOUR_PROVISIONER_NAMESPACE: home },
      },
      {
        command,
        args: (kubeconfig) => [
          "serve",
          "--insecure",
          `--kubeconfig=${kubeconfig}`,
          `--config-path=${configuration}`,
          "--ingress-class-name=contour",
        ],
        env: { CONTOUR_NAMESPACE: home },
        // It listens on every address.
        isolated: true,
      },
    ],
    manifests: [
      join(folder, "examples/gateway/00-crds.yaml"),
      join(folder, "examples/contour/01-crds.yaml"),
      manifest,
    ],
    role: "bound",
  };
}

const gateway = (listeners = ""): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: main }
spec:
  gatewayClassName: contour
  infrastructure: { labels: { team: shop } }
  listeners:
    - { name: http, protocol: HTTP, port: 80, allowedRoutes: { namespaces: { from: Same } } }
    ${listeners}
---`;
const gatewayClass = `
apiVersion: projectcontour.io/v1alpha1
kind: ContourDeployment
metadata: { name: ours }
spec:
  contour: { deployment: { replicas: 2 }, podAnnotations: { about: the control plane } }
  envoy: { workloadType: DaemonSet, networkPublishing: { type: LoadBalancerService }, logLevel: warn }
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: { name: contour }
spec:
  controllerName: projectcontour.io/gateway-controller
  parametersRef: { group: projectcontour.io, kind: ContourDeployment, name: ours, namespace: shop }
---`;
const service = (name: string): string => `
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ name: http, port: 80, targetPort: 8080 }] }
---`;
const route = (backend: string, more = ""): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: web }
spec:
  parentRefs: [{ name: main }]
  hostnames: [web.example.com]
  rules:
    - matches: [{ path: { type: PathPrefix, value: / } }]
      backendRefs: [{ name: ${backend}, port: 80${more} }]
---`;
const proxy = (name: string, spec: string): string => `
apiVersion: projectcontour.io/v1
kind: HTTPProxy
metadata: { name: ${name} }
spec: { ingressClassName: contour, ${spec} }
---`;
const ingress = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: old }
spec:
  ingressClassName: contour
  rules:
    - host: old.example.com
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { name: http } } } }] }
`;
const to = (name: string): string => `services: [{ name: ${name}, port: 80 }]`;
const status = (name: string, said: string): string =>
  `wait --for=jsonpath={.status.currentStatus}=${said} httpproxy/${name}`;
const provisioned = [
  "wait --for=create service/envoy-main daemonset/envoy-main deployment/contour-main",
  "rollout status deployment/contour-main",
  "rollout status daemonset/envoy-main",
  "wait --for=condition=Accepted gateway/main",
];
const lookAgain = (times: number): string => `annotate gateway/main looked-at=${times} --overwrite`;

/** Contour: what a Gateway takes, and what is said of what is routed through it. */
export const contour: ForeignOperator = {
  name: "contour",
  version,
  obtain,
  clusterWide: /^gatewayclasses\./,
  random: [
    [/^Secret\/(?:contour|envoy)cert-main$/, /^data\./],
    // It writes it each time it looks.
    [/^Deployment\/contour-main$/, /^(?:metadata\.generation|status\.observedGeneration)$/],
    // In the order of a map.
    [/^Gateway\/main$/, /^status\.listeners\.[01]\b/],
  ],
  steps: [
    {
      name: "a gateway",
      apply: gatewayClass + gateway(),
      reached: ["wait --for=condition=Accepted gatewayclass/contour", ...provisioned],
    },
    {
      name: "what its definitions refuse",
      refused: gateway("- { name: http, protocol: UDP, port: 80, hostname: web.example.com }"),
      reached: [],
    },
    {
      name: "the balancer has an address",
      kubectl: [
        'patch service/envoy-main --subresource=status --type=merge --patch={"status":{"loadBalancer":{"ingress":[{"hostname":"lb.example.com"}]}}}',
      ],
      reached: [
        "wait --for=condition=Programmed gateway/main",
        "wait --for=jsonpath={.status.addresses[0].value}=lb.example.com gateway/main",
      ],
    },
    {
      name: "a route",
      apply: service("web") + route("web"),
      reached: [
        "wait --for=jsonpath={.status.listeners[0].attachedRoutes}=1 gateway/main",
        "wait --for=jsonpath={.status.parents[0].conditions[?(@.type=='ResolvedRefs')].status}=True httproute/web",
      ],
    },
    {
      name: "a route to nowhere",
      apply: route("nobody", ", weight: 3"),
      reached: [
        "wait --for=jsonpath={.status.parents[0].conditions[?(@.type=='ResolvedRefs')].status}=False httproute/web",
      ],
    },
    {
      name: "proxies",
      apply:
        proxy(
          "root",
          "virtualhost: { fqdn: root.example.com }, includes: [{ name: part, conditions: [{ prefix: /part }] }], routes: [{ " +
            `conditions: [{ prefix: / }], ${to("web")} }]`,
        ) +
        proxy("part", `routes: [{ ${to("web")} }]`) +
        proxy("orphan", `routes: [{ ${to("web")} }]`) +
        proxy("wrong", `virtualhost: { fqdn: wrong.example.com }, routes: [{ ${to("nobody")} }]`),
      reached: [
        status("root", "valid"),
        status("part", "valid"),
        status("orphan", "orphaned"),
        status("wrong", "invalid"),
      ],
    },
    {
      name: "an ingress",
      apply: ingress,
      reached: ["wait --for=jsonpath={.status.loadBalancer.ingress[0].hostname}=lb.example.com ingress/old"],
    },
    {
      name: "another listener",
      apply: gateway("- { name: more, protocol: HTTP, port: 8000, hostname: '*.example.com' }"),
      reached: [
        "wait --for=jsonpath={.spec.ports[1].port}=8000 service/envoy-main",
        "wait --for=jsonpath={.status.listeners[1].name} gateway/main",
        "wait --for=jsonpath={.status.conditions[0].observedGeneration}=2 gateway/main",
        ...provisioned,
      ],
    },
    {
      name: "drift",
      kubectl: [
        "delete daemonset/envoy-main service/contour-main",
        "scale deployment/contour-main --replicas=1",
        lookAgain(1),
      ],
      reached: [
        "wait --for=create daemonset/envoy-main service/contour-main",
        "wait --for=create service/contour-main",
        "wait --for=jsonpath={.spec.replicas}=2 deployment/contour-main",
        ...provisioned,
      ],
    },
    {
      name: "delete",
      kubectl: ["delete httproute/web ingress/old", "delete httpproxies --all", "delete gateway/main"],
      reached: [
        "wait --for=delete deployment/contour-main daemonset/envoy-main",
        "wait --for=delete secret/contourcert-main secret/envoycert-main",
        "wait --for=delete pods --all",
      ],
    },
  ],
};
