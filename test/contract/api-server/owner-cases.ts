// Who owns which fields after writes of the Scale and in several versions, on every API server.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const root = (version: string): string => `/apis/owners.example.com/${version}/namespaces/default/things`;
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const jobs = "/apis/batch/v1/namespaces/default/jobs";
const merge = { contentType: "application/merge-patch+json" };
const apply = { contentType: "application/apply-patch+yaml" };

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        mode: { type: "string", default: "slow" },
        size: { type: "string" },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};
const version = (name: string): Body => ({
  name,
  served: true,
  storage: name === "v1",
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
});
const definition = {
  metadata: { name: "things.owners.example.com" },
  spec: {
    group: "owners.example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [version("v1"), version("v2")],
  },
};

const pods = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = (name: string, replicas: number): Body => ({
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: "a" } }, template: pods },
});

/** Declares the cases. */
export function declareOwnerCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const thing = (apiVersion: string, name: string, spec: Body, more: Body = {}): Body => ({
    apiVersion: `owners.example.com/${apiVersion}`,
    kind: "Thing",
    metadata: { name },
    spec,
    ...more,
  });
  /** Manager, operation, version and endpoint of each entry, with the paths of its fields below the spec and the status. */
  const owners = async (path: string): Promise<readonly string[]> => {
    const { metadata } = (await send("GET", path)).body as {
      metadata: { managedFields?: readonly Record<string, unknown>[] };
    };
    return (metadata.managedFields ?? [])
      .map((entry) => {
        const { "f:spec": spec = {}, "f:status": status = {} } = entry["fieldsV1"] as Record<string, Body>;
        const names = [...Object.keys(spec), ...Object.keys(status)]
          .filter((each) => each !== ".")
          .toSorted();
        const place = entry["subresource"] === undefined ? "" : ` ${entry["subresource"] as string}`;
        return `${entry["manager"] as string} ${entry["operation"] as string} ${entry["apiVersion"] as string}${place}: ${names.join(" ")}`;
      })
      .toSorted();
  };

  beforeAll(async () => {
    await send("POST", definitions, definition);
    await eventually(async () => {
      expect((await send("GET", root("v2"))).status).toBe(200);
    });
  });
  afterAll(async () => {
    await send("DELETE", `${definitions}/${definition.metadata.name}`);
  });

  it("an apply of the replicas alone is one, and conflicts with who has set them", async () => {
    const path = `${deployments}/applied-scale`;
    await send("POST", `${deployments}?fieldManager=creator`, deployment("applied-scale", 2));
    const applied = (force: boolean) =>
      send(
        "PATCH",
        `${path}/scale?fieldManager=scaler&force=${force}`,
        {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "applied-scale" },
          spec: { replicas: 4 },
        },
        apply,
      );
    const refused = await applied(false);
    expect(refused.status).toBe(409);
    expect(refused.body["message"]).toBe(
      'Apply failed with 1 conflict: conflict with "creator" using autoscaling/v1: .spec.replicas',
    );
    expect((await applied(true)).body["spec"]).toEqual({ replicas: 4 });
    expect(await owners(path)).toEqual([
      "creator Update apps/v1: f:progressDeadlineSeconds f:revisionHistoryLimit f:selector f:strategy f:template",
      "scaler Apply apps/v1 scale: f:replicas",
    ]);
  });

  it("nobody owns the replicas that a Scale has set to none", async () => {
    const path = `${deployments}/no-replicas`;
    await send("POST", `${deployments}?fieldManager=creator`, deployment("no-replicas", 2));
    await send("PATCH", `${path}/scale?fieldManager=scaler`, { spec: { replicas: 0 } }, merge);
    expect(await owners(path)).toEqual([
      "creator Update apps/v1: f:progressDeadlineSeconds f:revisionHistoryLimit f:selector f:strategy f:template",
    ]);
  });

  it("a Scale that changes nothing parts the replicas from what their owner has set besides", async () => {
    const path = `${deployments}/same-replicas`;
    await send("POST", `${deployments}?fieldManager=creator`, deployment("same-replicas", 2));
    const version = async () => ((await send("GET", path)).body["metadata"] as Body)["resourceVersion"];
    const before = await version();
    await send("PATCH", `${path}/scale?fieldManager=scaler`, { spec: { replicas: 2 } }, merge);
    const after = await version();
    expect(after).not.toBe(before);
    expect(await owners(path)).toEqual([
      "creator Update apps/v1: f:progressDeadlineSeconds f:revisionHistoryLimit f:selector f:strategy f:template",
      "creator Update apps/v1: f:replicas",
    ]);
  });

  it("what an applier drops in another version stays where it is owned in this one", async () => {
    const path = `${root("v1")}/dropped`;
    const applied = (apiVersion: string, manager: string, spec: Body) =>
      send(
        "PATCH",
        `${root(apiVersion)}/dropped?fieldManager=${manager}`,
        thing(apiVersion, "dropped", spec),
        apply,
      );
    await applied("v2", "one", { size: "s", replicas: 1 });
    await applied("v1", "two", { size: "s" });
    const { body } = await applied("v1", "one", { mode: "slow" });
    expect(body["spec"]).toEqual({ mode: "slow", size: "s" });
    expect(await owners(path)).toEqual([
      "one Apply owners.example.com/v1: f:mode",
      "two Apply owners.example.com/v1: f:size",
    ]);
  });

  it("drops labels that were applied in another version, where others own something in this one", async () => {
    const path = (apiVersion: string) => `${root(apiVersion)}/unlabelled`;
    const applied = (apiVersion: string, spec: Body, labels: Body) =>
      send(
        "PATCH",
        `${path(apiVersion)}?fieldManager=one`,
        thing(apiVersion, "unlabelled", spec, { metadata: { name: "unlabelled", labels } }),
        apply,
      );
    await applied("v1", { size: "s" }, { a: "b" });
    await send("PATCH", `${path("v2")}?fieldManager=two`, { spec: { replicas: 3 } }, merge);
    const { status, body } = await applied("v2", {}, {});
    expect([status, body["spec"]]).toEqual([200, { mode: "slow", replicas: 3 }]);
    expect(metadataOf(body)).not.toHaveProperty("labels");
  });

  it("a status that is sent to the main endpoint takes it from owners in another version, and is not written", async () => {
    const path = `${root("v1")}/sent-status`;
    await send("POST", `${root("v1")}?fieldManager=creator`, thing("v1", "sent-status", { size: "s" }));
    await send("PATCH", `${path}/status?fieldManager=one`, { status: { phase: "Ready" } }, merge);
    const sent = { status: { phase: "Sent" } };
    await send("PATCH", `${path}?fieldManager=two`, sent, merge);
    const before = ["creator Update owners.example.com/v1: f:mode f:size"];
    expect(await owners(path)).toEqual([...before, "one Update owners.example.com/v1 status: f:phase"]);
    await send("PATCH", `${root("v2")}/sent-status?fieldManager=two`, sent, merge);
    expect(await owners(path)).toEqual([...before, "one Update owners.example.com/v1 status: "]);
    expect((await send("GET", path)).body["status"]).toEqual({ phase: "Ready" });
  });

  it("a Job is deleted without its pods where nothing is said of them, with a warning", async () => {
    const job = {
      metadata: { name: "orphaning" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    };
    await send("POST", jobs, job);
    const silent = await send("DELETE", `${jobs}/orphaning?dryRun=All&propagationPolicy=Background`);
    expect(silent.headers["warning"]).toBeUndefined();
    const { body, headers } = await send("DELETE", `${jobs}/orphaning`);
    expect((body["metadata"] as Body)["finalizers"]).toEqual(["orphan"]);
    expect([headers["warning"]].flat().join()).toContain(
      "child pods are preserved by default when jobs are deleted",
    );
    await send("PATCH", `${jobs}/orphaning`, { metadata: { finalizers: null } }, merge);
  });

  const maps = "/api/v1/namespaces/default/configmaps";
  const accounts = "/api/v1/namespaces/default/serviceaccounts";

  it("what is gone is answered at the version of its deletion", async () => {
    const created = await send("POST", accounts, { metadata: { name: "gone" } });
    const { body } = await send("DELETE", `${accounts}/gone`);
    const versionOf = (object: Body) => Number((object["metadata"] as Body)["resourceVersion"]);
    expect(versionOf(body)).toBeGreaterThan(versionOf(created.body));
  });

  it("no object has the version or the uid that is empty", async () => {
    await send("POST", maps, { metadata: { name: "kept" } });
    for (const preconditions of [{ resourceVersion: "" }, { uid: "" }]) {
      expect(
        (await send("DELETE", `${maps}/kept`, { kind: "DeleteOptions", apiVersion: "v1", preconditions }))
          .status,
      ).toBe(409);
    }
  });

  it.each([
    ["coordination.k8s.io/v1", "leases", "Lease", {}, 422],
    ["policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", { spec: { selector: {} } }, 422],
    ["rbac.authorization.k8s.io/v1", "roles", "Role", { rules: [] }, 200],
  ] as const)(
    "replaces what is in %s %s without a version or not",
    async (apiVersion, plural, kind, rest, status) => {
      const collection = `/apis/${apiVersion}/namespaces/default/${plural}`;
      const object = { apiVersion, kind, metadata: { name: "versioned" }, ...rest };
      expect((await send("POST", collection, object)).status).toBe(201);
      expect((await send("PUT", `${collection}/versioned`, object)).status).toBe(status);
    },
  );

  it.each([
    ["apps/v1", "deployments", deployment("with-status", 1), false],
    [
      "apps/v1",
      "statefulsets",
      { ...deployment("with-status", 1), spec: { ...(deployment("", 1)["spec"] as Body), serviceName: "s" } },
      true,
    ],
    [
      "policy/v1",
      "poddisruptionbudgets",
      { metadata: { name: "with-status" }, spec: { selector: {} } },
      true,
    ],
  ] as const)("the status of %s %s takes metadata along", async (apiVersion, plural, object, takesLabels) => {
    const collection = `/apis/${apiVersion}/namespaces/default/${plural}`;
    const { body } = await send("POST", collection, object);
    const metadata = { ...(body["metadata"] as Body), labels: { a: "b" }, finalizers: ["example.com/held"] };
    const written = await send("PUT", `${collection}/with-status/status`, { ...body, metadata });
    const { labels, finalizers } = written.body["metadata"] as Body;
    expect({ labels, finalizers }).toEqual({
      labels: takesLabels ? { a: "b" } : undefined,
      finalizers: ["example.com/held"],
    });
    await send("PATCH", `${collection}/with-status`, { metadata: { finalizers: null } }, merge);
  });

  it("a finalizer without a prefix is refused in an update, too", async () => {
    await send("POST", maps, { metadata: { name: "finalized" } });
    const { status, body } = await send(
      "PATCH",
      `${maps}/finalized`,
      { metadata: { finalizers: ["plain"] } },
      merge,
    );
    expect(status).toBe(422);
    expect(body["message"]).toContain("name is neither a standard finalizer name nor is it fully qualified");
  });

  it("whoever sends another time of deletion owns it, and does not change it", async () => {
    await send("POST", maps, { metadata: { name: "deleting", finalizers: ["example.com/held"] } });
    await send("DELETE", `${maps}/deleting`);
    const { body } = await send("GET", `${maps}/deleting`);
    const metadata = { ...(body["metadata"] as Body), deletionTimestamp: "2001-02-03T04:05:06Z" };
    const sent = await send("PUT", `${maps}/deleting?fieldManager=sender`, { ...body, metadata });
    const after = sent.body["metadata"] as { deletionTimestamp: string; managedFields: readonly Body[] };
    expect(after.deletionTimestamp).toBe((body["metadata"] as Body)["deletionTimestamp"]);
    expect(after.managedFields.find(({ manager }) => manager === "sender")?.["fieldsV1"]).toEqual({
      "f:metadata": { "f:deletionTimestamp": {} },
    });
    await send("PATCH", `${maps}/deleting`, { metadata: { finalizers: null } }, merge);
  });

  it("the first write of a claim stores what reading it has filled in", async () => {
    const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const versions = [await send("POST", claims, { metadata: { name: "filled-in" }, spec })];
    for (let write = 0; write < 2; write += 1) {
      versions.push(await send("PATCH", `${claims}/filled-in`, {}, merge));
    }
    const [first, second, third] = versions.map(({ body }) => (body["metadata"] as Body)["resourceVersion"]);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
  });

  it("says what is wrong with a selector before a version", async () => {
    const { body } = await send("GET", `${maps}?labelSelector=a+b&resourceVersion=x`);
    expect(body["message"]).toContain("unable to parse requirement");
  });

  it.each([
    [
      "v1",
      "Other",
      'Other in version "v1" cannot be handled as a ConfigMap: no kind "Other" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      "other/v1",
      "ConfigMap",
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "other/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      "v1",
      "Secret",
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
  ])("says of %s %s that it is no ConfigMap", async (apiVersion, kind, message) => {
    const { body } = await send("POST", maps, { apiVersion, kind, metadata: { name: "other" } });
    expect(body["message"]).toBe(message);
  });

  it("gives replicas that nobody owned to who applies others by force", async () => {
    const path = `${deployments}/unowned`;
    const metadata = { name: "unowned", managedFields: [{}] };
    await send("POST", deployments, deployment("unowned", 2));
    await send("PUT", path, { ...deployment("unowned", 2), metadata });
    const scale = {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "unowned" },
      spec: { replicas: 3 },
    };
    await send("PATCH", `${path}/scale?fieldManager=scaler&force=true`, scale, apply);
    const { body } = await send("GET", path);
    expect((body["metadata"] as Body)["managedFields"]).toMatchObject([
      { manager: "scaler", operation: "Apply", subresource: "scale" },
    ]);
  });

  it("owns a list that is sent empty where it has to be there", async () => {
    const ranges = "/api/v1/namespaces/default/limitranges?dryRun=All";
    const { body } = await send("POST", ranges, { metadata: { name: "none" }, spec: { limits: [] } });
    expect([body["spec"], (body["metadata"] as Body)["managedFields"]]).toMatchObject([
      { limits: null },
      [{ fieldsV1: { "f:spec": { "f:limits": {} } } }],
    ]);
  });

  it("forgets the owners of a custom resource whose status is written with something of another type", async () => {
    await send("POST", root("v1"), thing("v1", "mistyped", { mode: "fast" }));
    const change = { spec: { size: 1 }, status: { phase: "x" } };
    const { body } = await send("PATCH", `${root("v1")}/mistyped/status`, change, merge);
    expect([body["spec"], body["status"]]).toMatchObject([{ mode: "fast" }, { phase: "x" }]);
    expect(body["metadata"]).not.toHaveProperty("managedFields");
  });

  it("has no Scale of a custom resource that says no replicas, until it is written", async () => {
    await send("POST", root("v1"), thing("v1", "uncounted", {}));
    const path = `${root("v1")}/uncounted/scale`;
    expect((await send("GET", path)).body["message"]).toBe(
      'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    );
    const unchanged = await send("PATCH", path, { metadata: { labels: {} } }, merge);
    expect(unchanged.body["message"]).toBe('the spec replicas field ".spec.replicas" cannot be empty');
    const { body } = await send("PATCH", path, { spec: { replicas: 2 } }, merge);
    expect(body["spec"]).toEqual({ replicas: 2 });
  });

  it("counts a label of an endpoint slice as a change of it", async () => {
    const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    await send("POST", slices, { metadata: { name: "counted" }, addressType: "IPv4", endpoints: [] });
    const { body } = await send("PATCH", `${slices}/counted`, { metadata: { labels: { a: "b" } } }, merge);
    expect([(body["metadata"] as Body)["generation"], body["endpoints"]]).toEqual([2, null]);
  });

  it("counts references to one owner that a patch has made twice before one of them falls out", async () => {
    const reference = (controller: boolean): Body => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "owner",
      uid: "6dcdde8a-0000-4000-8000-000000000001",
      controller,
    });
    await send("POST", maps, { metadata: { name: "owned-twice" }, data: { a: "b" } });
    const ownerReferences = [reference(true), reference(true)];
    const path = `${maps}/owned-twice?fieldManager=patcher`;
    const { body } = await send("PATCH", path, { metadata: { ownerReferences } }, merge);
    const { ownerReferences: left, managedFields } = metadataOf(body) as Record<string, readonly Body[]>;
    expect(left).toEqual([reference(true)]);
    expect(managedFields?.find(({ manager }) => manager === "patcher")?.["fieldsV1"]).toEqual({
      "f:metadata": {
        "f:ownerReferences": { ".": {}, 'k:{"uid":"6dcdde8a-0000-4000-8000-000000000001"}': {} },
      },
    });
    // What is meant for another object is refused before that is said.
    const elsewhere = { metadata: { ownerReferences, namespace: "elsewhere" } };
    const refused = await send("PATCH", path, elsewhere, merge);
    expect([refused.status, refused.headers["warning"]]).toEqual([400, undefined]);
    await send("DELETE", `${maps}/owned-twice`);
  });

  it("stores with the next write what the replicas of a Scale have come to be in", async () => {
    const { spec: _, ...unfilled } = thing("v1", "unfilled", {});
    await send("POST", root("v1"), unfilled);
    const path = `${root("v1")}/unfilled`;
    await send("PATCH", `${path}/scale`, { spec: { replicas: 2 } }, merge);
    const versions: unknown[] = [];
    for (let write = 0; write < 3; write += 1) {
      const { body } = write === 0 ? await send("GET", path) : await send("PATCH", path, {}, merge);
      expect(body["spec"]).toEqual({ mode: "slow", replicas: 2 });
      versions.push(metadataOf(body)["resourceVersion"]);
    }
    expect([versions[0] === versions[1], versions[1] === versions[2]]).toEqual([false, true]);
  });
}
