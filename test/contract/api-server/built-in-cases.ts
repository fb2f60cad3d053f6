// What every API server answers to wrong objects of its own types: the status, and every cause with its field and reason.
import { beforeAll, expect, it } from "vitest";
import type { Body, RawClient } from "./raw-request.ts";

const container = (content: Body = {}): Body => ({ name: "c", image: "i", ...content });
const podSpec = (content: Body = {}): Body => ({ containers: [container()], ...content });
const labels = { a: "b" };
const template = (spec: Body = podSpec()): Body => ({ metadata: { labels }, spec });
const workload = (content: Body = {}): Body => ({
  selector: { matchLabels: labels },
  template: template(),
  ...content,
});
const jobPods = template(podSpec({ restartPolicy: "Never" }));
const cronJob = (content: Body): Body => ({
  schedule: "0 0 * * *",
  jobTemplate: { spec: { template: jobPods } },
  ...content,
});
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

const roots = {
  pods: ["/api/v1", "v1", "Pod"],
  services: ["/api/v1", "v1", "Service"],
  configmaps: ["/api/v1", "v1", "ConfigMap"],
  secrets: ["/api/v1", "v1", "Secret"],
  endpoints: ["/api/v1", "v1", "Endpoints"],
  persistentvolumeclaims: ["/api/v1", "v1", "PersistentVolumeClaim"],
  deployments: ["/apis/apps/v1", "apps/v1", "Deployment"],
  statefulsets: ["/apis/apps/v1", "apps/v1", "StatefulSet"],
  daemonsets: ["/apis/apps/v1", "apps/v1", "DaemonSet"],
  jobs: ["/apis/batch/v1", "batch/v1", "Job"],
  cronjobs: ["/apis/batch/v1", "batch/v1", "CronJob"],
  ingresses: ["/apis/networking.k8s.io/v1", "networking.k8s.io/v1", "Ingress"],
  networkpolicies: ["/apis/networking.k8s.io/v1", "networking.k8s.io/v1", "NetworkPolicy"],
  poddisruptionbudgets: ["/apis/policy/v1", "policy/v1", "PodDisruptionBudget"],
  roles: ["/apis/rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1", "Role"],
  rolebindings: ["/apis/rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1", "RoleBinding"],
  endpointslices: ["/apis/discovery.k8s.io/v1", "discovery.k8s.io/v1", "EndpointSlice"],
} as const;
type Plural = keyof typeof roots;

/** The causes of an answer, as `Reason field`. */
type Causes = readonly string[];

const wrongContainers: readonly (readonly [string, Body, Causes])[] = [
  [
    "a request above its limit",
    { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } },
    ["Invalid .resources.requests"],
  ],
  [
    "a negative request",
    { resources: { requests: { memory: "-1" } } },
    ["Invalid .resources.requests[memory]"],
  ],
  ["an unknown pull policy", { imagePullPolicy: "Sometimes" }, ["NotSupported .imagePullPolicy"]],
  ["a variable without a name", { env: [{ name: "", value: "x" }] }, ["Required .env[0].name"]],
  [
    "a field that pods do not have",
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.foo" } } }] },
    ["Invalid .env[0].valueFrom.fieldRef.fieldPath"],
  ],
  [
    "two ports of one name",
    {
      ports: [
        { containerPort: 1, name: "a" },
        { containerPort: 2, name: "a" },
      ],
    },
    ["Duplicate .ports[1].name"],
  ],
  [
    "an unknown protocol",
    { ports: [{ containerPort: 1, protocol: "X" }] },
    ["NotSupported .ports[0].protocol"],
  ],
  [
    "a host port out of range",
    { ports: [{ containerPort: 1, hostPort: 70_000 }] },
    ["Invalid .ports[0].hostPort"],
  ],
  [
    "a probe with two handlers",
    { livenessProbe: { httpGet: { port: 1 }, tcpSocket: { port: 1 } } },
    ["Forbidden .livenessProbe.tcpSocket"],
  ],
  ["a probe without a handler", { readinessProbe: { periodSeconds: 1 } }, ["Required .readinessProbe"]],
  [
    "a probe that waits less than nothing",
    { startupProbe: { httpGet: { port: 1, path: "/" }, initialDelaySeconds: -1 } },
    ["Invalid .startupProbe.initialDelaySeconds"],
  ],
  ["a hook without a handler", { lifecycle: { preStop: {} } }, ["Required .lifecycle.preStop"]],
  ["an image with spaces around it", { image: " i " }, ["Invalid .image"]],
  [
    "a mount outside its volume",
    { volumeMounts: [{ name: "v", mountPath: "/v", subPath: "../x" }] },
    ["Invalid .volumeMounts.subPath"],
  ],
  [
    "privileges that may not escalate",
    { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
    ["Invalid .securityContext"],
  ],
];

