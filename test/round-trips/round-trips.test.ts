import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { z } from "zod";
import { defineKind } from "../../src/kinds/define-kind.ts";
import { jsonSchemaOf } from "../../src/kinds/zod-schema.ts";
import { conversionTests } from "../../src/testing/conversion-tests.ts";
import { versionProblems } from "../../src/round-trips/round-trips.ts";
import { valuesOf } from "../../src/round-trips/sample-values.ts";
import { Store } from "../kinds/versions/three-versions.ts";

const options = { runs: 100, seed: 7 };

/** A kind with one other version, whose conversion is as given. */
function withConversion(convert: {
  up: (object: { spec: { mb: number } }) => { spec: { gb: number } };
  down: (object: { spec: { gb: number } }) => { spec: { mb: number } };
}) {
  return defineKind({
    group: "data.example.com",
    version: "v2",
    kind: "Disk",
    spec: z.object({ gb: z.int().min(1) }),
    versions: { v1: { spec: z.object({ mb: z.int().min(1) }), convert } },
  });
}

const right = {
  up: ({ spec: { mb } }: { spec: { mb: number } }) => ({ spec: { gb: Math.ceil(mb / 1024) } }),
  down: ({ spec: { gb } }: { spec: { gb: number } }) => ({ spec: { mb: gb * 1024 } }),
};

describe("the check of a kind's versions", () => {
  it("finds nothing where versions lose what they cannot express and are right otherwise", () => {
    expect(versionProblems(withConversion(right), options)).toEqual([]);
  });

  it("finds a unit that is not converted back, with the smallest object that shows it", () => {
    const kind = withConversion({
      ...right,
      down: ({ spec: { gb } }) => ({ spec: { mb: gb * 1000 + 1000 } }),
    });
    expect(versionProblems(kind, options)).toMatchObject([
      {
        code: "CONVERSION_ASYMMETRIC",
        severity: "error",
        option: "versions.v1.convert",
        message:
          'a v2 with {"spec":{"gb":1}} becomes {"mb":2000} as v1, but {"mb":3000} after v2 and back: spec.mb differs',
      },
      { code: "CONVERSION_ASYMMETRIC" },
    ]);
  });

  it("finds an object that a function throws on", () => {
    const kind = withConversion({
      down: () => ({ spec: { mb: 1 } }),
      up: ({ spec: { mb } }) => {
        if (mb > 99) throw new RangeError("too many");
        return { spec: { gb: 1 } };
      },
    });
    expect(versionProblems(kind, options)).toContainEqual(
      expect.objectContaining({
        code: "CONVERSION_FAILS",
        message: 'a v1 with {"spec":{"mb":100}} cannot be converted: v1 to v2: too many',
      }),
    );
  });

  it("finds a result that the other version does not accept", () => {
    const kind = withConversion({
      ...right,
      up: ({ spec: { mb } }) => ({ spec: { gb: Math.floor(mb / 1024) } }),
    });
    expect(versionProblems(kind, options)).toContainEqual(
      expect.objectContaining({
        code: "CONVERSION_INVALID",
        message: expect.stringContaining(
          'a v1 with {"spec":{"mb":1}} becomes {"gb":0}, which v2 does not accept: spec.gb',
        ),
      }),
    );
  });

  it("finds a function that answers differently when it is asked again", () => {
    let asked = 0;
    const kind = withConversion({ ...right, down: () => ({ spec: { mb: (asked += 1) } }) });
    expect(versionProblems(kind, options)).toContainEqual(
      expect.objectContaining({ code: "CONVERSION_IMPURE" }),
    );
  });

  it("says where objects are stored in a version that is not served, or deprecated", () => {
    const spec = z.object({ gb: z.int() });
    const kind = defineKind({
      group: "data.example.com",
      version: "v2",
      kind: "Disk",
      spec,
      storage: "v1",
      versions: { v1: { spec, served: false, deprecated: true } },
    });
    expect(versionProblems(kind, options).map(({ code, severity }) => [code, severity])).toEqual([
      ["STORAGE_NOT_SERVED", "warning"],
      ["STORAGE_DEPRECATED", "warning"],
    ]);
  });

  it("says what it could not try, instead of finding nothing", () => {
    const kind = defineKind({
      group: "data.example.com",
      version: "v2",
      kind: "Disk",
      spec: z.object({ gb: z.int() }),
      versions: {
        v1: {
          spec: z.object({ mb: z.int().refine((value) => value === 123_457) }),
          convert: { up: () => ({ spec: { gb: 1 } }), down: () => ({ spec: { mb: 123_457 } }) },
        },
      },
    });
    expect(versionProblems(kind, options)).toMatchObject([
      { code: "CONVERSION_UNTESTED", severity: "warning", option: "versions.v1.convert" },
    ]);
  });
});

