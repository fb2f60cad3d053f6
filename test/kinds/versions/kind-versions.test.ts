import { describe, expect, it } from "vitest";
import { z } from "zod";
import { crdOf } from "../../../src/kinds/crd.ts";
import { checkSchemas } from "../../../src/kinds/check-schemas.ts";
import { defineKind } from "../../../src/kinds/define-kind.ts";
import { setupLifecycle } from "../../../machines/lifecycle-machine.ts";
import { comparePriority } from "../../../src/kinds/versions/version-priority.ts";
import { databaseLifecycle } from "../database-fixture.ts";
import { Store } from "./three-versions.ts";

const names = { group: "data.example.com", version: "v2", kind: "Disk" } as const;
const spec = z.object({ gb: z.int().default(1) });
const otherSpec = z.object({ mb: z.int() });
const convert = { up: () => ({ spec: { gb: 1 } }), down: () => ({ spec: { mb: 1 } }) };

describe("the CRD of a kind with several versions", () => {
  const webhooks = { service: { name: "store-operator-webhook", namespace: "stores" } };
  const crd = crdOf(Store, { webhooks });
  const version = (name: string) => crd.spec.versions.find((each) => each.name === name);

  it("has all of them, the preferred one first, and stores the kind's own", () => {
    expect(crd.spec.versions.map(({ name, served, storage }) => [name, served, storage])).toEqual([
      ["v1", true, true],
      ["v1beta1", true, false],
      ["v1alpha1", true, false],
    ]);
  });

  it("has each with its own schema, and the operator's part of the status in every one", () => {
    const fieldsOf = (name: string, part: string): string[] =>
      Object.keys(version(name)?.schema?.openAPIV3Schema?.properties?.[part]?.properties ?? {});
    expect(fieldsOf("v1", "spec")).toEqual(["size", "users", "notes"]);
    expect(fieldsOf("v1alpha1", "spec")).toEqual(["sizeMb", "owner", "legacyMode"]);
    expect(fieldsOf("v1alpha1", "status")).toEqual(["address", "observedGeneration", "conditions"]);
    expect(fieldsOf("v1beta1", "status")).toEqual(["endpoint", "users", "observedGeneration", "conditions"]);
  });

  it("warns the clients of a deprecated one", () => {
    expect(version("v1alpha1")).toMatchObject({
      deprecated: true,
      deprecationWarning: "data.example.com/v1alpha1 Store is deprecated; use v1",
    });
    expect(version("v1")).not.toHaveProperty("deprecated");
  });

  it("asks the operator's webhook to convert", () => {
    expect(crd.spec.conversion).toEqual({
      strategy: "Webhook",
      webhook: {
        clientConfig: {
          service: {
            name: "store-operator-webhook",
            namespace: "stores",
            path: "/convert/stores.data.example.com",
            port: 443,
          },
        },
        conversionReviewVersions: ["v1"],
      },
    });
  });

  it("asks nobody where there is nothing to convert", () => {
    const kind = defineKind({ ...names, spec, versions: { v1: { spec } } });
    expect(crdOf(kind, { webhooks }).spec).not.toHaveProperty("conversion");
  });

  it("gives a version with the kind's own schema its columns, rules and scale, and another one its own", () => {
    const kind = defineKind({
      ...names,
      spec,
      validations: [{ rule: "self.gb < 10" }],
      printerColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.gb" }],
      versions: { v1: { spec }, v1beta1: { spec: otherSpec, convert } },
    });
    const [, v1, v1beta1] = crdOf(kind).spec.versions;
    expect(JSON.stringify(v1)).toContain("self.gb < 10");
    expect(JSON.stringify(v1)).toContain(".spec.gb");
    expect(JSON.stringify(v1beta1)).not.toContain("gb");
  });

  it("has the lifecycle in every version", () => {
    const kind = defineKind({
      ...names,
      spec,
      lifecycle: databaseLifecycle,
      versions: { v1: { spec: otherSpec, convert } },
    });
    for (const { schema } of crdOf(kind).spec.versions) {
      const { spec: own, status } = schema?.openAPIV3Schema?.properties ?? {};
      expect(own?.properties).toHaveProperty("lifecycle");
      expect(status?.properties).toHaveProperty("lifecycle");
    }
  });

  it("lets states refuse a change of a field in the versions that have it", () => {
    const lifecycle = setupLifecycle().createMachine({
      id: "disk",
      version: "1",
      initial: "Start",
      states: {
        Start: { on: { "observed.Running": "Running" } },
        Running: { meta: { refuses: ["gb"] } },
      },
    });
    const kind = defineKind({ ...names, spec, lifecycle, versions: { v1: { spec: otherSpec, convert } } });
    const [v2, v1] = crdOf(kind).spec.versions.map((each) => JSON.stringify(each));
    expect(v2).toContain("spec.gb cannot be changed");
    expect(v1).not.toContain("spec.gb cannot be changed");
  });

  it("is refused for a version with another schema and no conversion", () => {
    const kind = defineKind({ ...names, spec, versions: { v1: { spec: otherSpec } } });
    expect(() => crdOf(kind)).toThrow(expect.objectContaining({ code: "CONVERSION_MISSING" }));
    expect(checkSchemas(kind)).toMatchObject([{ code: "CONVERSION_MISSING", option: "versions.v1" }]);
  });
});

describe("the schemas of a kind's other versions", () => {
  it("are checked as the kind's own is", () => {
    const kind = defineKind({
      ...names,
      spec,
      versions: { v1: { spec: z.object({ at: z.date() }) as never, convert: convert as never } },
    });
    expect(checkSchemas(kind)).toMatchObject([
      { code: "CRD_SCHEMA_UNSUPPORTED", option: "versions.v1.spec.at" },
    ]);
  });
});

describe("a kind with several versions", () => {
  it("is a type in each of them", () => {
    expect(Store.at("v1beta1")).toEqual({
      group: "data.example.com",
      version: "v1beta1",
      kind: "Store",
      plural: "stores",
      namespaced: true,
    });
    expect(() => Store.at("v3")).toThrow(expect.objectContaining({ code: "VERSION_UNKNOWN" }));
  });

  it.each<[string, object, string]>([
    ["the same version twice", { versions: { v2: { spec } } }, "Disk declares the version v2 twice"],
    ["storage in none of them", { storage: "v9" }, "Disk is stored as v9, which is not a version of it"],
    ["a name that is none", { versions: { V1: { spec } } }, '"V1" cannot be the version of a kind'],
    [
      "a field of the operator",
      { versions: { v1: { spec, status: z.object({ conditions: z.int() }) } } },
      'declares "conditions"',
    ],
    [
      "half a conversion",
      { versions: { v1: { spec, convert: { up: convert.up } } } },
      "versions.v1.convert.down",
    ],
    [
      "an option that is unknown",
      { versions: { v1: { spec, storage: true } } },
      'versions.v1 has no option "storage"',
    ],
    ["a version without a schema", { versions: { v1: {} } }, "versions.v1.spec"],
  ])("is refused with %s", (_, options, message) => {
    expect(() => defineKind({ ...names, spec, ...options })).toThrow(
      expect.objectContaining({ code: "KIND_INVALID", message: expect.stringContaining(message) }),
    );
  });
});

describe("the order of versions", () => {
  it("is the one in which Kubernetes prefers them", () => {
    const sorted = [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "foo10",
    ];
    expect([...sorted].toReversed().toSorted(comparePriority)).toEqual(sorted);
  });
});
