// What the cells of tables say of other kinds than pods.
import { expect, it } from "vitest";
import type { Body, RawClient } from "./raw-request.ts";

const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const merge = { contentType: "application/merge-patch+json" };
const space = "namespaces/default";
const events = `/api/v1/${space}/events`;
const podSpec = { containers: [{ name: "c", image: "i" }] };
const longAgo = "2020-01-01T00:00:00Z";
const since = expect.stringMatching(/^\d+y\d*d?$/) as string;
const pod: Body = { kind: "Pod", name: "p", namespace: "default" };
const balanced = [
  { ip: "9.9.9.9" },
  { hostname: "b.example" },
  { ip: "10.0.0.9", hostname: "not.shown" },
  { hostname: "a.example" },
  { ip: "9.9.9.9" },
];
const nodeInfo = {
  architecture: "arm64",
  bootID: "",
  containerRuntimeVersion: "",
  kernelVersion: "5.1",
  kubeProxyVersion: "",
  kubeletVersion: "v1",
  machineID: "",
  operatingSystem: "linux",
  osImage: "",
  systemUUID: "",
};
const selector = {
  matchLabels: { z: "1", b: "2" },
  matchExpressions: [
    { key: "m", operator: "NotIn", values: ["z", "a"] },
    { key: "c", operator: "DoesNotExist" },
    { key: "a", operator: "In", values: ["x"] },
  ],
};
const policyRule = {
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["nothing"],
  operations: ["CREATE"],
};

interface Case {
  readonly title: string;
  readonly path: string;
  readonly content?: Body;
  readonly labels?: Body;
  readonly status?: Body;
  /** Of columns, by their names. */
  readonly cells: Body;
}

const cases: readonly Case[] = [
  {
    title: "a cron job that is suspended",
    path: `/apis/batch/v1/${space}/cronjobs`,
    content: {
      spec: {
        schedule: "* * * * *",
        suspend: true,
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      },
    },
    cells: { Suspend: "True" },
  },
  {
    title: "an event with times, a count and a source",
    path: events,
    content: {
      involvedObject: pod,
      source: { component: "k", host: "h" },
      count: 3,
      firstTimestamp: longAgo,
      lastTimestamp: longAgo,
    },
    cells: { "Last Seen": since, "First Seen": since, Count: 3, Source: "k, h", Object: "pod/p" },
  },
  {
    title: "an event of who reports it",
    path: events,
    content: {
      involvedObject: pod,
      reportingComponent: "r",
      reportingInstance: "i",
      action: "a",
      reason: "r",
      type: "Normal",
      eventTime: "2020-01-01T00:00:00.000000Z",
    },
    cells: { "Last Seen": since, "First Seen": since, Count: 1, Source: "r, i" },
  },
  {
    title: "an event without times and without a name of its object",
    path: events,
    content: { involvedObject: { kind: "Pod", namespace: "default" }, reportingInstance: "i" },
    cells: { "Last Seen": "<unknown>", "First Seen": "<unknown>", Count: 1, Source: ", i", Object: "pod" },
  },
  {
    title: "an event of a series",
    path: events,
    content: { involvedObject: pod, count: 5, firstTimestamp: longAgo, series: { count: 0 } },
    cells: { "Last Seen": "<unknown>", "First Seen": since, Count: 0 },
  },
  {
    title: "a node of several roles",
    path: "/api/v1/nodes",
    labels: {
      "kubernetes.io/role": "boss",
      "node-role.kubernetes.io/z": "",
      "node-role.kubernetes.io/a": "",
    },
    status: { nodeInfo },
    cells: { Roles: "a,boss,z", "Kernel-Version": "5.1 (arm64)" },
  },
  {
    title: "a node of one role, told twice",
    path: "/api/v1/nodes",
    labels: { "kubernetes.io/role": "z", "node-role.kubernetes.io/z": "" },
    status: { nodeInfo: { ...nodeInfo, kernelVersion: "" } },
    cells: { Roles: "z", "Kernel-Version": "<unknown> (arm64)" },
  },
  {
    title: "a service with addresses of its balancer",
    path: `/api/v1/${space}/services`,
    content: { spec: { type: "LoadBalancer", ports: [{ port: 1 }], externalIPs: ["1.2.3.4"] } },
    status: { loadBalancer: { ingress: balanced } },
    cells: { "External-IP": "10.0.0.9,9.9.9.9,a.example,b.example,1.2.3.4" },
  },
  {
    title: "an ingress with addresses of its balancer",
    path: `/apis/networking.k8s.io/v1/${space}/ingresses`,
    content: { spec: { defaultBackend: { service: { name: "s", port: { number: 1 } } } } },
    status: { loadBalancer: { ingress: balanced } },
    cells: { Address: "10.0.0.9,9.9.9.9,a.example,b.example" },
  },
  {
    title: "a network policy with requirements of labels",
    path: `/apis/networking.k8s.io/v1/${space}/networkpolicies`,
    content: { spec: { podSelector: selector } },
    cells: { "Pod-Selector": "a in (x),b=2,!c,m notin (a,z),z=1" },
  },
  {
    title: "a capacity of a storage",
    path: `/apis/storage.k8s.io/v1/${space}/csistoragecapacities`,
    content: { storageClassName: "x", capacity: "1Gi" },
    cells: { "Created At": expect.stringMatching(/^20.*Z$/) },
  },
  {
    title: "a policy that changes what is sent",
    path: "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies",
    content: {
      spec: {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        reinvocationPolicy: "Never",
        matchConstraints: { resourceRules: [policyRule] },
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
      },
    },
    cells: { Mutations: 1, ParamKind: "v1/ConfigMap" },
  },
  {
    title: "a binding of such a policy",
    path: "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings",
    content: {
      spec: { policyName: "unknown", paramRef: { name: "x", parameterNotFoundAction: "Allow" } },
    },
    cells: { PolicyName: "unknown", ParamRef: "*/x" },
  },
  {
    title: "a binding with a selector of its parameters",
    path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    content: {
      spec: {
        policyName: "unknown",
        validationActions: ["Deny"],
        paramRef: { selector, parameterNotFoundAction: "Allow" },
      },
    },
    cells: {
      ParamRef:
        "&LabelSelector{MatchLabels:map[string]string{b: 2,z: 1,},MatchExpressions:[]LabelSelectorRequirement{" +
        "LabelSelectorRequirement{Key:m,Operator:NotIn,Values:[z a],},LabelSelectorRequirement{Key:c,Operator:DoesNotExist,Values:[],}," +
        "LabelSelectorRequirement{Key:a,Operator:In,Values:[x],},},}",
    },
  },
];

/** Declares the cases. */
export function declareTableCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);

  it.each(cases)("shows $title", async ({ path, content, labels, status, cells }) => {
    const name = "shown-in-a-table";
    const created = await send("POST", path, { metadata: { name, labels }, ...content });
    expect(created.body["message"] ?? created.status).toBe(201);
    try {
      if (status !== undefined) await send("PATCH", `${path}/${name}/status`, { status }, merge);
      const { columnDefinitions, rows } = (await send("GET", `${path}/${name}`, undefined, table)).body as {
        readonly columnDefinitions: readonly { readonly name: string }[];
        readonly rows: readonly { readonly cells: readonly unknown[] }[];
      };
      const shown = columnDefinitions.map((column, index) => [column.name, rows[0]?.cells[index]] as const);
      expect(Object.fromEntries(shown)).toMatchObject(cells);
    } finally {
      await send("DELETE", `${path}/${name}`);
    }
  });
}
