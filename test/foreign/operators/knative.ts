// Knative Serving: the controller, its webhook, whose rules and certificates it writes by itself, and the half of the autoscaler that makes
// autoscalers of Kubernetes. Services become configurations, routes, revisions, Deployments, and Services whose Endpoints it writes by
// itself. What directs requests to them would be another project's: here it says that it has done so.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import { buildGoModule, sourceOf } from "../go-program.ts";
import { eventually } from "../../support/eventually.ts";
import { home, shop } from "../../support/side-by-side.ts";
import type { ForeignOperator, ForeignProgram, Obtained } from "./foreign-operator.ts";
import { calledThrough, manifestsIn, writtenOut } from "./installed-manifests.ts";

const version = "v0.42.2";
/** Where the webhook listens in a network of its own. */
const port = 8_443;

function obtain(): Obtained {
  const programs = ["controller", "webhook", "autoscaler-hpa"];
  const built = buildGoModule(
    "knative",
    `knative.dev/serving@${version}`,
    ...programs.map((name) => `./cmd/${name}`),
  );
  if ("failure" in built) return built;
  const { files, folder } = built;
  // Links into these two modules, which a module does not keep.
  const needed = readFileSync(join(folder, "go.mod"), "utf8");
  const folders = [folder];
  for (const module of ["networking", "caching"]) {
    const [, wanted = ""] = new RegExp(`knative\\.dev/${module} (\\S+)`).exec(needed) ?? [];
    const source = sourceOf(`knative.dev/${module}@${wanted}`);
    if ("failure" in source) return source;
    folders.push(source.folder);
  }
  const [serving = "", ...others] = folders;
  const published = [
    ...globSync(join(serving, "config/core/{300-resources,200-roles,configmaps,webhooks}/*.yaml")),
    join(serving, "config/core/200-serviceaccount.yaml"),
    ...others.flatMap((each) => globSync(join(each, "config/*.yaml"))),
  ]
    .toSorted()
    .map((file) => readFileSync(file, "utf8"))
    .join("\n---\n")
    .replaceAll("namespace: knative-serving", `namespace: ${home}`)
    .replaceAll(/(kind: ServiceAccount\n\s*name:) controller/g, "$1 operator")
    // The tools of its project put images in their place.
    .replaceAll("ko://knative.dev/serving/cmd/queue", "dev.local/queue");
  const manifest = join(folder, "installed.yaml");
  const objects = manifestsIn(published, /^(?:ServiceAccount)$/);
  writeFileSync(manifest, writtenOut([activator, ...calledThrough("webhook", port, objects)]));
  const env = { SYSTEM_NAMESPACE: home, METRICS_DOMAIN: "knative.dev/serving", POD_NAME: "knative" };
  // They listen on every address.
  const isolated = { args: () => [], isolated: true };
  const running: readonly ForeignProgram[] = [
    { ...isolated, command: files[0]!, env },
    { ...isolated, command: files[1]!, env: { ...env, WEBHOOK_NAME: "webhook" }, called: port },
    { ...isolated, command: files[2]!, env },
  ];
  return { programs: running, manifests: [manifest], role: "bound" };
}

/** To which requests would go while nothing runs. */
const activator = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "activator-service", namespace: home },
  spec: { selector: { app: "activator" }, ports: [{ name: "http", port: 80, targetPort: 8012 }] },
};

const hello = (image: string, more = "", scale = "1"): string => `
apiVersion: serving.knative.dev/v1
kind: Service
metadata: { name: hello, labels: { team: shop } }
spec:
  template:
    metadata:
      annotations:
        autoscaling.knative.dev/class: hpa.autoscaling.knative.dev
        autoscaling.knative.dev/metric: cpu
        autoscaling.knative.dev/min-scale: "${scale}"
        autoscaling.knative.dev/max-scale: "3"
    spec:
      containers: [{ image: "dev.local/hello:${image}", env: [{ name: WHO, value: world }], ports: [{ containerPort: 8080 }] }]
  ${more}
---`;
const domain = `
apiVersion: networking.internal.knative.dev/v1alpha1
kind: ClusterDomainClaim
metadata: { name: hello.example.com }
spec: { namespace: shop }
---
apiVersion: serving.knative.dev/v1beta1
kind: DomainMapping
metadata: { name: hello.example.com }
spec: { ref: { kind: Service, name: hello, apiVersion: serving.knative.dev/v1 } }
`;