const wrong: readonly (readonly [string, Plural, Body, Causes])[] = [
  ...wrongContainers.map(
    ([name, content, causes]) =>
      [
        `a container with ${name}`,
        "pods",
        { spec: podSpec({ containers: [container(content)], volumes: [{ name: "v", emptyDir: {} }] }) },
        causes.map((cause) => cause.replace(" .", " spec.containers[0].")),
      ] as const,
  ),
  ["a pod without containers", "pods", { spec: podSpec({ containers: [] }) }, ["Required spec.containers"]],
  [
    "a volume of two kinds",
    "pods",
    { spec: podSpec({ volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/" } }] }) },
    ["Forbidden spec.volumes[0].hostPath"],
  ],
  [
    "a host's port that differs",
    "pods",
    {
      spec: podSpec({
        hostNetwork: true,
        containers: [container({ ports: [{ containerPort: 80, hostPort: 81 }] })],
      }),
    },
    ["Invalid spec.containers[0].ports[0].hostPort"],
  ],
  ["a pod without DNS", "pods", { spec: podSpec({ dnsPolicy: "None" }) }, ["Required spec.dnsConfig"]],
  ["an unknown DNS policy", "pods", { spec: podSpec({ dnsPolicy: "X" }) }, ["NotSupported spec.dnsPolicy"]],
  [
    "a toleration of any value that has one",
    "pods",
    { spec: podSpec({ tolerations: [{ key: "a", operator: "Exists", value: "b" }] }) },
    ["Invalid spec.tolerations[0].operator"],
  ],
  [
    "a spread of nothing",
    "pods",
    {
      spec: podSpec({
        topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "z", whenUnsatisfiable: "X" }],
      }),
    },
    [
      "Invalid spec.topologySpreadConstraints[0].maxSkew",
      "NotSupported spec.topologySpreadConstraints[0].whenUnsatisfiable",
    ],
  ],
  [
    "a node label that is none",
    "pods",
    { spec: podSpec({ nodeSelector: { "a b": "c" } }) },
    ["Invalid spec.nodeSelector"],
  ],
  [
    "no time at all",
    "pods",
    { spec: podSpec({ activeDeadlineSeconds: 0 }) },
    ["Invalid spec.activeDeadlineSeconds"],
  ],
  [
    "ephemeral containers from the start",
    "pods",
    { spec: podSpec({ ephemeralContainers: [container({ name: "e" })] }) },
    ["Forbidden spec.ephemeralContainers"],
  ],
  [
    "a Deployment without a selector",
    "deployments",
    { spec: { template: template() } },
    ["Required spec.selector", "Invalid spec.template.metadata.labels"],
  ],
  [
    "a rollout that cannot move",
    "deployments",
    { spec: workload({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }) },
    ["Invalid spec.strategy.rollingUpdate.maxUnavailable"],
  ],
  [
    "a rollout of another strategy",
    "deployments",
    { spec: workload({ strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }) },
    ["Forbidden spec.strategy.rollingUpdate"],
  ],
  [
    "an unknown strategy",
    "deployments",
    { spec: workload({ strategy: { type: "X" } }) },
    ["NotSupported spec.strategy"],
  ],
  [
    "more unavailable than there are",
    "deployments",
    { spec: workload({ strategy: { rollingUpdate: { maxUnavailable: "101%" } } }) },
    ["Invalid spec.strategy.rollingUpdate.maxUnavailable"],
  ],
  [
    "a deadline before the pods are ready",
    "deployments",
    { spec: workload({ minReadySeconds: 10, progressDeadlineSeconds: 5 }) },
    ["Invalid spec.progressDeadlineSeconds"],
  ],
  [
    "less than no revisions",
    "deployments",
    { spec: workload({ revisionHistoryLimit: -1 }) },
    ["Invalid spec.revisionHistoryLimit"],
  ],
  [
    "a template with a wrong pod",
    "daemonsets",
    {
      spec: workload({ template: template(podSpec({ containers: [container({ imagePullPolicy: "X" })] })) }),
    },
    ["NotSupported spec.template.spec.containers[0].imagePullPolicy"],
  ],
  [
    "an unknown order of pods",
    "statefulsets",
    { spec: workload({ podManagementPolicy: "X" }) },
    ["Invalid spec.podManagementPolicy"],
  ],
  [
    "less than no pods at once",
    "jobs",
    { spec: { parallelism: -1, template: jobPods } },
    ["Invalid spec.parallelism"],
  ],
  [
    "a Job that goes before it ends",
    "jobs",
    { spec: { ttlSecondsAfterFinished: -1, template: jobPods } },
    ["Invalid spec.ttlSecondsAfterFinished"],
  ],
  ["an unknown time zone", "cronjobs", { spec: cronJob({ timeZone: "Nope/X" }) }, ["Invalid spec.timeZone"]],
  [
    "an unknown concurrency",
    "cronjobs",
    { spec: cronJob({ concurrencyPolicy: "X" }) },
    ["NotSupported spec.concurrencyPolicy"],
  ],
  ...[
    "nope",
    "* * * *",
    "60 * * * *",
    "* * 0 * *",
    "*/0 * * * *",
    "5-1 * * * *",
    "a * * * *",
    "* * * * 8",
    "@nope",
    "CRON_TZ=UTC 0 0 * * *",
  ].map(
    (schedule) =>
      [
        `the schedule ${schedule}`,
        "cronjobs",
        { spec: cronJob({ schedule }) },
        ["Invalid spec.schedule"],
      ] as const,
  ),
  [
    "an unknown type of Service",
    "services",
    { spec: { type: "X", ports: [{ port: 1 }] } },
    ["NotSupported spec.type"],
  ],
  [
    "ports without names that are the same",
    "services",
    { spec: { ports: [{ port: 80 }, { port: 80 }] } },
    ["Required spec.ports[0].name", "Required spec.ports[1].name", "Duplicate spec.ports[1]"],
  ],
  [
    "an unknown protocol of a Service",
    "services",
    { spec: { ports: [{ port: 1, protocol: "X" }] } },
    ["NotSupported spec.ports[0].protocol"],
  ],
  [
    "port 0",
    "services",
    { spec: { ports: [{ port: 0 }] } },
    ["Invalid spec.ports[0].port", "Invalid spec.ports[0].targetPort"],
  ],
  [
    "a node's port without one",
    "services",
    { spec: { ports: [{ port: 1, nodePort: 30_000 }] } },
    ["Forbidden spec.ports[0].nodePort"],
  ],
  [
    "an external name without one",
    "services",
    { spec: { type: "ExternalName" } },
    ["Required spec.externalName"],
  ],
  [
    "an unknown affinity",
    "services",
    { spec: { sessionAffinity: "X", ports: [{ port: 1 }] } },
    ["NotSupported spec.sessionAffinity"],
  ],
  [
    "a policy for traffic that cannot come",
    "services",
    { spec: { externalTrafficPolicy: "Local", ports: [{ port: 1 }] } },
    ["Invalid spec.externalTrafficPolicy"],
  ],
  ["a key with a space", "configmaps", { data: { "a b": "1" } }, ["Invalid data[a b]"]],
  [
    "a key that is there twice",
    "configmaps",
    { data: { a: "1" }, binaryData: { a: "MQ==" } },
    ["Invalid data[a]"],
  ],
  ["a key that leads out", "secrets", { data: { "..": "MQ==" } }, ["Invalid data[..]"]],
  [
    "TLS without its key",
    "secrets",
    { type: "kubernetes.io/tls", data: { "tls.crt": "MQ==" } },
    ["Required data[tls.key]"],
  ],
  [
    "SSH without its key",
    "secrets",
    { type: "kubernetes.io/ssh-auth", data: {} },
    ["Required data[ssh-privatekey]"],
  ],
  [
    "a token of no account",
    "secrets",
    { type: "kubernetes.io/service-account-token" },
    ["Required metadata.annotations[kubernetes.io/service-account.name]"],
  ],
  [
    "a login without anything",
    "secrets",
    { type: "kubernetes.io/basic-auth", data: {} },
    ["Required data[username]", "Required data[password]"],
  ],
  [
    "a claim without a mode",
    "persistentvolumeclaims",
    { spec: { ...claim, accessModes: [] } },
    ["Required spec.accessModes"],
  ],
  [
    "a claim of an unknown mode",
    "persistentvolumeclaims",
    { spec: { ...claim, accessModes: ["X"] } },
    ["NotSupported spec.accessModes"],
  ],
  [
    "a claim without a size",
    "persistentvolumeclaims",
    { spec: { accessModes: ["ReadWriteOnce"] } },
    ["Required spec.resources[storage]"],
  ],
  ["an Ingress without rules", "ingresses", { spec: {} }, ["Invalid spec"]],
  [
    "a path of no type",
    "ingresses",
    {
      spec: {
        rules: [
          { http: { paths: [{ path: "/", backend: { service: { name: "s", port: { number: 1 } } } }] } },
        ],
      },
    },
    ["Required spec.rules[0].http.paths[0].pathType"],
  ],
  [
    "a host that is none",
    "ingresses",
    { spec: { rules: [{ host: "A_b" }] } },
    ["Invalid spec.rules[0].host"],
  ],
  [
    "a range that is none",
    "networkpolicies",
    { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "x" } }] }] } },
    ["Invalid spec.ingress[0].from[0].ipBlock.cidr"],
  ],
  [
    "a share that is none",
    "poddisruptionbudgets",
    { spec: { selector: {}, minAvailable: "x%" } },
    ["Invalid spec.minAvailable"],
  ],
  [
    "a share above all",
    "poddisruptionbudgets",
    { spec: { selector: {}, minAvailable: "101%" } },
    ["Invalid spec.minAvailable"],
  ],
  [
    "a budget of both kinds",
    "poddisruptionbudgets",
    { spec: { selector: {}, minAvailable: 1, maxUnavailable: 1 } },
    ["Invalid spec"],
  ],
  [
    "a rule without verbs",
    "roles",
    { rules: [{ apiGroups: [""], resources: ["pods"], verbs: [] }] },
    ["Required rules[0].verbs"],
  ],
  [
    "a subject of an unknown kind",
    "rolebindings",
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
      subjects: [{ kind: "Foo", name: "x" }],
    },
    ["NotSupported subjects[0].kind"],
  ],
  [
    "a binding to an unknown kind",
    "rolebindings",
    { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "X", name: "r" } },
    ["NotSupported roleRef.kind"],
  ],
  [
    "endpoints at no address",
    "endpoints",
    { subsets: [{ addresses: [{ ip: "x" }], ports: [{ port: 1 }] }] },
    ["Invalid subsets[0].addresses[0].ip", "Invalid subsets[0].addresses[0].ip"],
  ],
  [
    "a slice of unknown addresses",
    "endpointslices",
    { addressType: "X", endpoints: [] },
    ["NotSupported addressType"],
  ],
];

