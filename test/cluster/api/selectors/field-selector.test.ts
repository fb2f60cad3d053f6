import { describe, expect, it } from "vitest";
import { configMap, createTestApi, refusalOf, thing, thingDefinition } from "../support/test-api.ts";

describe("field selector", () => {
  it("selects by name and by namespace", () => {
    const api = createTestApi();
    api.create("configmaps", configMap("a"));
    api.create("configmaps", configMap("b"));
    const namesOf = (query: string): string[] =>
      api.list("configmaps", query).items.map((each) => each.metadata.name);
    expect(namesOf("fieldSelector=metadata.name%3Da")).toEqual(["a"]);
    expect(namesOf("fieldSelector=metadata.name!%3Da")).toEqual(["b"]);
    expect(namesOf("fieldSelector=metadata.namespace%3Dother")).toEqual([]);
  });

  it("selects pods by what controllers ask for", () => {
    const api = createTestApi();
    api.create("pods", {
      metadata: { name: "p" },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    });
    expect(api.list("pods", "fieldSelector=spec.nodeName%3Dn,status.phase%3DPending").items).toHaveLength(1);
    expect(api.list("pods", "fieldSelector=spec.nodeName%3Dother").items).toHaveLength(0);
  });

  it("selects custom resources by the fields that their CRD names, and refuses others", async () => {
    const api = createTestApi();
    api.create(
      "customresourcedefinitions.apiextensions.k8s.io",
      thingDefinition(
        {
          type: "object",
          properties: { spec: { type: "object", properties: { mode: { type: "string" } } } },
        },
        { selectableFields: [{ jsonPath: ".spec.mode" }] },
      ),
    );
    await api.clock.settle();
    api.create("things.example.com", thing("a", { spec: { mode: "A" } }));
    api.create("things.example.com", thing("b", { spec: { mode: "B" } }));
    const { items } = api.list("things.example.com", "fieldSelector=spec.mode%3DB");
    expect(items.map((each) => each.metadata.name)).toEqual(["b"]);
    expect(refusalOf(() => api.list("things.example.com", "fieldSelector=spec.other%3DB"))).toMatchObject({
      code: 400,
      message: "field label not supported: spec.other",
    });
  });

  it("refuses an unknown field of a built-in type, naming the known ones", () => {
    const api = createTestApi();
    expect(refusalOf(() => api.list("configmaps", "fieldSelector=data.a%3D1")).message).toBe(
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });
});