const ingresses = `/apis/networking.internal.knative.dev/v1alpha1/namespaces/${shop}/ingresses`;
const service = `/apis/serving.knative.dev/v1/namespaces/${shop}/services/hello`;
// Without a time, the webhook would give them one that is null.
const lastTransitionTime = "2026-01-01T00:00:00Z";
const directed = ["LoadBalancerReady", "NetworkConfigured", "Ready"].map((type) => ({
  type,
  status: "True",
  lastTransitionTime,
}));
const balancer = { ingress: [{ domainInternal: `gateway.${home}.svc.cluster.local` }] };

interface Observed {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const isReady = ({ metadata, status }: Observed): boolean =>
  status?.observedGeneration === metadata.generation &&
  status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

/** Says of the ingresses that requests are directed as they ask, until there are these and the service is ready. */
const direct =
  (...names: readonly string[]) =>
  (client: KubeClient): Promise<void> =>
    eventually(async () => {
      const { items } = (await client.request({ method: "GET", path: ingresses })) as {
        items: readonly Observed[];
      };
      for (const { metadata } of items.filter((each) => !isReady(each))) {
        await client.request({
          method: "PATCH",
          path: `${ingresses}/${metadata.name}/status`,
          contentType: "application/merge-patch+json",
          body: {
            status: {
              observedGeneration: metadata.generation,
              conditions: directed,
              publicLoadBalancer: balancer,
              privateLoadBalancer: balancer,
            },
          },
        });
      }
      const hello = (await client.request({ method: "GET", path: service })) as Observed;
      const found = items.map(({ metadata }) => metadata.name).toSorted();
      if (!isReady(hello) || !isDeepStrictEqual(found, names)) {
        throw new Error(`ingresses: ${found.join()}, service: ${JSON.stringify(hello.status)}`);
      }
    }, 120_000);

const ready = (object: string): string => `wait --for=condition=Ready ${object}`;
const settled = (revision: string): readonly string[] => [
  `wait --for=jsonpath={.status.latestReadyRevisionName}=${revision} ksvc/hello`,
  ready("ksvc/hello"),
  ready(`revision/${revision}`),
  `wait --for=jsonpath={.status.availableReplicas}=1 deployment/${revision}-deployment`,
];

/** Knative Serving: what a service takes, and what becomes of its revisions. */
export const knative: ForeignOperator = {
  name: "knative serving",
  version,
  obtain,
  clusterWide: /\.knative\.dev$/,
  controllerFlags: ["--horizontal-pod-autoscaler-sync-period=1s"],
  random: [
    // The administrator's name.
    [/./, /^metadata\.annotations\.serving\.knative\.dev\/(?:creator|lastModifier)$/],
  ],
  steps: [
    {
      name: "a service",
      apply: hello("one"),
      perform: direct("hello"),
      reached: settled("hello-00001"),
    },
    {
      name: "what its webhook refuses",
      refused: hello("one", "", "7"),
      reached: [],
    },
    {
      name: "another revision",
      apply: hello("two"),
      perform: direct("hello"),
      reached: settled("hello-00002"),
    },
    {
      name: "a part of the requests to each",
      apply: hello(
        "two",
        "traffic: [{ revisionName: hello-00001, percent: 40, tag: old }, { latestRevision: true, percent: 60 }]",
      ),
      perform: direct("hello"),
      reached: ["wait --for=create service/old-hello", ...settled("hello-00002")],
    },
    {
      name: "a domain",
      apply: domain,
      perform: direct("hello", "hello.example.com"),
      reached: [ready("domainmapping/hello.example.com")],
    },
    {
      name: "drift",
      kubectl: [
        "delete deployment/hello-00002-deployment",
        "delete service/hello-00002-private hpa/hello-00002 endpoints/hello-00002",
      ],
      reached: [
        "wait --for=create deployment/hello-00002-deployment hpa/hello-00002",
        "wait --for=create service/hello-00002-private",
        "wait --for=create hpa/hello-00002",
        "wait --for=create endpoints/hello-00002",
        ...settled("hello-00002"),
      ],
    },
    {
      name: "delete",
      kubectl: [
        "delete domainmapping/hello.example.com",
        "delete clusterdomainclaim/hello.example.com",
        "delete ksvc/hello",
      ],
      reached: [
        "wait --for=delete revisions --all",
        "wait --for=delete services --all",
        "wait --for=delete pods --all",
      ],
    },
  ],
};
