import { describe, expect, it } from "vitest";
import {
  aggregated,
  group,
  groupList,
  resourceList,
} from "../../../../src/cluster/api/discovery/group-discovery.ts";
import { openApiDocument, openApiIndex } from "../../../../src/cluster/api/discovery/open-api.ts";
import { createTestApi, thingDefinition } from "../support/test-api.ts";

interface Resources {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly verbs: readonly string[];
  }[];
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Record<string, unknown>>> };
  readonly paths: Readonly<Record<string, Record<string, Record<string, unknown>>>>;
}

describe("discovery", () => {
  it("lists resources with their subresources", () => {
    const { core } = createTestApi();
    const { registry } = core;
    const { resources } = resourceList(registry, "apps", "v1") as Resources;
    const names = resources.map((each) => each.name);
    expect(names).toEqual(
      expect.arrayContaining([
        "deployments",
        "deployments/status",
        "deployments/scale",
        "controllerrevisions",
      ]),
    );
    expect(names).not.toContain("daemonsets/scale");
    expect(resourceList(registry, "nope.io", "v1")).toBeUndefined();
    expect(group(core, "nope.io")).toBeUndefined();
  });

  it("follows CRDs as they come and go, and prefers stable versions", async () => {
    const api = createTestApi();
    const definition = thingDefinition();
    const [version] = (definition["spec"] as { versions: object[] }).versions;
    (definition["spec"] as { versions: object[] }).versions = [
      { ...version, name: "v1beta1", storage: false },
      { ...version, name: "v1" },
      { ...version, name: "v2alpha1", storage: false },
    ];
    api.create("customresourcedefinitions.apiextensions.k8s.io", definition);
    await api.clock.settle();
    expect(group(api.core, "example.com")).toMatchObject({
      versions: [{ version: "v1" }, { version: "v1beta1" }, { version: "v2alpha1" }],
      preferredVersion: { groupVersion: "example.com/v1" },
    });
    api.delete("customresourcedefinitions.apiextensions.k8s.io", "things.example.com");
    await api.clock.settle();
    expect(group(api.core, "example.com")).toBeUndefined();
    expect(JSON.stringify(groupList(api.core))).not.toContain("example.com");
  });

  it("aggregates all groups, the core one apart", () => {
    const api = createTestApi();
    const core = aggregated(api.core, true) as {
      items: { versions: { resources: { resource: string }[] }[] }[];
    };
    expect(core.items).toHaveLength(1);
    expect(core.items[0]?.versions[0]?.resources.map((each) => each.resource)).toContain("pods");
    expect(JSON.stringify(aggregated(api.core, false))).toContain('"resource":"deployments"');
  });
});

describe("OpenAPI", () => {
  it("publishes every group version under the hash of its document", () => {
    const { registry } = createTestApi().core;
    const { paths } = openApiIndex(registry) as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(["api/v1", "apis/apps/v1", "apis/batch/v1"]));
    const document = openApiDocument(registry, "apis/apps/v1");
    expect(paths["apis/apps/v1"]?.serverRelativeURL).toBe(`/openapi/v3/apis/apps/v1?hash=${document?.hash}`);
    expect(openApiDocument(registry, "apis/nope.io/v1")).toBeUndefined();
  });

  it("refers only to schemas that the document has", () => {
    const { registry } = createTestApi().core;
    for (const path of ["api/v1", "apis/apps/v1", "apis/apiextensions.k8s.io/v1"]) {
      const body = openApiDocument(registry, path)?.body as Document;
      const references = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
        (match) => match[1] ?? "",
      );
      expect(references.filter((name) => !(name in body.components.schemas))).toEqual([]);
    }
  });

  it("names the kind of a schema, also of a custom one, and offers server-side validation", async () => {
    const api = createTestApi();
    api.create(
      "customresourcedefinitions.apiextensions.k8s.io",
      thingDefinition({ type: "object", properties: { spec: { type: "object", description: "targets" } } }),
    );
    await api.clock.settle();
    const body = openApiDocument(api.core.registry, "apis/example.com/v1")?.body as Document;
    expect(body.components.schemas["com.example.v1.Thing"]).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "example.com", version: "v1", kind: "Thing" }],
      properties: {
        spec: { description: "targets" },
        metadata: { allOf: [{ $ref: expect.stringContaining("ObjectMeta") as unknown }] },
      },
    });
    const patch = body.paths["/apis/example.com/v1/namespaces/{namespace}/things/{name}"]?.["patch"];
    expect(patch?.["parameters"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "fieldValidation" })]),
    );
  });
});