const unreadable: readonly (readonly [string, Plural, Body])[] = [
  [
    "an amount that is none",
    "pods",
    { spec: podSpec({ containers: [container({ resources: { limits: { cpu: "much" } } })] }) },
  ],
  ["bytes that are not base64", "secrets", { data: { a: "?" } }],
  ["half of its base64", "secrets", { data: { a: "MQ" } }],
];

const fine: readonly (readonly [string, Plural, Body])[] = [
  ["a volume of no kind", "pods", { spec: podSpec({ volumes: [{ name: "v" }] }) }],
  [
    "a Service whose name starts with a digit",
    "services",
    { metadata: { name: "1abc" }, spec: { ports: [{ port: 1 }] } },
  ],
  ["an indexed Job", "jobs", { spec: { completionMode: "Indexed", completions: 2, template: jobPods } }],
  ["a login with one half", "secrets", { type: "kubernetes.io/basic-auth", data: { username: "MQ==" } }],
  ...["@hourly", "*/5 1-3,7 * jan mon-fri", "0 0 1 1 ?", "@every 1h30m"].map(
    (schedule) => [`the schedule ${schedule}`, "cronjobs", { spec: cronJob({ schedule }) }] as const,
  ),
  [
    "surge above all",
    "deployments",
    { spec: workload({ strategy: { rollingUpdate: { maxSurge: "200%" } } }) },
  ],
];

