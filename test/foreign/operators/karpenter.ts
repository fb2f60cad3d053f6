// Karpenter with its provider of made-up nodes: pods for which there is no room get claims for nodes, the nodes are registered, emptied by
// evictions and deleted. Nobody runs pods on them: they are bound to them, and a loop beside it says that the nodes are ready, as kwok does.
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { assets } from "../../support/control-plane.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, renderChart, writtenOut } from "./installed-manifests.ts";

const version = "v1.14.1";

/** Says of each new node that it is ready. */
const kwok = `
ready='{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"ready"}]}}'
names() { "$0" --kubeconfig="$1" get nodes --selector=karpenter.sh/nodepool --output=jsonpath="{range .items[*]}{.metadata.name}=$2{'\\n'}{end}"; }
while true; do
  for node in $(names "$1" '{.status.conditions[?(@.type=="Ready")].status}' | sed -n 's/=$//p'); do
    "$0" --kubeconfig="$1" patch node "$node" --subresource=status --type=strategic --patch="$ready" || true
  done
  # Nobody watches over the real cluster's nodes.
  for node in $(names "$1" '{.spec.taints[*].key}' | sed -n 's/=.*not-ready.*//p'); do
    "$0" --kubeconfig="$1" taint node "$node" node.kubernetes.io/not-ready:NoSchedule- || true
  done
  sleep 0.5
done
`;

/** What kwok may do. */
const roleOfKwok = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "kwok" },
  rules: [{ apiGroups: [""], resources: ["nodes", "nodes/status"], verbs: ["get", "list", "patch"] }],
};

function obtain(): Obtained {
  const built = buildGoModule("karpenter", `sigs.k8s.io/karpenter@${version}`, "./kwok");
  if ("failure" in built) return built;
  const { folder } = built;
  const rendered = renderChart("karpenter", join(folder, "kwok/charts"), {
    "serviceAccount.create": false,
    "serviceAccount.name": "operator",
  });
  if ("failure" in rendered) return rendered;
  const manifest = join(folder, "installed.yaml");
  const objects = manifestsIn(
    rendered.text,
    /^(?:Deployment|Service|ServiceAccount|PodDisruptionBudget|CustomResourceDefinition)$/,
  );
  writeFileSync(manifest, writtenOut([...objects, roleOfKwok]));
  return {
    programs: [
      {
        command: built.files[0]!,
        args: () => [],
        env: {
          SYSTEM_NAMESPACE: home,
          KUBERNETES_MIN_VERSION: "1.19.0-0",
          KARPENTER_SERVICE: "karpenter",
          DISABLE_LEADER_ELECTION: "true",
        },
        // It listens on every address.
        isolated: true,
      },
      {
        command: "sh",
        args: (kubeconfig) => ["-c", kwok, join(assets ?? "", "kubectl"), kubeconfig],
      },
    ],
    manifests: [
      ...globSync(join(folder, "pkg/apis/crds/*.yaml")).toSorted(),
      join(folder, "kwok/apis/crds/karpenter.kwok.sh_kwoknodeclasses.yaml"),
      manifest,
    ],
    role: "kwok",
  };
}

interface Pool {
  readonly team?: string;
  readonly zone?: string;
  readonly cpu?: number;
}

const pool = ({ team = "one", zone = "test-zone-a", cpu = 100 }: Pool = {}): string => `
apiVersion: karpenter.kwok.sh/v1alpha1
kind: KWOKNodeClass
metadata: { name: any }
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
spec:
  limits: { cpu: ${cpu} }
  disruption: { consolidationPolicy: WhenEmpty, consolidateAfter: 0s, budgets: [{ nodes: 100% }] }
  template:
    metadata: { labels: { team: ${team} } }
    spec:
      nodeClassRef: { group: karpenter.kwok.sh, kind: KWOKNodeClass, name: any }
      expireAfter: Never
      requirements:
        - { key: kubernetes.io/arch, operator: In, values: [amd64] }
        - { key: kubernetes.io/os, operator: In, values: [linux] }
        - { key: karpenter.sh/capacity-type, operator: In, values: [on-demand] }
        - { key: topology.kubernetes.io/zone, operator: In, values: [${zone}] }
`;
const workload = (replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 0
      nodeSelector: { karpenter.sh/nodepool: general }
      containers: [{ name: main, image: web, resources: { requests: { cpu: 900m, memory: 100Mi } } }]
`;
const nodes = (count: number): readonly string[] => [
  `wait --for=jsonpath={.status.nodes}=${count} nodepool/general`,
  "wait --for=condition=Ready nodeclaims --all",
  "wait --for=condition=Ready nodes --selector=karpenter.sh/nodepool",
  "wait --for=condition=PodScheduled pods --all",
];

/** Karpenter: what becomes of pods for which there is no room, and of nodes that nobody needs. */
export const karpenter: ForeignOperator = {
  name: "karpenter",
  version,
  obtain,
  clusterWide: /\.karpenter(?:\.kwok)?\.sh$|^nodes\.$/,
  names: /\bkwok-general-(?:\*|[a-z0-9]{5})-[a-z0-9-]+|(?<=\bgeneral-)[a-z0-9]{5}\b/g,
  random: [
    // In whichever order.
    [/^NodeClaim\//, /^spec\.requirements\./],
    // Which part of kwok a node is for.
    [/^Node\/NAME/, /^metadata\.labels\.kwok-partition$/],
    // The node on which all other pods are.
    [/^Node\/(?!NAME)/, /./],
  ],
  steps: [
    { name: "a pool", apply: pool(), reached: ["wait --for=condition=Ready nodepool/general"] },
    {
      name: "what the pool refuses",
      refused: pool({ zone: "not_a-zone_" }).replace("expireAfter: Never", "expireAfter: soon"),
      reached: [],
    },
    { name: "pods without room", apply: workload(3), reached: nodes(1) },
    { name: "more of them", apply: workload(9), reached: nodes(2) },
    {
      name: "other nodes",
      apply: pool({ team: "two" }),
      reached: [
        "wait --for=delete nodes --selector=team=one --timeout=120s",
        "wait --for=delete nodeclaims --selector=team=one --timeout=120s",
        "wait --for=condition=Ready nodes --selector=team=two",
        "wait --for=condition=PodScheduled pods --all",
      ],
    },
    {
      name: "none of them",
      apply: workload(0),
      reached: [
        "wait --for=delete pods --all",
        "wait --for=delete nodeclaims --all",
        "wait --for=delete nodes --selector=karpenter.sh/nodepool",
        "wait --for=jsonpath={.status.nodes}=0 nodepool/general",
      ],
    },
    {
      name: "delete",
      kubectl: ["delete deployment/web nodepool/general kwoknodeclass/any"],
      reached: ["wait --for=delete nodepool/general"],
    },
  ],
};
