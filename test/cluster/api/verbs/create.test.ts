import { describe, expect, it } from "vitest";
import { configMap, createTestApi, refusalOf, thing, thingDefinition } from "../support/test-api.ts";

describe("create", () => {
  it("sets what only the server knows, whatever the client sent", () => {
    const api = createTestApi();
    const created = api.create(
      "configmaps",
      configMap(
        "a",
        { x: "1" },
        {
          uid: "mine",
          creationTimestamp: "2001-01-01T00:00:00Z",
          deletionTimestamp: "2001-01-01T00:00:00Z",
        },
      ),
    );
    expect(created.metadata).toMatchObject({
      name: "a",
      namespace: "default",
      creationTimestamp: "2026-01-01T00:00:00Z",
    });
    expect(created.metadata.uid).not.toBe("mine");
    expect(created.metadata.deletionTimestamp).toBeUndefined();
    expect(Number(created.metadata.resourceVersion)).toBe(api.core.store.revision);
    expect(api.get("configmaps", "a")).toEqual(created);
  });

  it("generates a name from a prefix cut to 58 characters", () => {
    const api = createTestApi();
    const { metadata } = api.create("configmaps", { metadata: { generateName: "x".repeat(100) } });
    expect(metadata.name).toMatch(/^x{58}[a-z0-9]{5}$/);
    expect(metadata.generateName).toHaveLength(100);
  });

  it("refuses a taken name with 409 and leaves the object alone", () => {
    const api = createTestApi();
    const first = api.create("configmaps", configMap("a"));
    expect(refusalOf(() => api.create("configmaps", configMap("a", { other: "2" })))).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message: 'configmaps "a" already exists',
      details: { name: "a", kind: "configmaps" },
    });
    expect(api.get("configmaps", "a")).toEqual(first);
  });

  it.each([
    ["a resourceVersion", configMap("a", {}, { resourceVersion: "1" }), 500, undefined],
    ["another namespace", configMap("a", {}, { namespace: "other" }), 400, "BadRequest"],
    ["no name", { metadata: {} }, 422, "Invalid"],
    ["a bad name", configMap("Bad_Name"), 422, "Invalid"],
    ["another kind", { kind: "Secret", apiVersion: "v1", metadata: { name: "a" } }, 400, "BadRequest"],
    ["a value of the wrong type", { metadata: { name: "a" }, data: "text" }, 400, "BadRequest"],
  ])("refuses %s", (_what, body, code, reason) => {
    const api = createTestApi();
    const { revision } = api.core.store;
    const refusal = refusalOf(() => api.create("configmaps", body));
    expect(refusal.code).toBe(code);
    expect(refusal.reason).toBe(reason);
    expect(api.core.store.revision).toBe(revision);
  });

  it("refuses owners without uid, and two controllers", () => {
    const api = createTestApi();
    const owner = (uid: string): object => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "o",
      uid,
      controller: true,
    });
    const without = refusalOf(() =>
      api.create("configmaps", configMap("a", {}, { ownerReferences: [owner("")] })),
    );
    expect(without.details?.causes).toMatchObject([
      { field: "metadata.ownerReferences.uid", reason: "FieldValueInvalid" },
    ]);
    const two = refusalOf(() =>
      api.create("configmaps", configMap("a", {}, { ownerReferences: [owner("1"), owner("2")] })),
    );
    expect(two.message).toContain("Only one reference can have Controller set to true");
  });

  it("stores nothing on a dry run but answers with a complete object without revision", () => {
    const api = createTestApi();
    const { revision } = api.core.store;
    const answered = api.create("configmaps", configMap("a"), "dryRun=All");
    expect(answered.metadata.uid).toBeDefined();
    expect(answered.metadata.resourceVersion).toBeUndefined();
    expect(api.core.store.revision).toBe(revision);
    expect(refusalOf(() => api.get("configmaps", "a")).code).toBe(404);
  });

  it("drops unknown fields and says so by warning, refuses them when strict, is silent when told to ignore", () => {
    const api = createTestApi();
    const body = { ...configMap("a"), foo: 1 };
    expect(api.create("configmaps", body)["foo"]).toBeUndefined();
    expect(api.warnings).toEqual(['unknown field "foo"']);
    expect(
      refusalOf(() =>
        api.create("configmaps", { ...body, metadata: { name: "b" } }, "fieldValidation=Strict"),
      ).message,
    ).toContain('strict decoding error: unknown field "foo"');
    api.create("configmaps", { ...body, metadata: { name: "c" } }, "fieldValidation=Ignore");
    expect(api.warnings).toEqual([]);
  });

  it("refuses to create in a namespace that ends with 403, in one that is gone with 404", () => {
    const api = createTestApi({ namespace: "ending" });
    api.create("namespaces", { metadata: { name: "ending" } });
    api.delete("namespaces", "ending");
    expect(refusalOf(() => api.create("configmaps", configMap("a")))).toMatchObject({
      code: 403,
      details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
    });
    api.update("namespaces", "ending/finalize", { metadata: { name: "ending" }, spec: { finalizers: [] } });
    expect(refusalOf(() => api.create("configmaps", configMap("a")))).toMatchObject({
      code: 404,
      message: 'namespaces "ending" not found',
      details: { name: "ending", kind: "namespaces" },
    });
  });

  it("drops the status of a type that has a status endpoint, and keeps it where there is none", async () => {
    const api = createTestApi();
    api.create("customresourcedefinitions.apiextensions.k8s.io", thingDefinition());
    await api.clock.settle();
    expect(api.create("things.example.com", thing("a", { status: { x: 1 } }))["status"]).toEqual({ x: 1 });
    const definition = api.get("customresourcedefinitions.apiextensions.k8s.io", "things.example.com");
    const [version] = (definition["spec"] as { versions: object[] }).versions;
    api.patch("customresourcedefinitions.apiextensions.k8s.io", "things.example.com", "merge", {
      spec: { versions: [{ ...version, subresources: { status: {} } }] },
    });
    await api.clock.settle();
    expect(api.create("things.example.com", thing("b", { status: { x: 1 } }))["status"]).toBeUndefined();
  });
});
