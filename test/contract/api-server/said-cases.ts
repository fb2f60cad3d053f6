// What an API server says of a write: warnings, all that is wrong with a name, and in which order it looks.
import { expect, it } from "vitest";
import { metadataOf, type Body, type RawAnswer, type RawClient } from "./raw-request.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const services = "/api/v1/namespaces/default/services";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const merge = { contentType: "application/merge-patch+json" };
const json = { contentType: "application/json-patch+json" };

const configMap = (name: string, data: Body = {}, metadata: Body = {}): Body => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

/** Declares the cases. */
export function declareSaidCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);

  it.each([
    ["pods", "/api/v1", { spec: { containers: [{ name: "c", image: "i" }] } }, "the Pod's hostname"],
    [
      "replicationcontrollers",
      "/api/v1",
      {
        spec: {
          template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      },
      "Pod names and hostnames",
    ],
  ])("warns of names of %s that are no names of hosts", async (plural, root, content, where) => {
    await send("POST", `/api/v1/namespaces/default/serviceaccounts`, { metadata: { name: "default" } });
    const said: unknown[] = [];
    for (const name of ["plain", "with.dot", `long.${"x".repeat(63)}`]) {
      const path = `${root}/namespaces/default/${plural}?dryRun=All`;
      const { headers } = await send("POST", path, { metadata: { name }, ...content });
      said.push(headers["warning"]);
    }
    const warning = (faults: string): string =>
      `299 - "metadata.name: this is used in ${where}, which can result in surprising behavior; a DNS label is recommended: [${faults}]"`;
    expect(said).toEqual([
      undefined,
      warning("must not contain dots"),
      warning("must be no more than 63 characters must not contain dots"),
    ]);
  });

  it.each<[string, Body, string]>([
    [maps, { data: { a: 1 } }, "number into Go struct field ConfigMap.data of type string"],
    [maps, { data: 1 }, "number into Go struct field ConfigMap.data of type map[string]string"],
    [maps, { binaryData: { a: 1 } }, "number into Go struct field ConfigMap.binaryData of type []uint8"],
    [maps, { immutable: "x" }, "string into Go struct field ConfigMap.immutable of type bool"],
    [
      maps,
      { metadata: { name: "x", generation: 1.5 } },
      "number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
    [
      maps,
      { metadata: { name: "x", labels: { a: 1 } } },
      "number into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      maps,
      { metadata: { name: "x", ownerReferences: {} } },
      "object into Go struct field ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference",
    ],
    [services, { spec: 1 }, "number into Go struct field Service.spec of type v1.ServiceSpec"],
    [
      services,
      { spec: { ports: [1] } },
      "number into Go struct field ServiceSpec.spec.ports of type v1.ServicePort",
    ],
    [
      services,
      { spec: { ports: [{ port: "x" }] } },
      "string into Go struct field ServicePort.spec.ports.port of type int32",
    ],
    [
      services,
      { spec: { ports: [{ port: 99_999_999_999 }] } },
      "number 99999999999 into Go struct field ServicePort.spec.ports.port of type int32",
    ],
    [
      deployments,
      {
        spec: {
          template: { spec: { containers: [{ env: [{ valueFrom: { secretKeyRef: { key: 1 } } }] }] } },
        },
      },
      "number into Go struct field SecretKeySelector.spec.template.spec.containers.env.valueFrom.secretKeyRef.key of type string",
    ],
    [
      deployments,
      { spec: { template: { spec: { containers: [{ command: [true] }] } } } },
      "bool into Go struct field Container.spec.template.spec.containers.command of type string",
    ],
  ])("names the struct and the field of a wrong value: %s %j", async (path, content, said) => {
    const { body } = await send("POST", `${path}?dryRun=All`, { metadata: { name: "x" }, ...content });
    expect([body["code"], body["message"]]).toEqual([
      400,
      expect.stringMatching(/ cannot be handled as a \w+: json: cannot unmarshal /),
    ]);
    expect(String(body["message"]).split("cannot unmarshal ")[1]).toBe(said);
  });

  it.each([{}, true, "x"])("says of %j that it is no quantity", async (cpu) => {
    const containers = [{ name: "c", image: "i", resources: { limits: { cpu } } }];
    const { body } = await send("POST", "/api/v1/namespaces/default/pods?dryRun=All", {
      metadata: { name: "x" },
      spec: { containers },
    });
    expect(String(body["message"])).toMatch(/: quantities must match the regular expression '/);
  });

  it("says everything that is wrong with a name, and takes any that a path can hold for a budget", async () => {
    const faultsOf = async (path: string, name: string, content: Body = {}): Promise<unknown> => {
      const { body } = await send("POST", `${path}?dryRun=All`, { metadata: { name }, ...content });
      const { causes = [] } = (body["details"] ?? {}) as { causes?: readonly Body[] };
      return causes.map(({ message }) =>
        String(message)
          .replace(/^Invalid value: "[^"]*": /, "")
          .slice(0, 40),
      );
    };
    const long = "must be no more than 253 characters";
    const form = "a lowercase RFC 1123 subdomain must cons";
    expect(await faultsOf(maps, "x".repeat(254))).toEqual([long]);
    expect(await faultsOf(maps, "X".repeat(254))).toEqual([long, form]);
    expect(await faultsOf("/api/v1/namespaces", "a.b")).toEqual(["must not contain dots"]);
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const spec = { minAvailable: 1 };
    expect(await faultsOf(budgets, "A_b", { spec })).toEqual([]);
    expect(await faultsOf(budgets, "a%b", { spec })).toEqual(["may not contain '%'"]);
    expect(
      (await send("POST", `${budgets}?dryRun=All`, { metadata: { name: "p", finalizers: ["plain"] }, spec }))
        .status,
    ).toBe(201);
  });

  it("looks for the object of a patch before it reads the patch", async () => {
    await send("POST", maps, configMap("patched"));
    const strategic = { contentType: "application/strategic-merge-patch+json" };
    const answers: unknown[] = [];
    for (const type of [json, merge, strategic]) {
      const absent = await send("PATCH", `${maps}/unpatched`, "x", type);
      const present = await send("PATCH", `${maps}/patched`, "x", type);
      answers.push([absent.status, present.body["message"]]);
    }
    const fault = "invalid character 'x' looking for beginning of value";
    expect(answers).toEqual([
      [404, `error decoding patch: ${fault}`],
      [404, `error decoding patch: ${fault}`],
      [404, fault],
    ]);
  });

  it("repeats the version that was sent where a dry run creates, and names where objects are stored", async () => {
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "dry", resourceVersion: "7" },
    };
    const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/dry";
    const { body } = await send("PUT", `${path}?dryRun=All`, lease);
    expect([metadataOf(body)["resourceVersion"], body["spec"]]).toEqual(["7", {}]);
    const endpoints = { apiVersion: "v1", kind: "Endpoints", metadata: { name: "e", uid: "u" } };
    const refused = await send("PUT", "/api/v1/namespaces/default/endpoints/e", endpoints);
    expect(refused.body["message"]).toContain("/registry/services/endpoints/default/e,");
  });

  it("keeps each reference to an owner once, and says so", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" };
    const ownerReferences = [owner, owner, { ...owner, name: "p" }];
    const kept = [owner, { ...owner, name: "p" }];
    const said = (when: string): string =>
      `299 - ".metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"`;
    const owned = configMap("owned", {}, { ownerReferences });
    const answers = [
      await send("POST", maps, owned),
      await send("PUT", `${maps}/owned`, owned),
      await send("PATCH", `${maps}/owned`, { metadata: { ownerReferences } }, merge),
    ];
    expect(answers.map(({ body }) => metadataOf(body)["ownerReferences"])).toEqual([kept, kept, kept]);
    expect(answers.map(({ headers }) => headers["warning"])).toEqual([
      said(""),
      said(""),
      said(" after mutating admission happens"),
    ]);
  });

  it.each<[Body, readonly string[]]>([
    [
      { clusterIP: "None", sessionAffinity: "ClientIP" },
      ["spec.SessionAffinity is ignored for headless services"],
    ],
    [{ clusterIP: "None", externalIPs: ["1.2.3.4"] }, ["spec.externalIPs is ignored for headless services"]],
    [
      { type: "ExternalName", externalName: "a.b", externalIPs: ["1.2.3.4"] },
      ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
    ],
    [{ clusterIP: "None" }, []],
  ])("warns of what a Service has no use for: %j", async (spec, said) => {
    const { status, headers } = await send("POST", `${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { ports: [{ port: 80 }], ...spec },
    });
    const warnings = said.map((each) => `299 - "${each.replaceAll('"', '\\"')}"`);
    expect([status, [headers["warning"] ?? []].flat()]).toEqual([201, warnings]);
  });

  it("gives no address to a Service that is a name, and none that is None to one with ports of nodes", async () => {
    const refused = async (spec: Body): Promise<unknown> => {
      const content = {
        metadata: { name: "s" },
        spec: { ports: [{ port: 80 }], clusterIP: "None", ...spec },
      };
      const { body } = await send("POST", `${services}?dryRun=All`, content);
      return (body["details"] as Body)["causes"];
    };
    const forbidden = "Forbidden: may not be set for ExternalName services";
    expect(await refused({ type: "ExternalName", externalName: "a.b" })).toMatchObject([
      { message: forbidden, field: "spec.clusterIPs" },
    ]);
    expect(await refused({ type: "NodePort" })).toMatchObject([
      {
        message: "Invalid value: \"None\": may not be set to 'None' for NodePort services",
        field: "spec.clusterIPs[0]",
      },
    ]);
    await send("POST", services, {
      metadata: { name: "renamed" },
      spec: { ports: [{ port: 80 }], clusterIP: "None" },
    });
    const named = { spec: { type: "ExternalName", externalName: "a.b" } };
    const { body } = await send("PATCH", `${services}/renamed`, named, merge);
    expect(Object.keys(body["spec"] as Body).toSorted()).toEqual([
      "externalName",
      "ports",
      "sessionAffinity",
      "type",
    ]);
  });

  it("says everything that is wrong with an applied object that is said to be another one", async () => {
    const priorities = "/apis/scheduling.k8s.io/v1/priorityclasses";
    await send("POST", priorities, { metadata: { name: "settled" }, value: 1 });
    const manifest = {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "settled", uid: "u" },
      value: 2,
    };
    const apply = { contentType: "application/apply-patch+yaml" };
    const { body } = await send("PATCH", `${priorities}/settled?fieldManager=a&force=true`, manifest, apply);
    const { causes } = body["details"] as { causes: readonly Body[] };
    expect(new Set(causes.map(({ field }) => field))).toEqual(new Set(["metadata.uid", "value"]));
    const unowned = { ...manifest, metadata: { name: "settled", managedFields: null }, value: 1 };
    const applied = await send("PATCH", `${priorities}/settled?fieldManager=a&force=true`, unowned, apply);
    expect(applied.status).toBe(200);
    await send("DELETE", `${priorities}/settled`);
  });

  it("takes a null in a list for an empty text, and one in place of an amount for none", async () => {
    const policies = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies?dryRun=All";
    const spec = { podSelector: {}, policyTypes: ["Ingress", null] };
    const { body } = await send("POST", policies, { metadata: { name: "n" }, spec });
    expect(body["details"]).toMatchObject({ causes: [{ field: "spec.policyTypes[1]" }] });
    const claims = "/api/v1/namespaces/default/persistentvolumeclaims?dryRun=All";
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: null } } };
    const refused = await send("POST", claims, { metadata: { name: "c" }, spec: claim });
    const { causes } = refused.body["details"] as { causes: readonly Body[] };
    expect(causes.map(({ field }) => field)).toContain("spec.resources[storage]");
  });

  it("gives a Service's ports the same target where they name none", async () => {
    const ports = [{ port: 80, targetPort: "" }];
    const { body } = await send("POST", `${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { clusterIP: "None", ports },
    });
    expect((body["spec"] as Body)["ports"]).toEqual([{ port: 80, protocol: "TCP", targetPort: 80 }]);
    const refused = await send("POST", `${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { clusterIP: "1.2.3", ports: [{ port: 80 }] },
    });
    expect(refused.body["details"]).toMatchObject({ causes: [{ field: "spec.clusterIPs[0]" }] });
  });

  it("asks for no selector of a DaemonSet, and for one that matches", async () => {
    const sets = "/apis/apps/v1/namespaces/default/daemonsets?dryRun=All";
    const template = {
      metadata: { labels: { app: "a" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    const { body } = await send("POST", sets, { metadata: { name: "d" }, spec: { template } });
    const { causes } = body["details"] as { causes: readonly Body[] };
    expect(causes.map(({ field }) => field)).toEqual(["spec.template.metadata.labels"]);
  });

  it("says when a volume has come into its phase", async () => {
    const volumes = "/api/v1/persistentvolumes?dryRun=All";
    const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } };
    const { body } = await send("POST", volumes, { metadata: { name: "phased" }, spec });
    const lastPhaseTransitionTime = expect.any(String) as string;
    expect(body["status"]).toEqual({ phase: "Pending", lastPhaseTransitionTime });
  });

  it("keeps nothing of an affinity that is gone, and calls an address that is none no other address", async () => {
    const path = `${services}/affine`;
    const spec = { clusterIP: "None", sessionAffinity: "ClientIP", ports: [{ port: 80 }] };
    await send("POST", services, { metadata: { name: "affine" }, spec });
    const { body } = await send("PATCH", path, { spec: { sessionAffinity: "None" } }, merge);
    expect(body["spec"]).not.toHaveProperty("sessionAffinityConfig");
    const refused = await send("PATCH", path, { spec: { clusterIP: "1.2.3", clusterIPs: null } }, merge);
    const { causes } = refused.body["details"] as { causes: readonly Body[] };
    const isMoved = ({ message }: Body): boolean => String(message).includes("may not change once set");
    expect([causes.length > 0, causes.some(isMoved)]).toEqual([true, false]);
  });

  it("takes a binding to no node for a fault, and says nothing of a deletion that it does not begin", async () => {
    const binding = { metadata: { name: "unbound" }, target: { kind: "Node", name: "" } };
    const { status, body } = await send("POST", "/api/v1/namespaces/default/pods/unbound/binding", binding);
    expect([status, body["message"]]).toEqual([500, "target.name: Required value"]);
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    expect((await send("DELETE", `${jobs}?fieldSelector=x%3Dy`)).headers["warning"]).toBeUndefined();
  });

  it("calls a type former where there is such an endpoint", async () => {
    const path = "/api/v1/namespaces/default/endpoints/absent";
    const answers = [await send("GET", path), await send("GET", `${path}/status`)];
    expect(answers.map(({ status, headers }) => [status, headers["warning"] === undefined])).toEqual([
      [404, false],
      [404, true],
    ]);
  });

  it("names those whom an apply conflicts with by their endpoints, and what it cannot read before that it came late", async () => {
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const path = `${deployments}/named-owners`;
    const selector = { matchLabels: { app: "a" } };
    const template = {
      metadata: { labels: { app: "a" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    const manifest = (spec: Body, metadata: Body = {}): Body => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "named-owners", ...metadata },
      spec: { selector, template, ...spec },
    });
    const applied = (query: string, object: Body): Promise<RawAnswer> =>
      send("PATCH", `${path}?fieldManager=other${query}`, object, {
        contentType: "application/apply-patch+yaml",
      });
    await send("POST", `${deployments}?fieldManager=creator`, manifest({ replicas: 2 }));
    await send("PATCH", `${path}/scale?fieldManager=creator`, { spec: { replicas: 3 } }, merge);
    expect((await applied("", manifest({ replicas: 4, revisionHistoryLimit: 1 }))).body["message"]).toBe(
      [
        'Apply failed with 2 conflicts: conflicts with "creator" with subresource "scale" using apps/v1:',
        "- .spec.replicas",
        'conflicts with "creator" using apps/v1:',
        "- .spec.revisionHistoryLimit",
      ].join("\n"),
    );
    const late = { resourceVersion: "1" };
    expect((await applied("&force=true", manifest({}, late))).status).toBe(409);
    const unread = manifest({}, { ...late, creationTimestamp: "yesterday" });
    expect((await applied("&force=true", unread)).body).toMatchObject({
      code: 500,
      message: expect.stringContaining("failed to convert new object") as string,
    });
    await send("DELETE", path);
  });

  it.each([
    ["010.1.2.3", "must not have leading 0s", "must not have leading 0s in IP or prefix length"],
    [
      "::ffff:1.2.3.4",
      "must not be an IPv4-mapped IPv6 address",
      "must not have an IPv4-mapped IPv6 address",
    ],
    ["fd00:0::1", 'must be in canonical form ("fd00::1")', "must not have bits set beyond the prefix length"],
    ["10.1.2.3", undefined, "must not have bits set beyond the prefix length"],
    [
      "fe80::1%eth0",
      "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
      "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
    ],
  ])("says of the address %s: %s, and of the range of it: %s", async (address, ofAddress, ofRange) => {
    const slice = {
      metadata: { name: "spelled" },
      addressType: address.includes(":") ? "IPv6" : "IPv4",
      endpoints: [{ addresses: [address] }],
    };
    const cidr = `${address}/8`;
    const policy = {
      metadata: { name: "spelled" },
      spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr } }] }] },
    };
    for (const [path, object, value, fault] of [
      ["/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", slice, address, ofAddress],
      ["/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", policy, cidr, ofRange],
    ] as const) {
      const { status, body } = await send("POST", `${path}?dryRun=All`, object);
      const { causes = [] } = (body["details"] ?? {}) as { readonly causes?: readonly Body[] };
      expect([status, ...causes.map(({ message }) => message)]).toEqual(
        fault === undefined ? [201] : [422, `Invalid value: "${value}": ${fault}`],
      );
    }
  });
}
