import { describe, expect, it } from "vitest";
import { createTestApi, refusalOf, thing, thingDefinition, type TestApi } from "../support/test-api.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const things = "things.example.com";
const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["image"],
      properties: {
        image: { type: "string" },
        replicas: { type: "integer", default: 1, maximum: 5 },
        fixed: {
          type: "string",
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is fixed" }],
        },
      },
    },
  },
};

async function serve(definition = thingDefinition(schema)): Promise<TestApi> {
  const api = createTestApi();
  api.create(definitions, definition);
  await api.clock.settle();
  return api;
}

describe("custom resources", () => {
  it("are served once their names are accepted, and the CRD says so", async () => {
    const api = await serve();
    const { status } = api.get(definitions, things);
    expect(status).toMatchObject({
      acceptedNames: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      storedVersions: ["v1"],
      conditions: [
        { type: "NamesAccepted", status: "True", reason: "NoConflicts" },
        { type: "Established", status: "True", reason: "InitialNamesAccepted" },
      ],
    });
    expect(api.type(things)).toMatchObject({ kind: "Thing", listKind: "ThingList", custom: true });
  });

  it("prunes, defaults, validates and runs rules", async () => {
    const api = await serve();
    const created = api.create(things, thing("t", { spec: { image: "i", colour: "red" } }));
    expect(created["spec"]).toEqual({ image: "i", replicas: 1 });
    expect(api.warnings).toEqual(['unknown field "spec.colour"']);
    expect(refusalOf(() => api.create(things, thing("u", { spec: {} }))).details?.causes).toMatchObject([
      { field: "spec.image", reason: "FieldValueRequired" },
      { field: "<nil>" },
    ]);
    api.patch(things, "t", "merge", { spec: { fixed: "a" } });
    expect(refusalOf(() => api.patch(things, "t", "merge", { spec: { fixed: "b" } })).message).toContain(
      "is fixed",
    );
    expect(refusalOf(() => api.patch(things, "t", "merge", { spec: { replicas: 9 } })).code).toBe(422);
  });

  it("are read with the defaults of a newer schema, without being written", async () => {
    const api = await serve();
    const before = api.create(things, thing("t", { spec: { image: "i" } }));
    api.patch(definitions, things, "json", [
      {
        op: "add",
        path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/mode",
        value: { type: "string", default: "A" },
      },
    ]);
    await api.clock.settle();
    const read = api.get(things, "t");
    expect(read["spec"]).toEqual({ image: "i", replicas: 1, mode: "A" });
    expect(read.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it("are served in every version, and stored in one", async () => {
    const version = (name: string, storage: boolean): object => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    });
    const definition = thingDefinition();
    (definition["spec"] as { versions: object[] }).versions = [version("v1", true), version("v2", false)];
    const api = await serve(definition);
    api.create(things, thing("t", { spec: { a: 1 } }));
    const v2 = api.core.registry.find("example.com", "v2", "things");
    const stored = api.core.store.get(things, "default", "t");
    expect(stored?.apiVersion).toBe("example.com/v1");
    expect(stored === undefined ? undefined : v2?.fromStorage(stored)).toMatchObject({
      apiVersion: "example.com/v2",
      spec: { a: 1 },
    });
    api.patch(definitions, things, "json", [
      { op: "replace", path: "/spec/versions/0/storage", value: false },
      { op: "replace", path: "/spec/versions/1/storage", value: true },
    ]);
    expect(api.get(definitions, things)["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
    expect(
      refusalOf(() => api.patch(definitions, things, "json", [{ op: "remove", path: "/spec/versions/0" }]))
        .message,
    ).toContain("status.storedVersions[0]");
  });

  it("outlive a deleted CRD until their finalizers are gone, and no new ones are created", async () => {
    const api = await serve();
    api.create(things, thing("t", { spec: { image: "i" } }, { finalizers: ["a.b/c"] }));
    api.create(things, thing("free", { spec: { image: "i" } }));
    api.delete(definitions, things);
    await api.clock.settle();
    expect(refusalOf(() => api.get(things, "free")).code).toBe(404);
    expect(api.get(things, "t").metadata.deletionTimestamp).toBeDefined();
    expect(api.get(definitions, things)["status"]).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Terminating", status: "True" }),
      ]) as unknown,
    });
    expect(refusalOf(() => api.create(things, thing("new", { spec: { image: "i" } }))).code).toBe(403);
    api.patch(things, "t", "merge", { metadata: { finalizers: null } });
    await api.clock.settle();
    expect(refusalOf(() => api.get(definitions, things)).code).toBe(404);
    expect(() => api.type(things)).toThrow("not served");
  });

  it("are not served when another CRD has the kind already", async () => {
    const api = await serve();
    const other = thingDefinition();
    other["metadata"] = { name: "thingies.example.com" };
    (other["spec"] as { names: object }).names = { plural: "thingies", kind: "Thing" };
    api.create(definitions, other);
    await api.clock.settle();
    expect(api.get(definitions, "thingies.example.com")["status"]).toMatchObject({
      conditions: [
        { type: "NamesAccepted", status: "False", reason: "ListKindConflict" },
        { type: "Established", status: "False", reason: "NotAccepted" },
      ],
    });
    expect(() => api.type("thingies.example.com")).toThrow("not served");
  });

  it.each([
    [
      "another name",
      (body: Record<string, unknown>) => (body["metadata"] = { name: "x.example.com" }),
      "metadata.name",
    ],
    [
      "no schema",
      (body: Record<string, unknown>) =>
        ((body["spec"] as { versions: { schema?: object }[] }).versions[0]!.schema = {}),
      "spec.versions[0].schema.openAPIV3Schema",
    ],
    [
      "no storage version",
      (body: Record<string, unknown>) =>
        ((body["spec"] as { versions: { storage: boolean }[] }).versions[0]!.storage = false),
      "spec.versions",
    ],
    [
      "an unknown scope",
      (body: Record<string, unknown>) => ((body["spec"] as { scope: string }).scope = "Zed"),
      "spec.scope",
    ],
  ])("refuses a CRD with %s", (_what, change, field) => {
    const definition = thingDefinition();
    change(definition);
    const refusal = refusalOf(() => createTestApi().create(definitions, definition));
    expect(refusal.code).toBe(422);
    expect(refusal.details?.causes?.map((cause) => cause.field)).toContain(field);
  });

  it("refuses another scope of an existing CRD", async () => {
    const api = await serve();
    expect(
      refusalOf(() => api.patch(definitions, things, "merge", { spec: { scope: "Cluster" } })).message,
    ).toContain("spec.scope");
  });
});
