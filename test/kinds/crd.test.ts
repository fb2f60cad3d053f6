import { describe, expect, it } from "vitest";
import { z } from "zod";
import { crdOf } from "../../src/kinds/crd.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";

const names = { group: "web.example.com", version: "v1", kind: "Website" } as const;

describe("the CRD of a kind", () => {
  const crd = crdOf(
    defineKind({
      ...names,
      shortNames: ["ws"],
      categories: ["all"],
      description: "A site.",
      spec: z.object({ host: z.string(), replicas: z.int().default(1) }),
      status: z.object({ url: z.string() }),
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      printerColumns: [{ name: "Host", type: "string", jsonPath: ".spec.host" }],
      validations: [
        { rule: "self.replicas < 10", message: "too many" },
        { rule: "self.metadata.name != 'x'", on: "object" },
      ],
    }),
  );
  const [version] = crd.spec.versions;
  const root = version?.schema?.openAPIV3Schema;

  it("is named by plural and group, and carries all names", () => {
    expect(crd).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "websites.web.example.com" },
      spec: {
        group: "web.example.com",
        scope: "Namespaced",
        names: {
          kind: "Website",
          listKind: "WebsiteList",
          plural: "websites",
          singular: "website",
          shortNames: ["ws"],
          categories: ["all"],
        },
      },
    });
  });

  it("serves and stores the one version, with status and scale", () => {
    expect(version).toMatchObject({
      name: "v1",
      served: true,
      storage: true,
      subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas" } },
    });
  });

  it("requires the spec when one of its fields is required", () => {
    expect(root?.required).toEqual(["spec"]);
    expect(root?.properties?.["spec"]).toMatchObject({ required: ["host"] });
    expect(root?.properties?.["spec"]).not.toHaveProperty("default");
  });

  it("fills in the spec when none of its fields is required", () => {
    const optional = crdOf(defineKind({ ...names, spec: z.object({ replicas: z.int().default(1) }) }));
    const schema = optional.spec.versions[0]?.schema?.openAPIV3Schema;
    expect(schema).not.toHaveProperty("required");
    expect(schema?.properties?.["spec"]?.default).toEqual({ replicas: 1 });
  });

  it("keeps every field of the status and requires none, as it is written piece by piece", () => {
    const status = root?.properties?.["status"];
    expect(Object.keys(status?.properties ?? {})).toEqual(["url", "observedGeneration", "conditions"]);
    expect(status).not.toHaveProperty("required");
    expect(status?.properties?.["conditions"]).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    });
  });

  it("puts rules on the spec or on the object", () => {
    expect(root?.properties?.["spec"]?.["x-kubernetes-validations"]).toEqual([
      { rule: "self.replicas < 10", message: "too many" },
    ]);
    expect(root?.["x-kubernetes-validations"]).toEqual([{ rule: "self.metadata.name != 'x'" }]);
  });

  it("shows Ready and Age, with the author's columns before Age, and the message with -o wide", () => {
    expect(version?.additionalPrinterColumns?.map((column) => column.name)).toEqual([
      "Ready",
      "Host",
      "Age",
      "Message",
    ]);
  });

  it("is cluster-scoped when the kind is", () => {
    expect(crdOf(defineKind({ ...names, scope: "Cluster", spec: z.object({}) })).spec.scope).toBe("Cluster");
  });

  it("has no names, subresources or rules that the kind does not have", () => {
    const plain = crdOf(defineKind({ ...names, spec: z.object({}) }));
    expect(plain.spec.names).not.toHaveProperty("shortNames");
    expect(plain.spec.names).not.toHaveProperty("categories");
    expect(plain.spec.versions[0]?.subresources).toEqual({ status: {} });
    expect(JSON.stringify(plain)).not.toContain("x-kubernetes-validations");
    expect(plain.metadata).not.toHaveProperty("annotations");
  });
});
