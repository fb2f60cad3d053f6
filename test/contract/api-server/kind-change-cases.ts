// What becomes of changes of Kubernetes' own kinds: the families of Services, suspended Jobs, pods that are bound or keep what their class
// gave them, selectors that are replaced whole, and what a server fills in by itself.
import { beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawAnswer, type RawClient } from "./raw-request.ts";

const space = "/api/v1/namespaces/default";
const merge = { contentType: "application/merge-patch+json" };
const strategic = { contentType: "application/strategic-merge-patch+json" };
const selector = { matchLabels: { app: "a" } };
const ports = [{ port: 80 }];
const container = { name: "c", image: "i" };

/** Declares the cases. */
export function declareKindChangeCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const causesOf = ({ body }: RawAnswer): readonly unknown[] => {
    const { causes = [] } = (body["details"] ?? {}) as { readonly causes?: readonly Body[] };
    return causes.map(({ field, message }) => `${String(field)}: ${String(message)}`);
  };

  beforeAll(async () => {
    // No controller makes it.
    await send("POST", `${space}/serviceaccounts`, { metadata: { name: "default" } });
  });

  it.each<[string, Body, readonly unknown[]]>([
    ["prefers both", { ports, ipFamilyPolicy: "PreferDualStack" }, ["PreferDualStack", ["IPv4"]]],
    ["is open", { ports, clusterIP: "None" }, ["RequireDualStack", ["IPv4", "IPv6"]]],
    [
      "is open, of one",
      { ports, clusterIP: "None", ipFamilyPolicy: "SingleStack" },
      ["SingleStack", ["IPv4"]],
    ],
    [
      "is open, of the other one first",
      { ports, clusterIP: "None", ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] },
      ["PreferDualStack", ["IPv6", "IPv4"]],
    ],
    [
      "has no address, but a selector",
      { ports, clusterIP: "None", selector: { app: "a" } },
      ["SingleStack", ["IPv4"]],
    ],
  ])("settles the families of a Service that %s", async (_, spec, expected) => {
    const { body } = await send("POST", `${space}/services?dryRun=All`, {
      metadata: { name: "of-families" },
      spec,
    });
    const { ipFamilyPolicy, ipFamilies } = body["spec"] as Body;
    expect([ipFamilyPolicy, ipFamilies]).toEqual(expected);
  });

  it("refuses Services of families that the cluster does not have", async () => {
    const spec = { ports, ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv4", "IPv6"] };
    const refused = await send("POST", `${space}/services`, { metadata: { name: "of-both" }, spec });
    expect(causesOf(refused)).toEqual([
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      'spec.ipFamilies[1]: Invalid value: "IPv6": not configured on this cluster',
    ]);
  });

  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const pods = { spec: { containers: [container], restartPolicy: "Never" } };

  it("lets the resources of a suspended Job change once none of its pods is left, also as it goes on", async () => {
    const path = `${jobs}/paused`;
    const suspended = { suspend: true, template: pods };
    await send("POST", jobs, { metadata: { name: "paused" }, spec: suspended });
    const tell = (active: number): Promise<RawAnswer> => {
      const conditions = [{ type: "Suspended", status: "True" }];
      return send("PATCH", `${path}/status`, { status: { active, conditions } }, merge);
    };
    const change = (): Promise<RawAnswer> => {
      const containers = [{ ...container, resources: { requests: { cpu: "1" } } }];
      return send("PATCH", path, { spec: { suspend: false, template: { spec: { containers } } } }, merge);
    };
    await tell(1);
    const early = await change();
    expect((early.body["details"] as { causes: readonly Body[] }).causes.map(({ field }) => field)).toEqual([
      "spec.template",
    ]);
    await tell(0);
    expect((await change()).status).toBe(200);
    await send("DELETE", `${path}?propagationPolicy=Background`);
  });

  it("keeps the time at which a Job that goes on has begun", async () => {
    await send("POST", jobs, { metadata: { name: "begun" }, spec: { template: pods } });
    const tell = (startTime: string | null): Promise<RawAnswer> =>
      send("PATCH", `${jobs}/begun/status`, { status: { startTime } }, merge);
    await tell("2001-02-03T04:05:06Z");
    expect(causesOf(await tell(null))).toEqual([
      "status.startTime: Invalid value: null: field is immutable for unsuspended job once set",
    ]);
    await send("DELETE", `${jobs}/begun?propagationPolicy=Background`);
  });

  it("takes no Job whose pods are labelled with the uid of another one", async () => {
    const spec = { template: { ...pods, metadata: { labels: { "controller-uid": "x" } } } };
    const refused = await send("POST", jobs, { metadata: { name: "of-another" }, spec });
    const { causes } = refused.body["details"] as { causes: readonly Body[] };
    expect(causes.map(({ field }) => field)).toEqual(["spec.template.metadata.labels[controller-uid]"]);
  });

  it("misses the labels of a Job's pods where whoever has applied them drops them", async () => {
    const apply = { contentType: "application/apply-patch+yaml" };
    const applied = (spec: Body): Promise<RawAnswer> =>
      send(
        "PATCH",
        `${jobs}/dropped?fieldManager=m`,
        { apiVersion: "batch/v1", kind: "Job", metadata: { name: "dropped" }, spec },
        apply,
      );
    await applied({ template: pods });
    const { causes } = (await applied({ backoffLimit: 1 })).body["details"] as { causes: readonly Body[] };
    const label = (name: string): string => `spec.template.metadata.labels[${name}]`;
    // The real server looks at the spec twice.
    expect([...new Set(causes.map(({ field }) => String(field)))].toSorted()).toEqual([
      "spec.template",
      "spec.template.metadata.labels",
      label("batch.kubernetes.io/controller-uid"),
      label("batch.kubernetes.io/job-name"),
      label("controller-uid"),
      label("job-name"),
      "spec.template.spec.containers",
      "spec.template.spec.restartPolicy",
    ]);
    const untold = await send("PATCH", `${jobs}/dropped/status`, { status: null }, merge);
    expect(untold.body["status"]).toEqual({});
    await send("DELETE", `${jobs}/dropped?propagationPolicy=Background`);
  });

  it.each([
    ["gated", { schedulingGates: [{ name: "example.com/g" }] }, "has non-empty .spec.schedulingGates"],
    ["leaving", {}, "is being deleted, cannot be assigned to a host"],
  ])("binds no pod that is %s", async (name, more, said) => {
    const spec = { containers: [container], ...more };
    const metadata = { name, finalizers: ["example.com/held"] };
    await send("POST", `${space}/pods`, { metadata, spec });
    if (name === "leaving") await send("DELETE", `${space}/pods/leaving`);
    const target = { kind: "Node", name: "n" };
    const { body } = await send("POST", `${space}/pods/${name}/binding`, { metadata: { name }, target });
    expect(body["message"]).toBe(
      `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} ${said}`,
    );
    await send("PATCH", `${space}/pods/${name}`, { metadata: { finalizers: null } }, merge);
    await send("DELETE", `${space}/pods/${name}?gracePeriodSeconds=0`);
  });

  it("keeps the priority of a pod that is replaced without it", async () => {
    const metadata = { name: "ranked" };
    const { body } = await send("POST", `${space}/pods`, { metadata, spec: { containers: [container] } });
    const { priority, preemptionPolicy, ...rest } = body["spec"] as Body;
    expect([priority, preemptionPolicy]).toEqual([0, "PreemptLowerPriority"]);
    const replaced = await send("PUT", `${space}/pods/ranked`, { ...body, spec: rest });
    expect([replaced.status, replaced.body["spec"]]).toMatchObject([200, { priority, preemptionPolicy }]);
    await send("DELETE", `${space}/pods/ranked?gracePeriodSeconds=0`);
  });

  it("replaces the selector of a budget whole by a strategic merge patch", async () => {
    const path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    await send("POST", path, { metadata: { name: "replaced" }, spec: { minAvailable: 1, selector } });
    const selectors: unknown[] = [];
    for (const given of [{ matchLabels: { tier: "b" } }, {}]) {
      const { body } = await send("PATCH", `${path}/replaced`, { spec: { selector: given } }, strategic);
      selectors.push((body["spec"] as Body)["selector"]);
    }
    expect(selectors).toEqual([{ matchLabels: { tier: "b" } }, {}]);
    await send("DELETE", `${path}/replaced`);
  });

  it("names a limit range that has no name", async () => {
    const { body } = await send("POST", `${space}/limitranges?dryRun=All`, {
      metadata: {},
      spec: { limits: [] },
    });
    expect(metadataOf(body)["name"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("calls a ReplicaSet a deployment where its selector is empty", async () => {
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };
    const spec = { selector: {}, template };
    const refused = await send("POST", "/apis/apps/v1/namespaces/default/replicasets", {
      metadata: { name: "of-all" },
      spec,
    });
    expect(causesOf(refused)).toContain(
      "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
    );
  });

  it.each([
    [undefined, ["data: Required value: data is mandatory"]],
    ["x", ["data: Required value: data must be a valid JSON object"]],
  ])("takes no new revision of the state %j, and no other state later", async (data, expected) => {
    const path = "/apis/apps/v1/namespaces/default/controllerrevisions";
    const metadata = { name: "of-state" };
    expect(causesOf(await send("POST", path, { metadata, revision: 1, data }))).toEqual(expected);
    await send("POST", path, { metadata, revision: 1, data: { a: 1 } });
    const changed = await send("PATCH", `${path}/of-state`, { data: data ?? null }, merge);
    expect(changed.status).toBe(422);
    expect(causesOf(changed)).toHaveLength(1);
    const { lines } = await client().watch(
      `${path}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
      ({ type }) => type === "BOOKMARK",
    );
    expect(lines.at(-1)?.object["data"]).toBeNull();
    await send("DELETE", `${path}/of-state`);
  });

  it("shows a strategy that is none as Go has it", async () => {
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };
    const updateStrategy = { type: "X", rollingUpdate: { maxUnavailable: "10%" } };
    const refused = await send("POST", "/apis/apps/v1/namespaces/default/daemonsets", {
      metadata: { name: "of-x" },
      spec: { selector, template, updateStrategy },
    });
    expect(causesOf(refused)).toEqual([
      'spec.updateStrategy: Unsupported value: {"Type":"X","RollingUpdate":{"MaxUnavailable":"10%","MaxSurge":0}}: supported values: "RollingUpdate", "OnDelete"',
    ]);
  });

  it("counts the templates of a daemon set in bookmarks, too", async () => {
    const { lines } = await client().watch(
      "/apis/apps/v1/namespaces/default/daemonsets?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan",
      ({ type }) => type === "BOOKMARK",
    );
    expect(metadataOf(lines.at(-1)?.object ?? {})["annotations"]).toEqual({
      "deprecated.daemonset.template.generation": "0",
      "k8s.io/initial-events-end": "true",
    });
  });

  it("counts the templates of a daemon set in its own form alone", async () => {
    const path = "/apis/apps/v1/namespaces/default/daemonsets";
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };
    const spec = { selector, template };
    await send("POST", path, { metadata: { name: "counted", annotations: { a: "b" } }, spec });
    const as = (form: string): Parameters<RawClient["send"]>[3] => ({
      accept: `application/json;as=${form};v=v1;g=meta.k8s.io`,
    });
    const one = await send("GET", `${path}/counted`, undefined, as("PartialObjectMetadata"));
    const list = await send("GET", path, undefined, as("PartialObjectMetadataList"));
    const table = await send("GET", `${path}/counted`, undefined, as("Table"));
    const [listed] = list.body["items"] as readonly Body[];
    const [row] = table.body["rows"] as readonly { readonly object: Body }[];
    expect([one.body, listed, row?.object].map((each) => metadataOf(each ?? {})["annotations"])).toEqual(
      Array.from({ length: 3 }, () => ({ a: "b" })),
    );
    await send("DELETE", `${path}/counted`);
  });

  it("names the version of what it does not know as it was sent", async () => {
    const { body } = await send("POST", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", {
      apiVersion: "other/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "other" },
    });
    expect(body["message"]).toContain('HorizontalPodAutoscaler in version "v1" cannot be handled');
  });

  it("says how much less than nothing the capacity of a volume is", async () => {
    const spec = { accessModes: ["ReadWriteOnce"], hostPath: { path: "/p" }, capacity: { storage: "-2" } };
    const refused = await send("POST", "/api/v1/persistentvolumes", { metadata: { name: "negative" }, spec });
    expect(causesOf(refused)).toEqual([
      "spec.capacity[storage]: Invalid value: -2: must be a valid resource quantity",
      'spec.capacity[storage]: Invalid value: "-2": must be greater than zero',
    ]);
  });

  it("looks at the addresses of an endpoint slice where they change, and counts an empty list as none", async () => {
    const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    const slice = (more: Body): Body => ({ metadata: { name: "looked-at" }, addressType: "IPv4", ...more });
    const endpoints = [{ addresses: ["10.1.2.3"] }];
    await send("POST", slices, slice({ endpoints, ports: [] }));
    const put = (more: Body): Promise<RawAnswer> => send("PUT", `${slices}/looked-at`, slice(more));
    const immutable = 'addressType: Invalid value: "IPv6": field is immutable';
    expect(causesOf(await put({ endpoints, addressType: "IPv6" }))).toEqual([immutable]);
    const others = [...endpoints, { addresses: ["10.1.2.4"] }];
    expect(causesOf(await put({ endpoints: others, addressType: "IPv6", ports: [{ name: "A_" }] }))).toEqual([
      expect.stringContaining('ports[0].name: Invalid value: "A_"'),
      'endpoints[0].addresses: Invalid value: "10.1.2.3": must be an IPv6 address',
      'endpoints[1].addresses: Invalid value: "10.1.2.4": must be an IPv6 address',
      immutable,
    ]);
    const generations: unknown[] = [];
    for (const changed of [{ endpoints }, { endpoints, ports: [] }, { endpoints: [] }, { endpoints: null }])
      generations.push(metadataOf((await put(changed)).body)["generation"]);
    expect(generations).toEqual([1, 1, 2, 2]);
    await send("DELETE", `${slices}/looked-at`);
  });

  it("lets claims grow that have a volume, of a class that lets them", async () => {
    const classes = "/apis/storage.k8s.io/v1/storageclasses";
    const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    const former = { "volume.beta.kubernetes.io/storage-class": "growing" };
    await send("POST", classes, {
      metadata: { name: "growing" },
      provisioner: "a",
      allowVolumeExpansion: true,
    });
    await send("POST", classes, { metadata: { name: "fixed" }, provisioner: "a" });
    const grown = async (name: string, spec: Body, metadata: Body = {}, isBound = true): Promise<unknown> => {
      const own = `${claims}/${name}`;
      const asked = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
      await send("POST", claims, {
        metadata: { name, ...metadata },
        spec: { ...asked, volumeName: name, ...spec },
      });
      await send("PATCH", `${own}/status`, { status: { phase: isBound ? "Bound" : "Lost" } }, merge);
      const resources = { requests: { storage: "2Gi" } };
      const { status, body } = await send("PATCH", `${own}?dryRun=All`, { spec: { resources } }, merge);
      await send("PATCH", own, { metadata: { finalizers: null } }, merge);
      await send("DELETE", own);
      return status === 200 ? status : body["message"];
    };
    const forbidden = (name: string): string =>
      `persistentvolumeclaims "${name}" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize`;
    // The real server looks at classes as it has last seen them.
    await eventually(async () => expect(await grown("growing", { storageClassName: "growing" })).toBe(200));
    expect(await grown("formerly", {}, { annotations: former })).toBe(200);
    expect(await grown("fixed", { storageClassName: "fixed" })).toBe(forbidden("fixed"));
    expect(await grown("classless", { storageClassName: "" })).toBe(forbidden("classless"));
    expect(await grown("absent", { storageClassName: "absent" })).toBe(forbidden("absent"));
    expect(await grown("lost", { storageClassName: "growing" }, {}, false)).toContain("spec: Forbidden");
    for (const name of ["growing", "fixed"]) await send("DELETE", `${classes}/${name}`);
  });
}