describe("the tests of a kind's conversion", () => {
  const tests = conversionTests(Store, { samples: { v1alpha1: [{ sizeMb: 1, owner: "ada" }] } });

  it("are one for each pair of versions and direction", () => {
    expect(tests.map(({ name }) => name)).toEqual([
      "every v1 can be converted to v1beta1 and back",
      "every v1 can be converted to v1alpha1 and back",
      "every v1beta1 can be converted to v1 and back",
      "every v1beta1 can be converted to v1alpha1 and back",
      "every v1alpha1 can be converted to v1 and back",
      "every v1alpha1 can be converted to v1beta1 and back",
    ]);
  });

  it.each(tests)("$name", ({ run }) => run());

  it("try the author's own samples", async () => {
    const [, , , , test] = conversionTests(Store, {
      samples: { v1alpha1: [{ sizeMb: 1, owner: "nobody" }] },
    });
    await expect(test?.run()).rejects.toMatchObject({ code: "CONVERSION_FAILS" });
  });

  it("refuse options that are unknown", () => {
    expect(() => conversionTests(Store, { run: 3 } as never)).toThrow(
      expect.objectContaining({ code: "TEST_OPTIONS_INVALID" }),
    );
  });
});

describe("values made up from a schema", () => {
  it.each<[string, z.ZodType]>([
    [
      "texts with patterns and lengths",
      z.object({ a: z.string().regex(/^[a-z]{2,4}-\d+$/), b: z.string().min(3).max(5) }),
    ],
    [
      "numbers with limits",
      z.object({
        a: z.int().min(3).max(9),
        b: z.number().gt(0).lt(10),
        c: z.int().multipleOf(5),
        d: z.int().min(2_000_000),
      }),
    ],
    [
      "formats",
      z.object({
        a: z.iso.datetime(),
        b: z.uuid(),
        c: z.url(),
        d: z.email(),
        e: z.ipv4(),
        f: z.ipv6(),
        g: z.base64(),
        h: z.iso.date(),
      }),
    ],
    [
      "variants",
      z.object({
        a: z.discriminatedUnion("t", [
          z.object({ t: z.literal("x"), v: z.string() }),
          z.object({ t: z.literal("y"), w: z.int() }),
        ]),
      }),
    ],
    [
      "lists, sets and maps",
      z.object({
        a: z.array(z.int()).min(2).max(3),
        b: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }),
        c: z.record(z.string(), z.boolean()),
      }),
    ],
    [
      "what is optional, nullable, or anything",
      z.object({
        a: z.string().optional(),
        b: z.int().nullable(),
        c: z.unknown(),
        d: z.looseObject({ e: z.boolean() }),
        f: z.enum(["p", "q"]),
      }),
    ],
  ])("are accepted by it: %s", (_, schema) => {
    fc.assert(
      fc.property(valuesOf(jsonSchemaOf(schema)), (value) => schema.safeParse(value).success),
      { numRuns: 200, seed: 3 },
    );
  });

  it("have no item of a set twice", () => {
    const schema = z.array(z.int().min(0).max(3)).meta({ "x-kubernetes-list-type": "set" });
    fc.assert(
      fc.property(
        valuesOf(jsonSchemaOf(schema)),
        (value) => new Set(value as number[]).size === (value as number[]).length,
      ),
      { seed: 3 },
    );
  });
});
