// Kinds that the API server only keeps: how each is completed, what is refused and why, and what is there from the beginning.
// kinds.jsonl holds a request a line, and how the object is stored, or why it is refused.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const spaced = "namespaces/default/";

const roots: Readonly<Record<string, string>> = {
  horizontalpodautoscalers: `/apis/autoscaling/v2/${spaced}horizontalpodautoscalers`,
  "v1/horizontalpodautoscalers": `/apis/autoscaling/v1/${spaced}horizontalpodautoscalers`,
  resourcequotas: `/api/v1/${spaced}resourcequotas`,
  limitranges: `/api/v1/${spaced}limitranges`,
  replicationcontrollers: `/api/v1/${spaced}replicationcontrollers`,
  storageclasses: "/apis/storage.k8s.io/v1/storageclasses",
  priorityclasses: "/apis/scheduling.k8s.io/v1/priorityclasses",
  ingressclasses: "/apis/networking.k8s.io/v1/ingressclasses",
  validatingadmissionpolicies: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  validatingadmissionpolicybindings:
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
  apiservices: "/apis/apiregistration.k8s.io/v1/apiservices",
  certificatesigningrequests: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
};
const pathOf = (kind: string): string => roots[kind] ?? "";

interface Case {
  readonly kind: string;
  readonly name?: string;
  readonly content: Body;
  readonly stored?: Body;
  readonly message?: string;
}
const cases = readFileSync(new URL("kinds.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

/** A request for a certificate, made with openssl. */
export const exampleRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIR01HOENBUUF3RFRFTE1Ba0dBMVVFQXd3Q2JXVXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQwpBQVNTak9GMkRwZ1N1NVdxdHNnT0p6dEJ4d3ZyTnRLdTRtdUdJd3ZGSDl6MGNLbng1K001WjZHRlpoeC9qZmxXCnhZMlhGbVZlajZ1WUdObUVUNVVHWnRjZ29BQXdDZ1lJS29aSXpqMEVBd0lEUndBd1JBSWdTMzErMXRGTTMwek4KTEp0L0drQSsxWkVyby8xYXJkcnRFdVBuV3pxNlJPSUNJRzh2Z0RZa2FaWUMxSFlvbFF0YUlvODZxTkd6SFNONgp4UjBOOE52VHVJL3gKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";
const merge = { contentType: "application/merge-patch+json" };
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

/** Declares the cases. */
export function declareKindCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...each) => client().send(...each);

  it.each(cases.filter(({ message }) => message !== undefined))(
    "refuses $kind with $content",
    async ({ kind, name = "one", content, message = "" }) => {
      const { status, body } = await send("POST", `${pathOf(kind)}?dryRun=All`, {
        metadata: { name },
        ...content,
      });
      expect([status, String(body["message"]).replace(/^.*? is invalid: /, "")]).toEqual([422, message]);
    },
  );

  it.each(cases.filter(({ stored }) => stored !== undefined))(
    "completes $kind with $content",
    async ({ kind, name = "one", content, stored }) => {
      const { status, body } = await send("POST", `${pathOf(kind)}?dryRun=All`, {
        metadata: { name },
        ...content,
      });
      const { kind: _kind, apiVersion: _version, metadata: _metadata, ...rest } = body;
      expect([status, rest]).toEqual([201, stored]);
    },
  );

  it.each([
    ["0.5", "500m"],
    ["1.5Gi", "1536Mi"],
    ["1024Mi", "1Gi"],
    ["100Mi", "100Mi"],
    ["1.500", "1.500"],
    ["1000", "1k"],
    ["1e3", "1e3"],
    ["1E3", "1E3"],
    ["0.1Ki", "102400m"],
    ["+1", "+1"],
    [2, "2"],
  ])("writes the amount %s as %s", async (given, kept) => {
    const { body } = await send("POST", `${pathOf("limitranges")}?dryRun=All`, {
      metadata: { name: "amounts" },
      spec: { limits: [{ type: "Pod", max: { memory: given } }] },
    });
    expect(body["spec"]).toEqual({ limits: [{ type: "Pod", max: { memory: kept } }] });
  });

  it("decides on a certificate request by an endpoint of its own", async () => {
    const path = `${pathOf("certificatesigningrequests")}/asked`;
    const approved = { type: "Approved", status: "True", reason: "R" };
    const { body } = await send("POST", pathOf("certificatesigningrequests"), {
      metadata: { name: "asked" },
      spec: {
        request: exampleRequest,
        signerName: "a.b/c",
        usages: ["client auth"],
        expirationSeconds: 7_200,
        username: "somebody",
      },
      status: { conditions: [approved] },
    });
    expect([body["spec"], body["status"]]).toMatchObject([{ username: "admin" }, {}]);
    expect(body["status"]).toEqual({});
    const answers: unknown[] = [];
    for (const [endpoint, status] of [
      ["", { conditions: [approved] }],
      ["/status", { conditions: [approved] }],
      ["/approval", { conditions: [{ ...approved, status: "False" }] }],
      ["/approval", { certificate: "eA==", conditions: [approved] }],
      ["/approval", { conditions: [approved, { type: "Denied", status: "True" }] }],
      ["/approval", { conditions: null }],
    ] as const) {
      const { body: answer } = await send("PATCH", path + endpoint, { status }, merge);
      answers.push(answer["message"] ?? (answer["status"] as Body)["conditions"]);
    }
    const invalid = (fault: string): string =>
      `CertificateSigningRequest.certificates.k8s.io "asked" is invalid: status.conditions${fault}`;
    expect(answers).toEqual([
      undefined,
      invalid(': Forbidden: updates may not add a condition of type "Approved"'),
      invalid('[0].status: Unsupported value: "False": supported values: "True"'),
      [expect.objectContaining({ ...approved, lastUpdateTime: expect.any(String) as string })],
      invalid(': Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'),
      invalid(': Forbidden: updates may not remove a condition of type "Approved"'),
    ]);
    const { rows } = (await send("GET", path, undefined, table)).body as { rows: { cells: unknown[] }[] };
    const [, , ...cells] = rows[0]?.cells ?? [];
    expect(cells).toEqual(["a.b/c", "admin", "120m", "Approved"]);
  });

  it("serves an autoscaler in both versions", async () => {
    const [path, former] = [pathOf("horizontalpodautoscalers"), pathOf("v1/horizontalpodautoscalers")];
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const memory = {
      type: "Resource",
      resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
    };
    const cpu = (averageUtilization: number): Body => ({
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
    });
    const spec = { scaleTargetRef, maxReplicas: 5, metrics: [memory, cpu(60)] };
    expect((await send("POST", path, { metadata: { name: "both" }, spec })).status).toBe(201);
    const { body } = await send("GET", `${former}/both`);
    expect(body["spec"]).toEqual({
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 60,
    });
    const change = { spec: { targetCPUUtilizationPercentage: 70 } };
    await send("PATCH", `${former}/both`, change, merge);
    const { body: changed } = await send("GET", `${path}/both`);
    expect(changed["spec"]).toMatchObject({ metrics: [memory, cpu(70)] });
    const { rows } = (await send("GET", `${path}/both`, undefined, table)).body as {
      rows: { cells: unknown[] }[];
    };
    const targets = "memory: <unknown>/1Gi, cpu: <unknown>/70%";
    expect(rows[0]?.cells.slice(0, -1)).toEqual(["both", "Deployment/web", targets, "1", 5, 0]);
  });

  it("gives pods the priority of their class", async () => {
    const priorities = pathOf("priorityclasses");
    // No controller makes it.
    await send("POST", `/api/v1/${spaced}serviceaccounts`, { metadata: { name: "default" } });
    await send("POST", priorities, { metadata: { name: "seven" }, value: 7, preemptionPolicy: "Never" });
    const pod = (content: Body) =>
      send("POST", `/api/v1/${spaced}pods?dryRun=All`, {
        metadata: { name: "p" },
        spec: {
          automountServiceAccountToken: false,
          serviceAccountName: "default",
          containers: [{ name: "c", image: "i" }],
          ...content,
        },
      });
    // A real server has to notice the class first.
    await eventually(async () =>
      expect((await pod({ priorityClassName: "seven" })).body["spec"]).toMatchObject({
        priority: 7,
        preemptionPolicy: "Never",
      }),
    );
    expect((await pod({ priorityClassName: "none" })).body["message"]).toBe(
      'pods "p" is forbidden: no PriorityClass with name none was found',
    );
    expect((await pod({ priority: 3 })).body["message"]).toBe(
      'pods "p" is forbidden: the integer value of priority (3) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
    expect((await send("PATCH", `${priorities}/seven`, { value: 8 }, merge)).body["message"]).toBe(
      'PriorityClass.scheduling.k8s.io "seven" is invalid: value: Forbidden: may not be changed in an update.',
    );
    expect((await send("DELETE", `${priorities}/system-node-critical`)).body["message"]).toBe(
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    );
  });

  describe("in a namespace with ranges of limits", () => {
    const space = "/api/v1/namespaces/limited";
    const container = (name: string, resources: Body = {}): Body => ({ name, image: "i", resources });
    const pod = (containers: readonly Body[], spec: Body = {}) =>
      send("POST", `${space}/pods?dryRun=All`, {
        metadata: { name: "p" },
        spec: { automountServiceAccountToken: false, serviceAccountName: "default", containers, ...spec },
      });
    const claim = (storage: string) =>
      send("POST", `${space}/persistentvolumeclaims?dryRun=All`, {
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
      });

    beforeAll(async () => {
      await send("POST", "/api/v1/namespaces", { metadata: { name: "limited" } });
      // No controller makes it.
      await send("POST", `${space}/serviceaccounts`, { metadata: { name: "default" } });
      const limits = [
        {
          type: "Container",
          default: { cpu: "200m", memory: "1Gi" },
          defaultRequest: { cpu: "100m" },
          min: { cpu: "50m" },
          max: { cpu: "1" },
          maxLimitRequestRatio: { cpu: "4" },
        },
        { type: "Pod", max: { memory: "2Gi" } },
        { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
      ];
      await send("POST", `${space}/limitranges`, { metadata: { name: "ranges" }, spec: { limits } });
      // A real server has to notice first.
      await eventually(async () => expect((await claim("3Gi")).status).toBe(403));
    });

    it("gives pods what the ranges say by default, and says so", async () => {
      const { body } = await pod([container("a"), container("b", { limits: { cpu: "300m" } })], {
        initContainers: [container("i", { requests: { memory: "1Mi" } })],
      });
      const { containers } = body["spec"] as { containers: readonly Body[] };
      expect(containers.map(({ resources }) => resources)).toEqual([
        { limits: { cpu: "200m", memory: "1Gi" }, requests: { cpu: "100m", memory: "1Gi" } },
        { limits: { cpu: "300m", memory: "1Gi" }, requests: { cpu: "300m", memory: "1Gi" } },
      ]);
      expect(metadataOf(body)["annotations"]).toEqual({
        "kubernetes.io/limit-ranger":
          "LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a; memory request for container b; memory limit for container b; cpu request for init container i; cpu, memory limit for init container i",
      });
    });

    it.each<[string, () => ReturnType<typeof send>, string]>([
      [
        "a limit that is too high",
        () => pod([container("a", { requests: { cpu: "1" }, limits: { cpu: "2" } })]),
        "maximum cpu usage per Container is 1, but limit is 2",
      ],
      [
        "a request that is too low",
        () => pod([container("a", { requests: { cpu: "10m" }, limits: { cpu: "40m" } })]),
        "minimum cpu usage per Container is 50m, but request is 10m",
      ],
      [
        "a limit too far above its request",
        () => pod([container("a", { requests: { cpu: "100m" }, limits: { cpu: "1" } })]),
        "cpu max limit to request ratio per Container is 4, but provided ratio is 10.000000",
      ],
      [
        "containers that are too much together",
        () => pod([container("a"), container("b"), container("c")]),
        "maximum memory usage per Pod is 2Gi, but limit is 3Gi",
      ],
    ])("refuses %s", async (_, ask, fault) => {
      const { status, body } = await ask();
      expect([status, body["message"]]).toEqual([403, `pods "p" is forbidden: ${fault}`]);
    });

    it("holds claims to the ranges", async () => {
      expect((await claim("1Gi")).status).toBe(201);
      expect((await claim("3Gi")).body["message"]).toBe(
        'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
      );
      expect((await claim("1Mi")).body["message"]).toBe(
        'persistentvolumeclaims "c" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
      );
    });
  });

  it("gives claims and ingresses the class that is the default one", async () => {
    const storage = pathOf("storageclasses");
    const ingress = pathOf("ingressclasses");
    const byDefault = (name: string): Body => ({
      name: "usual",
      annotations: { [`${name}.kubernetes.io/is-default-class`]: "true" },
    });
    await send("POST", storage, { metadata: byDefault("storageclass"), provisioner: "a" });
    await send("POST", ingress, { metadata: byDefault("ingressclass"), spec: { controller: "a.b/c" } });
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const asked = [
      [`/api/v1/${spaced}persistentvolumeclaims`, claim, "storageClassName"],
      [`/api/v1/${spaced}persistentvolumeclaims`, { ...claim, storageClassName: "" }, "storageClassName"],
      [
        `/apis/networking.k8s.io/v1/${spaced}ingresses`,
        { defaultBackend: { service: { name: "s", port: { number: 1 } } } },
        "ingressClassName",
      ],
    ] as const;
    const given: unknown[] = [];
    for (const [path, spec, field] of asked) {
      const { body } = await send("POST", `${path}?dryRun=All`, { metadata: { name: "x" }, spec });
      given.push((body["spec"] as Body)[field]);
    }
    expect(given).toEqual(["usual", "", "usual"]);
    const { body } = await send("DELETE", `${storage}/usual`);
    expect(body).toMatchObject({ kind: "StorageClass", provisioner: "a" });
    await send("DELETE", `${ingress}/usual`);
  });

  it("answers the deletion of some kinds with what is gone", async () => {
    for (const [plural, kind] of [
      ["services", "Service"],
      ["serviceaccounts", "ServiceAccount"],
      ["resourcequotas", "ResourceQuota"],
      ["podtemplates", "PodTemplate"],
      ["configmaps", "Status"],
    ] as const) {
      const contents: Readonly<Record<string, Body>> = {
        services: { spec: { type: "ExternalName", externalName: "a.b" } },
        podtemplates: { template: { spec: { containers: [{ name: "c", image: "i" }] } } },
      };
      await send("POST", `/api/v1/${spaced}${plural}`, { metadata: { name: "gone" }, ...contents[plural] });
      for (const query of ["?dryRun=All", ""]) {
        const { body } = await send("DELETE", `/api/v1/${spaced}${plural}/gone${query}`);
        expect([body["kind"], metadataOf(body)["deletionTimestamp"]]).toEqual([kind, undefined]);
      }
    }
  });

  it("has what every cluster has", async () => {
    const read = async (path: string): Promise<Body> => (await send("GET", path)).body;
    expect(await read(`/api/v1/${spaced}services/kubernetes`)).toMatchObject({
      metadata: { labels: { component: "apiserver", provider: "kubernetes" } },
      spec: { type: "ClusterIP", ports: [{ name: "https", port: 443, protocol: "TCP" }] },
    });
    expect(await read(`${pathOf("priorityclasses")}/system-cluster-critical`)).toMatchObject({
      value: 2_000_000_000,
      preemptionPolicy: "PreemptLowerPriority",
    });
    expect(await read(`${pathOf("apiservices")}/v1.apps`)).toMatchObject({
      metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
      spec: { group: "apps", version: "v1", groupPriorityMinimum: 17_800, versionPriority: 15 },
      status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
    });
    const { rules } = await read("/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin");
    expect(rules).toEqual([
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ]);
  });
}
