import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDefaults } from "../../src/schema/apply-defaults.ts";
import { prune } from "../../src/schema/prune.ts";
import type { StructuralSchema } from "../../src/schema/structural-schema.ts";
import { jsonObject, structuralSchema } from "./arbitrary-schema.ts";

const schema: StructuralSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        image: { type: "string" },
        replicas: { type: "integer", default: 1 },
        nul: { type: "string", nullable: true },
        free: { "x-kubernetes-preserve-unknown-fields": true },
        partly: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { z: { type: "string" } } } },
        },
        envs: {
          type: "array",
          items: {
            type: "object",
            properties: { name: { type: "string" }, value: { type: "string", default: "dv" } },
          },
        },
        nested: { type: "object", default: {}, properties: { a: { type: "integer", default: 3 } } },
        absent: { type: "object", properties: { a: { type: "integer", default: 3 } } },
        labels: { type: "object", additionalProperties: { type: "string" } },
        words: { type: "array", items: { type: "string", default: "z" } },
        inner: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object" } },
        },
      },
    },
  },
};
const prunedSpec = (spec: unknown): unknown => prune(schema, { spec }).value;
const defaultedSpec = (spec: unknown): unknown => applyDefaults(schema, { spec });

describe("pruning", () => {
  it("removes undeclared fields at any depth and names them, sorted", () => {
    const spec = {
      zork: 1,
      image: "i",
      envs: [{ name: "a" }, { name: "b", colour: "red" }],
      absent: { "a/b": { c: 1 } },
    };
    expect(prune(schema, { spec })).toEqual({
      value: { spec: { image: "i", envs: [{ name: "a" }, { name: "b" }], absent: {} } },
      pruned: ["spec.absent.a/b", "spec.envs[1].colour", "spec.zork"],
    });
  });

  it("keeps apiVersion, kind and metadata of the root and of embedded resources, and only there", () => {
    const object = { apiVersion: "v1", kind: "K", metadata: { name: "n", anything: 1 }, other: 1 };
    expect(prune(schema, object)).toEqual({
      value: { apiVersion: "v1", kind: "K", metadata: { name: "n", anything: 1 } },
      pruned: ["other"],
    });
    expect(prunedSpec({ inner: object, absent: { kind: "K" } })).toEqual({
      spec: { inner: { apiVersion: "v1", kind: "K", metadata: { name: "n", anything: 1 } }, absent: {} },
    });
  });

  it("keeps unknown fields where they are preserved, but prunes inside what is declared there", () => {
    expect(
      prune(schema, { spec: { free: [{ a: null }], partly: { a: 1, known: { z: "1", w: 2 } } } }),
    ).toEqual({
      value: { spec: { free: [{ a: null }], partly: { a: 1, known: { z: "1" } } } },
      pruned: ["spec.partly.known.w"],
    });
  });

  it("reports the fields of an object where a scalar is declared", () => {
    expect(prune(schema, { spec: { image: { a: 1 } } }).pruned).toEqual(["spec.image.a"]);
  });

  it("does not change what it is given", () => {
    const object = { spec: { zork: 1 } };
    prune(schema, object);
    expect(object).toEqual({ spec: { zork: 1 } });
  });

  it("pruning twice changes nothing more", () => {
    fc.assert(
      fc.property(structuralSchema, jsonObject, (anySchema, object) => {
        const once = prune(anySchema, object).value;
        expect(prune(anySchema, once)).toEqual({ value: once, pruned: [] });
      }),
    );
  });
});

describe("defaulting", () => {
  it("fills absent fields, also in lists and below defaults, but not below absent objects", () => {
    expect(defaultedSpec({ image: "i", envs: [{ name: "a" }] })).toEqual({
      spec: { image: "i", replicas: 1, envs: [{ name: "a", value: "dv" }], nested: { a: 3 } },
    });
  });

  it("null takes the default, is dropped without one, and stays where it is allowed", () => {
    expect(defaultedSpec({ replicas: null, image: null, nul: null, nested: null, free: null })).toEqual({
      spec: { replicas: 1, nul: null, nested: { a: 3 } },
    });
    expect(defaultedSpec({ labels: { a: null, b: "x" }, words: [null, "x"] })).toMatchObject({
      spec: { labels: { b: "x" }, words: ["z", "x"] },
    });
  });

  it("keeps such nulls on request, as the server does after server-side apply", () => {
    expect(
      applyDefaults(schema, { spec: { image: null, replicas: null } }, { keepNulls: true }),
    ).toMatchObject({
      spec: { image: null, replicas: 1 },
    });
  });

  it("never changes a value that is there", () => {
    expect(defaultedSpec({ replicas: 0, nested: { a: 0 } })).toEqual({
      spec: { replicas: 0, nested: { a: 0 } },
    });
  });

  it("hands out a copy of the default", () => {
    const first = applyDefaults(schema, { spec: {} }) as { spec: { nested: Record<string, unknown> } };
    first.spec.nested["a"] = 9;
    expect(defaultedSpec({})).toMatchObject({ spec: { nested: { a: 3 } } });
  });

  it("defaulting twice changes nothing more", () => {
    fc.assert(
      fc.property(structuralSchema, jsonObject, (anySchema, object) => {
        const once = applyDefaults(anySchema, object);
        expect(applyDefaults(anySchema, once)).toEqual(once);
      }),
    );
  });
});
