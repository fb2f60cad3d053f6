import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkSchemas } from "../../src/kinds/check-schemas.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";

const kindOf = (spec: z.ZodObject, status?: z.ZodObject) =>
  defineKind({
    group: "a.example.com",
    version: "v1",
    kind: "Thing",
    spec,
    ...(status === undefined ? {} : { status }),
  }) as never;

describe("the findings in the schemas of a kind", () => {
  it("are all that keeps its CRD from being made, each with its path, and not the first alone", () => {
    const kind = kindOf(
      z.object({
        when: z.date(),
        parts: z.array(z.object({ size: z.bigint(), name: z.string().regex(/a/i) })),
        byName: z.record(z.string(), z.object({ made: z.map(z.string(), z.string()) })),
        either: z.union([z.string(), z.object({ a: z.string() })]),
        fine: z.string(),
      }),
      z.object({ since: z.date().optional() }),
    );
    const problems = checkSchemas(kind);
    expect(problems.map(({ option, code, severity }) => `${severity} ${code} ${option}`)).toEqual([
      "error CRD_SCHEMA_UNSUPPORTED spec.when",
      "error CRD_SCHEMA_UNSUPPORTED spec.parts.size",
      "error CRD_SCHEMA_UNSUPPORTED spec.parts.name",
      "error CRD_SCHEMA_UNSUPPORTED spec.byName.made",
      "error CRD_SCHEMA_UNSUPPORTED spec.either",
      "error CRD_SCHEMA_UNSUPPORTED status.since",
    ]);
    expect(() => crdOf(kind)).toThrow(
      expect.objectContaining({
        code: "CRD_SCHEMA_UNSUPPORTED",
        message: "Thing: spec.when: a Date is not JSON",
        fields: { path: "spec.when", kind: "Thing" },
      }),
    );
  });

  it.each([
    ["a refined text", z.object({ a: z.string().refine((text) => text !== "") }), ["spec.a"]],
    [
      "an optional one",
      z.object({
        a: z
          .string()
          .refine(() => true)
          .optional(),
      }),
      ["spec.a"],
    ],
    [
      "one with a default",
      z.object({
        a: z
          .int()
          .superRefine(() => undefined)
          .default(1),
      }),
      ["spec.a"],
    ],
    ["a refined object", z.object({ a: z.object({ b: z.string() }).refine(() => true) }), ["spec.a"]],
    ["the refined spec itself", z.object({ a: z.string() }).refine(() => true), ["spec"]],
    ["refined items", z.object({ a: z.array(z.string().refine(() => true)) }), ["spec.a"]],
    ["a trimmed text", z.object({ a: z.string().trim() }), ["spec.a"]],
  ])("warn of what no API server checks: %s", (_, spec, options) => {
    const problems = checkSchemas(kindOf(spec));
    expect(problems).toEqual(
      options.map((option) =>
        expect.objectContaining({ code: "CRD_CHECK_DROPPED", severity: "warning", option }),
      ),
    );
    expect(JSON.stringify(crdOf(kindOf(spec)))).not.toContain("unchecked");
  });

  it("are none of what a webhook checks; it changes nothing, and sees neither a status nor another version", () => {
    const text = z.string().refine(() => true);
    const kind = defineKind({
      group: "a.example.com",
      version: "v1",
      kind: "Thing",
      spec: z.object({ a: text, b: z.string().trim() }).refine(() => true),
      status: z.object({ c: text }),
      versions: {
        v1alpha1: {
          spec: z.object({ a: text, b: z.string() }),
          convert: { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) },
        },
      },
    });
    const options = checkSchemas(kind as never, { validated: true }).map(({ option }) => option);
    expect(options).toEqual(["spec.b", "status.c", "versions.v1alpha1.spec.a", "versions.v1alpha1.status.c"]);
  });

  it.each([
    ["checks that a schema has", z.object({ a: z.string().min(1).max(9).regex(/^a/), b: z.int().min(1) })],
    [
      "a refinement beside the same rule in CEL",
      z.object({
        a: z
          .string()
          .refine((text) => text.startsWith("a"))
          .meta({ "x-kubernetes-validations": [{ rule: "self.startsWith('a')", message: "starts with a" }] }),
      }),
    ],
  ])("are none for %s", (_, spec) => {
    expect(checkSchemas(kindOf(spec))).toEqual([]);
  });
});
