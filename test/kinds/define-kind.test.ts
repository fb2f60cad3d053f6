import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import type { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { defineKind, type CustomResource, type InstanceOf } from "../../src/kinds/define-kind.ts";
import type { ManifestOf } from "../../src/meta/object.ts";
import { keyOf } from "../../src/meta/object-key.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";

const Website = defineKind({
  group: "web.example.com",
  version: "v1",
  kind: "Website",
  shortNames: ["ws"],
  spec: z.object({
    replicas: z.int().min(1).default(1),
    host: z.string().optional(),
    backends: z.array(z.object({ port: z.int() })).default([]),
  }),
  status: z.object({ url: z.string() }),
});
type Website = InstanceOf<typeof Website>;

const website = (spec: unknown): unknown => ({
  apiVersion: "web.example.com/v1",
  kind: "Website",
  metadata: { name: "home", namespace: "default" },
  spec,
});

describe("defineKind", () => {
  it("is a resource type with completed names", () => {
    expect(Website).toMatchObject({
      group: "web.example.com",
      version: "v1",
      kind: "Website",
      plural: "websites",
      singular: "website",
      shortNames: ["ws"],
      categories: [],
      namespaced: true,
      finalize: false,
    });
  });

  it("infers spec and status from the schemas", () => {
    expectTypeOf<Website["spec"]["replicas"]>().toEqualTypeOf<number>();
    expectTypeOf<Website["spec"]["host"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<Website["status"]>["url"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<
      NonNullable<NonNullable<Website["status"]>["conditions"]>[number]["reason"]
    >().toEqualTypeOf<string>();
    expectTypeOf<Website["metadata"]["uid"]>().toEqualTypeOf<string>();
    // @ts-expect-error: a kind without a lifecycle has no spec.lifecycle
    expectTypeOf<Website["spec"]["lifecycle"]>().toBeUndefined();
  });

  it("types the namespace as present in a namespaced kind, and as absent in one of the whole cluster", () => {
    const names = { group: "web.example.com", version: "v1", kind: "Region", spec: z.object({}) };
    const Region = defineKind({ ...names, scope: "Cluster" });
    const namespaceOf = (scope: "Namespaced" | "Cluster") =>
      defineKind({ ...names, scope }).instance?.metadata.namespace;
    expectTypeOf<Website["metadata"]["namespace"]>().toEqualTypeOf<string>();
    expectTypeOf<InstanceOf<typeof Region>["metadata"]["namespace"]>().toEqualTypeOf<undefined>();
    expectTypeOf(namespaceOf).returns.toEqualTypeOf<string | undefined>();
    expectTypeOf<CustomResource["metadata"]["namespace"]>().toEqualTypeOf<string>();
    defineController(Website, {
      freeStyle: ({ cr, registry }) => {
        expectTypeOf(cr.metadata.namespace).toEqualTypeOf<string>();
        const manifest: ManifestOf<ConfigMap> = {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "page" },
        };
        registry.add(manifest);
      },
    });
    defineController(Region, {
      freeStyle: ({ cr }) => {
        expectTypeOf(cr.metadata.namespace).toEqualTypeOf<undefined>();
      },
    });
    expect([Website.namespaced, Region.namespaced]).toEqual([true, false]);
  });

  it.each([
    ["no dot in the group", { group: "example" }],
    ["a camelCase kind", { kind: "webSite" }],
    ["an upper-case version", { version: "V1" }],
    ["a plural with a space", { plural: "web sites" }],
    ["a short name with a dot", { shortNames: ["w.s"] }],
  ])("refuses %s, and says what to write", (_, names) => {
    const options = { group: "web.example.com", version: "v1", kind: "Website", spec: z.object({}) };
    const error = thrownBy(() => defineKind({ ...options, ...names }));
    expect(isOperatorError(error, "KIND_INVALID") && error.remedy).toMatch(/^Use /);
  });

  it.each(["conditions", "observedGeneration", "lifecycle"])("refuses a status that declares %s", (field) => {
    const error = thrownBy(() =>
      defineKind({
        group: "web.example.com",
        version: "v1",
        kind: "Website",
        spec: z.object({}),
        status: z.object({ [field]: z.string() }),
      }),
    );
    expect(isOperatorError(error, "KIND_INVALID") && error.message).toContain(`declares "${field}"`);
  });

  it("leaves spec.lifecycle to the author of a kind without a lifecycle", () => {
    const kind = defineKind({
      group: "web.example.com",
      version: "v1",
      kind: "Product",
      spec: z.object({ lifecycle: z.string() }),
    });
    expectTypeOf<InstanceOf<typeof kind>["spec"]["lifecycle"]>().toEqualTypeOf<string>();
    expect(kind.plural).toBe("products");
  });
});

describe("parse", () => {
  it("fills in defaults and keeps everything else", () => {
    const parsed = Website.parse({ ...(website({ host: "a" }) as object), status: { url: "http://a" } });
    expect(parsed.spec).toEqual({ replicas: 1, host: "a", backends: [] });
    expect(parsed.metadata.name).toBe("home");
    expect(parsed.status).toEqual({ url: "http://a" });
  });

  it.each([undefined, null, ""])(
    "puts what names no namespace (%j) into the one its type promises",
    (namespace) => {
      const metadata = { name: "home", labels: { app: "web" }, namespace };
      const parsed = Website.parse({ ...(website({}) as object), metadata });
      expectTypeOf(parsed.metadata.namespace).toEqualTypeOf<string>();
      expect(parsed.metadata).toEqual({ name: "home", labels: { app: "web" }, namespace: "default" });
      expect(Website.parse(website({})).metadata).toEqual({ name: "home", namespace: "default" });
    },
  );

  it("lets a cluster-scoped object live in no namespace", () => {
    const Zone = defineKind({
      group: "web.example.com",
      version: "v1",
      kind: "Zone",
      scope: "Cluster",
      spec: z.object({}),
    });
    const zone = { apiVersion: "web.example.com/v1", kind: "Zone", metadata: { name: "north" } };
    const parsed = Zone.parse(zone);
    expect(parsed.metadata).toEqual({ name: "north" });
    const key = keyOf(parsed);
    expectTypeOf(key.namespace).toEqualTypeOf<undefined>();
    expect(key).toEqual({ name: "north" });
    const error = thrownBy(() => Zone.parse({ ...zone, metadata: { name: "north", namespace: "shop" } }));
    expect(isOperatorError(error, "CR_INVALID") && error.message).toContain(
      "metadata.namespace: Zone is cluster-scoped, and lives in no namespace",
    );
  });

  it("accepts a missing spec when every field is optional", () => {
    expect(Website.parse(website(undefined)).spec).toEqual({ replicas: 1, backends: [] });
  });

  it("names every field that is wrong in one error", () => {
    const error = thrownBy(() => Website.parse(website({ replicas: 0, backends: [{ port: 1 }, {}] })));
    if (!isOperatorError(error, "CR_INVALID")) throw error;
    expect(error.message).toContain('"home" is not a valid Website');
    expect(error.message).toContain("spec.replicas: ");
    expect(error.message).toContain("spec.backends[1].port: ");
    expect(error.message.split("\n")).toHaveLength(3);
  });

  it.each([
    [
      "another kind",
      { ...(website({}) as object), kind: "Webshop" },
      'kind: expected "Website", got "Webshop"',
    ],
    [
      "another version",
      { ...(website({}) as object), apiVersion: "v1" },
      'expected "web.example.com/v1", got "v1"',
    ],
    ["no name", { ...(website({}) as object), metadata: {} }, "metadata.name: required"],
    [
      "a namespace that is not a text",
      { ...(website({}) as object), metadata: { name: "home", namespace: 3 } },
      "metadata.namespace: expected a string, got number",
    ],
    ["no object at all", "text", 'expected an object, got "text"'],
    ["null", null, "expected an object, got null"],
    ["a wrong status", { ...(website({}) as object), status: { url: 3 } }, "status.url: "],
  ])("refuses %s", (_, object, message) => {
    const error = thrownBy(() => Website.parse(object));
    expect(isOperatorError(error, "CR_INVALID") && error.message).toContain(message);
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("the options of a kind", () => {
  const options = { group: "web.example.com", version: "v1", kind: "Page", spec: z.object({}) };

  it.each<[string, object, RegExp]>([
    [
      "a misspelt option",
      { printerColumn: [] },
      /defineKind has no option "printerColumn".*"printerColumns"\?/,
    ],
    ["no kind", { kind: undefined }, /kind is missing \(Write the kind in PascalCase/],
    ["no version", { version: undefined }, /version is missing/],
    ["no schema", { spec: undefined }, /spec is missing \(Write what users write/],
    [
      "a schema that is none",
      { spec: { size: "number" } },
      /spec is an object, but must be an object schema of zod 4/,
    ],
    ["a schema of a text", { spec: z.string() }, /but must be an object schema/],
    ["a scope in lower case", { scope: "cluster" }, /scope is "cluster".*Write "Cluster"/],
    ["one short name", { shortNames: "pg" }, /shortNames is "pg", but must be a list/],
    [
      "a configuration for a machine",
      { lifecycle: { id: "a", states: {} } },
      /lifecycle is an object, but must be a machine/,
    ],
    [
      "a column of no type",
      { printerColumns: [{ name: "A", jsonPath: ".spec.a" }] },
      /printerColumns\[0\]\.type is missing/,
    ],
    ["a rule without CEL", { validations: [{ message: "no" }] }, /validations\[0\]\.rule is missing/],
    ["a flag in words", { finalize: "yes" }, /finalize is "yes", but must be true or false/],
  ])("are refused for %s", (_, more, message) => {
    const define = (): unknown => defineKind({ ...options, ...more });
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: "KIND_INVALID" }));
  });
});
