// How requests are shared out by default, as Kubernetes 1.36 has it. Here nothing is held back by it, but who reads or changes it finds it.
// https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#defaults
import type { Fields } from "./api-object.ts";

/** How many of its seats a level has, which share of them it lends, and how those wait for which there is none: queues, hand size. */
type Level = readonly [shares: number, lent: number, queues?: number, hand?: number];

const levels: Readonly<Record<string, Level>> = {
  "catch-all": [5, 0],
  "global-default": [20, 50, 128, 6],
  "leader-election": [10, 0, 16, 4],
  "node-high": [40, 25, 64, 6],
  system: [30, 33, 64, 6],
  "workload-high": [40, 50, 128, 6],
  "workload-low": [100, 90, 128, 6],
};

type Rule = { readonly verbs: readonly string[] } & Fields;

/** Which requests are meant. */
interface Requests {
  readonly resourceRules?: readonly Rule[];
  readonly nonResourceRules?: readonly Rule[];
}

const everything: Requests = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const probes: Requests = {
  nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
};
const leasesFor = (...verbs: string[]): Rule => ({
  verbs,
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  namespaces: ["*"],
});
const nodeHealth: Requests = {
  resourceRules: [
    {
      verbs: ["*"],
      apiGroups: [""],
      resources: ["nodes", "nodes/status"],
      clusterScope: true,
      namespaces: ["*"],
    },
    leasesFor("*"),
  ],
};

const group = (name: string): Fields => ({ kind: "Group", group: { name } });
const user = (name: string): Fields => ({ kind: "User", user: { name } });
const systemAccounts: Fields = {
  kind: "ServiceAccount",
  serviceAccount: { namespace: "kube-system", name: "*" },
};
const everybody = [group("system:unauthenticated"), group("system:authenticated")];
const manager = user("system:kube-controller-manager");
const scheduler = user("system:kube-scheduler");

type Schema = readonly [
  level: string,
  precedence: number,
  distinguished: "ByUser" | "ByNamespace" | "",
  subjects: readonly Fields[],
  requests?: Requests,
];

const schemas: Readonly<Record<string, Schema>> = {
  "catch-all": ["catch-all", 10_000, "ByUser", everybody],
  exempt: ["exempt", 1, "", [group("system:masters")]],
  "global-default": ["global-default", 9_900, "ByUser", everybody],
  "kube-controller-manager": ["workload-high", 800, "ByNamespace", [manager]],
  "kube-scheduler": ["workload-high", 800, "ByNamespace", [scheduler]],
  "kube-system-service-accounts": ["workload-high", 900, "ByNamespace", [systemAccounts]],
  probes: ["exempt", 2, "", everybody, probes],
  "service-accounts": ["workload-low", 9_000, "ByUser", [group("system:serviceaccounts")]],
  "system-leader-election": [
    "leader-election",
    100,
    "ByUser",
    [manager, scheduler, systemAccounts],
    { resourceRules: [leasesFor("get", "create", "update")] },
  ],
  "system-node-high": ["node-high", 400, "ByUser", [group("system:nodes")], nodeHealth],
  "system-nodes": ["system", 500, "ByUser", [group("system:nodes")]],
};

/** The specs of the priority levels, by name. */
export function priorityLevelSpecs(): Readonly<Record<string, Fields>> {
  const limited = Object.entries(levels).map(([name, [shares, lendablePercent, queues, handSize]]) => {
    const queuing = { queues, handSize, queueLengthLimit: 50 };
    const limitResponse = queues === undefined ? { type: "Reject" } : { type: "Queue", queuing };
    return [
      name,
      { type: "Limited", limited: { nominalConcurrencyShares: shares, limitResponse, lendablePercent } },
    ] as const;
  });
  return {
    exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
    ...Object.fromEntries(limited),
  };
}

/** The flow schemas by name: spec, and what their status says. */
export function initialFlowSchemas(): Readonly<
  Record<string, { readonly spec: Fields; readonly message: string }>
> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, [level, matchingPrecedence, type, subjects, requests]]) => [
      name,
      {
        spec: {
          priorityLevelConfiguration: { name: level },
          matchingPrecedence,
          ...(type === "" ? {} : { distinguisherMethod: { type } }),
          rules: [{ subjects, ...(requests ?? everything) }],
        },
        message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} and it exists`,
      },
    ]),
  );
}
