import { describe, expect, it } from "vitest";
import {
  configMap,
  createTestApi,
  refusalOf,
  thing,
  thingDefinition,
  type TestApi,
} from "../support/test-api.ts";

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};

async function withThings(hasStatus = true): Promise<TestApi> {
  const api = createTestApi();
  const subresources = hasStatus
    ? { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } }
    : {};
  api.create("customresourcedefinitions.apiextensions.k8s.io", thingDefinition(undefined, { subresources }));
  await api.clock.settle();
  return api;
}

describe("update", () => {
  it("refuses a stale resourceVersion, and takes the current one", () => {
    const api = createTestApi();
    const first = api.create("configmaps", configMap("a"));
    const { resourceVersion } = first.metadata;
    const second = api.update("configmaps", "a", configMap("a", { a: "2" }, { resourceVersion }));
    expect(second["data"]).toEqual({ a: "2" });
    expect(
      refusalOf(() => api.update("configmaps", "a", configMap("a", { a: "3" }, { resourceVersion }))),
    ).toMatchObject({
      code: 409,
      reason: "Conflict",
    });
    expect(api.get("configmaps", "a")).toEqual(second);
  });

  it("needs a resourceVersion for custom resources, and none for built-in ones", async () => {
    const api = await withThings();
    api.create("things.example.com", thing("t"));
    expect(refusalOf(() => api.update("things.example.com", "t", thing("t"))).message).toContain(
      "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
    );
  });

  it("stores nothing and tells no watch when nothing differs", () => {
    const api = createTestApi();
    const first = api.create("configmaps", configMap("a"));
    const watch = api.watch("configmaps", `resourceVersion=${first.metadata.resourceVersion}`);
    const same = api.update("configmaps", "a", first);
    api.patch("configmaps", "a", "merge", { data: { a: "1" } });
    expect(same.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(watch.lines).toEqual([]);
    watch.stop();
  });

  it("keeps uid and creation time, and refuses another uid and another name", () => {
    const api = createTestApi();
    const first = api.create("configmaps", configMap("a"));
    const next = api.update(
      "configmaps",
      "a",
      configMap("a", { b: "1" }, { creationTimestamp: "2001-01-01T00:00:00Z" }),
    );
    expect(next.metadata.creationTimestamp).toBe(first.metadata.creationTimestamp);
    expect(next.metadata.uid).toBe(first.metadata.uid);
    expect(refusalOf(() => api.update("configmaps", "a", configMap("a", {}, { uid: "x" }))).code).toBe(409);
    expect(refusalOf(() => api.update("configmaps", "a", configMap("b"))).code).toBe(400);
    expect(refusalOf(() => api.update("configmaps", "gone", configMap("gone"))).code).toBe(404);
  });

  it("creates a lease that does not exist", () => {
    const api = createTestApi();
    const lease = api.update("leases.coordination.k8s.io", "l", {
      metadata: { name: "l" },
      spec: { holderIdentity: "me" },
    });
    expect(lease.metadata.uid).toBeDefined();
  });

  it("counts generations of a Deployment for its spec and its annotations, not for labels or status", () => {
    const api = createTestApi();
    const generation = (): number | undefined => api.get("deployments.apps", "d").metadata.generation;
    api.create("deployments.apps", deployment);
    expect(generation()).toBe(1);
    api.patch("deployments.apps", "d", "merge", { metadata: { labels: { x: "1" } } });
    api.patch("deployments.apps", "d/status", "merge", {
      status: { replicas: 1 },
      metadata: { annotations: { s: "1" } },
    });
    expect(generation()).toBe(1);
    api.patch("deployments.apps", "d", "merge", { spec: { replicas: 2 } });
    api.patch("deployments.apps", "d", "merge", { metadata: { annotations: { y: "1" } } });
    expect(generation()).toBe(3);
  });

  it("keeps the status endpoint and the main one apart", async () => {
    const api = await withThings();
    api.create("things.example.com", thing("t", { spec: { replicas: 1 } }));
    api.patch("things.example.com", "t", "merge", { status: { phase: "no" } });
    expect(api.get("things.example.com", "t")["status"]).toBeUndefined();
    const written = api.patch("things.example.com", "t/status", "merge", {
      metadata: { labels: { l: "1" }, finalizers: ["a.b/c"] },
      spec: { replicas: 9 },
      status: { phase: "yes" },
    });
    expect(written["status"]).toEqual({ phase: "yes" });
    expect(written["spec"]).toEqual({ replicas: 1 });
    expect(written.metadata.labels).toBeUndefined();
    expect(written.metadata.finalizers).toBeUndefined();
    expect(written.metadata.generation).toBe(1);
  });

  it("counts a status change of a kind without status endpoint as a new generation", async () => {
    const api = await withThings(false);
    api.create("things.example.com", thing("t", { status: { a: 1 } }));
    expect(api.patch("things.example.com", "t", "merge", { status: { a: 2 } }).metadata.generation).toBe(2);
    expect(
      api.patch("things.example.com", "t", "merge", { metadata: { labels: { a: "b" } } }).metadata.generation,
    ).toBe(2);
  });

  it("refuses another selector of a Deployment, and data of an immutable ConfigMap", () => {
    const api = createTestApi();
    api.create("deployments.apps", deployment);
    const refusal = refusalOf(() =>
      api.patch("deployments.apps", "d", "merge", { spec: { selector: { matchLabels: { a: "c" } } } }),
    );
    expect(refusal.details?.causes?.map((cause) => cause.field)).toEqual([
      "spec.template.metadata.labels",
      "spec.selector",
    ]);
    api.create("configmaps", { ...configMap("i"), immutable: true });
    expect(refusalOf(() => api.patch("configmaps", "i", "merge", { data: { a: "2" } })).message).toContain(
      "field is immutable when `immutable` is set",
    );
  });

  it("records who wrote which field, by the User-Agent where no manager is named", () => {
    const api = createTestApi();
    api.create("configmaps", configMap("a"));
    api.patch("configmaps", "a", "merge", { data: { b: "2" } }, "fieldManager=other");
    const entries = api.get("configmaps", "a").metadata.managedFields ?? [];
    expect(entries.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1])).toEqual([
      ["other", "Update", { "f:data": { "f:b": {} } }],
      ["tester", "Update", { "f:data": { ".": {}, "f:a": {} } }],
    ]);
  });

  it("applies server-side: creates, conflicts, forces, and removes what is dropped", () => {
    const api = createTestApi();
    const apply = (data: object, query: string): unknown =>
      api.patch(
        "configmaps",
        "a",
        "apply",
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data },
        query,
      )["data"];
    expect(apply({ x: "1", y: "1" }, "fieldManager=one")).toEqual({ x: "1", y: "1" });
    const conflict = refusalOf(() => apply({ x: "2" }, "fieldManager=two"));
    expect(conflict).toMatchObject({
      code: 409,
      details: { causes: [{ reason: "FieldManagerConflict", field: ".data.x" }] },
    });
    expect(apply({ x: "2" }, "fieldManager=two&force=true")).toEqual({ x: "2", y: "1" });
    expect(apply({}, "fieldManager=one")).toEqual({ x: "2" });
  });
});
