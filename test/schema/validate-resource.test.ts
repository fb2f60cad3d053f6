// The texts are those that kube-apiserver 1.36 answers to the same schemas and objects.
import { describe, expect, it } from "vitest";
import { joinCauses } from "../../src/schema/status-cause.ts";
import type { StructuralSchema } from "../../src/schema/structural-schema.ts";
import { validateResource } from "../../src/schema/validate-resource.ts";

const schema: StructuralSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["image"],
      properties: {
        image: { type: "string" },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["b", "a"],
          items: { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } },
        },
        inner: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
      "x-kubernetes-validations": [{ rule: "self.image != 'bad'", message: "no bad image" }],
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};
const object = (spec: unknown, status?: unknown): unknown => ({
  apiVersion: "x/v1",
  kind: "Foo",
  metadata: { name: "n" },
  spec,
  ...(status === undefined ? {} : { status }),
});
const unchecked =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; " +
  "correct the existing errors to complete validation";

describe("a custom resource is held against everything its schema says", () => {
  it("a valid one passes", () => {
    expect(validateResource(schema, object({ image: "i", tags: ["a", "b"] }))).toEqual([]);
  });

  it("rules are not tried on an object that could make them stumble, and the answer says so", () => {
    expect(joinCauses(validateResource(schema, object({})))).toBe(
      `[spec.image: Required value, ${unchecked}]`,
    );
  });

  it("rules are tried on duplicates: those cannot make them stumble", () => {
    expect(joinCauses(validateResource(schema, object({ image: "bad", tags: ["a", "a"] })))).toBe(
      '[spec.tags[1]: Duplicate value: "a", spec: Invalid value: no bad image]',
    );
  });

  it("duplicates in a map list show their keys, sorted", () => {
    const ports = [
      { a: "x", b: 1 },
      { a: "y", b: 1 },
      { b: 1, a: "x" },
    ];
    expect(joinCauses(validateResource(schema, object({ image: "i", ports })))).toBe(
      'spec.ports[2]: Duplicate value: {"a":"x","b":1}',
    );
  });

  it("duplicates that were there before the update pass", () => {
    const old = object({ image: "i", tags: ["a", "a"] });
    expect(validateResource(schema, object({ image: "j", tags: ["a", "a", "b"] }), { old })).toEqual([]);
  });

  it("an embedded resource needs an API version and a kind", () => {
    expect(validateResource(schema, object({ image: "i", inner: {} })).map(({ field }) => field)).toEqual([
      "spec.inner.apiVersion",
      "spec.inner.kind",
      "<nil>",
    ]);
    const inner = { apiVersion: "a/b/c", kind: "Ok" };
    expect(validateResource(schema, object({ image: "i", inner }))).toEqual([
      {
        reason: "FieldValueInvalid",
        field: "spec.inner.apiVersion",
        message: 'Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      },
    ]);
  });

  it("a write to the status subresource is held against the status alone", () => {
    const causes = validateResource(schema, object({}, { phase: 5 }), { old: object({}), statusOnly: true });
    expect(joinCauses(causes)).toBe(
      `[status.phase: Invalid value: "integer": phase in body must be of type string: "integer", ${unchecked}]`,
    );
  });

  it("a schema without rules never mentions them", () => {
    const plain: StructuralSchema = { type: "object", properties: { a: { type: "string" } } };
    expect(joinCauses(validateResource(plain, { a: 5 }))).toBe(
      'a: Invalid value: "integer": a in body must be of type string: "integer"',
    );
  });

  it("the joined text says the same thing once", () => {
    const cause = { reason: "FieldValueForbidden", field: "f", message: "Forbidden: no" } as const;
    expect(joinCauses([cause, cause])).toBe("f: Forbidden: no");
  });
});