/** What is made, how it is then changed, and the causes for which that is refused. */
const changes: readonly (readonly [string, Plural, Body, Body, Causes])[] = [
  [
    "a role of a binding",
    "rolebindings",
    { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" } },
    { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "y" } },
    ["Invalid roleRef"],
  ],
  [
    "the size of a claim that is not bound",
    "persistentvolumeclaims",
    { spec: claim },
    { spec: { ...claim, resources: { requests: { storage: "2Gi" } } } },
    ["Forbidden spec"],
  ],
  [
    "the number of containers",
    "pods",
    { spec: podSpec({ automountServiceAccountToken: false }) },
    { spec: podSpec({ containers: [container(), container({ name: "d" })] }) },
    ["Forbidden spec.containers"],
  ],
];

/** Declares the cases. */
export function declareBuiltInCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const collectionOf = (plural: Plural): string => `${roots[plural][0]}/namespaces/default/${plural}`;
  const objectOf = (plural: Plural, content: Body, name = "wrong"): Body => {
    const [, apiVersion, kind] = roots[plural];
    return { apiVersion, kind, metadata: { name }, ...content };
  };
  const causesOf = (answer: Body): Causes => {
    const { causes = [] } = (answer["details"] ?? {}) as {
      causes?: readonly { reason: string; field: string }[];
    };
    return causes.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`);
  };

  beforeAll(async () => {
    // Who gives every namespace an account does not run everywhere, and pods need one.
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    expect([201, 409]).toContain(
      (await send("POST", "/api/v1/namespaces/default/serviceaccounts", account)).status,
    );
  });

  it.each(wrong)("refuses %s of %s", async (_name, plural, content, causes) => {
    const { status, body } = await send(
      "POST",
      `${collectionOf(plural)}?dryRun=All`,
      objectOf(plural, content),
    );
    expect([status, causesOf(body)]).toEqual([422, causes]);
  });

  it.each(unreadable)("cannot read %s of %s", async (_name, plural, content) => {
    const { body } = await send("POST", `${collectionOf(plural)}?dryRun=All`, objectOf(plural, content));
    expect(body).toMatchObject({ code: 400, reason: "BadRequest" });
  });

  it.each(fine)("takes %s of %s", async (_name, plural, content) => {
    const { status } = await send("POST", `${collectionOf(plural)}?dryRun=All`, objectOf(plural, content));
    expect(status).toBe(201);
  });

  it.each(changes)("refuses to change %s of %s", async (_name, plural, made, changed, causes) => {
    const object = `${collectionOf(plural)}/changed`;
    expect((await send("POST", collectionOf(plural), objectOf(plural, made, "changed"))).status).toBe(201);
    const { body: current } = await send("GET", object);
    const merge = { contentType: "application/merge-patch+json" };
    const { status, body } = await send("PATCH", object, changed, merge);
    expect([status, causesOf(body)]).toEqual([422, causes]);
    expect(current["metadata"]).toBeDefined();
    await send("DELETE", `${object}?gracePeriodSeconds=0`);
  });
}
