import { describe, expect, it } from "vitest";
import { z } from "zod";
import { structuralSchemaOf } from "../../src/kinds/structural-schema.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";

const schemaOf = (field: z.ZodType): unknown =>
  (structuralSchemaOf(z.object({ field }), "spec") as { properties: { field: unknown } }).properties.field;

const refusalOf = (field: z.ZodType): { readonly message: string; readonly remedy: string | undefined } => {
  try {
    structuralSchemaOf(z.object({ field }), "spec");
  } catch (error) {
    if (isOperatorError(error, "CRD_SCHEMA_UNSUPPORTED")) return error;
    throw error;
  }
  throw new Error("nothing was refused");
};

/** What a double holds exactly: what is larger would be rounded on its way to a child. */
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const integer = { type: "integer", ...safe };

describe("the structural schema of a zod schema", () => {
  it.each<[string, z.ZodType, unknown]>([
    ["a string with checks", z.string().min(2).max(5), { type: "string", minLength: 2, maxLength: 5 }],
    ["a pattern", z.string().regex(/^[a-z]+$/), { type: "string", pattern: "^[a-z]+$" }],
    [
      "several patterns, all of which must match",
      z.string().startsWith("a").endsWith("b"),
      { type: "string", allOf: [{ pattern: "^a.*" }, { pattern: ".*b$" }] },
    ],
    ["a description", z.string().describe("How."), { type: "string", description: "How." }],
    ["a default", z.string().default("1Gi"), { type: "string", default: "1Gi" }],
    ["an integer, unbounded", z.int(), integer],
    ["a bounded integer", z.int().min(1).max(9), { ...integer, minimum: 1, maximum: 9 }],
    ["an integer with a width", z.int().meta({ format: "int64" }), { ...integer, format: "int64" }],
    ["a positive number", z.number().positive(), { type: "number", minimum: 0, exclusiveMinimum: true }],
    ["a multiple", z.int().multipleOf(5), { ...integer, multipleOf: 5 }],
    ["a boolean", z.boolean(), { type: "boolean" }],
    ["an enum", z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["literals", z.literal(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["a nullable string", z.string().nullable(), { type: "string", nullable: true }],
    [
      "a nullable enum as a pattern, as the server finds null in no list",
      z.enum(["a", "b"]).nullable(),
      { type: "string", nullable: true, pattern: "^(a|b)$" },
    ],
    [
      "a union of literals and null",
      z.union([z.literal("a"), z.literal("b"), z.null()]),
      { type: "string", nullable: true, pattern: "^(a|b)$" },
    ],
    ["a union with null", z.union([z.string(), z.null()]), { type: "string", nullable: true }],
    ["a list", z.array(z.int()).min(1).max(3), { type: "array", items: integer, minItems: 1, maxItems: 3 }],
    [
      "a set",
      z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }),
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ],
    ["a record", z.record(z.string(), z.int()), { type: "object", additionalProperties: integer }],
    [
      "a record over known keys",
      z.record(z.enum(["a", "b"]), z.int()),
      {
        type: "object",
        properties: { a: integer, b: integer },
        required: ["a", "b"],
      },
    ],
    [
      "a partial record over known keys",
      z.partialRecord(z.enum(["a"]), z.int()),
      { type: "object", properties: { a: integer } },
    ],
    [
      "a record with checked keys",
      z.record(z.string().regex(/^a"/).min(2).max(9), z.int()).meta({ maxProperties: 5 }),
      {
        type: "object",
        additionalProperties: integer,
        maxProperties: 5,
        "x-kubernetes-validations": [
          {
            rule: String.raw`self.all(key, key.matches("^a\"") && size(key) >= 2 && size(key) <= 9)`,
            message: String.raw`every key must satisfy: key.matches("^a\"") && size(key) >= 2 && size(key) <= 9`,
          },
        ],
      },
    ],
    [
      "a strict object, which the server prunes anyway",
      z.strictObject({ a: z.string() }),
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    ],
    [
      "a loose object",
      z.looseObject({ a: z.string() }),
      {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"],
        "x-kubernetes-preserve-unknown-fields": true,
      },
    ],
    ["anything", z.unknown(), { "x-kubernetes-preserve-unknown-fields": true }],
    [
      "a record of anything",
      z.record(z.string(), z.unknown()),
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ],
    [
      "a custom type that accepts any content",
      z.custom<{ a: string }>().meta({ "x-kubernetes-preserve-unknown-fields": true }),
      { "x-kubernetes-preserve-unknown-fields": true },
    ],
    [
      "an integer or a string",
      z.union([z.int(), z.string()]),
      { ...safe, "x-kubernetes-int-or-string": true },
    ],
    [
      "an integer or one word",
      z.union([z.int().min(1), z.literal("auto")]),
      { ...safe, "x-kubernetes-int-or-string": true, minimum: 1, pattern: "^(auto)$" },
    ],
    [
      "listed integers and words",
      z.union([z.literal(1), z.literal("a.b")]),
      { "x-kubernetes-int-or-string": true, enum: [1, "a.b"] },
    ],
    [
      "enums of one type",
      z.union([z.literal("a"), z.enum(["b", "a"])]),
      { type: "string", enum: ["a", "b"] },
    ],
    [
      "strings with different checks",
      z.union([z.string().max(3), z.string().startsWith("x-")]),
      { type: "string", anyOf: [{ maxLength: 3 }, { pattern: "^x-.*" }] },
    ],
    [
      "integers or numbers",
      z.union([z.int().max(3), z.number().min(10)]),
      { type: "number", anyOf: [{ ...safe, maximum: 3 }, { minimum: 10 }] },
    ],
    [
      "an intersection",
      z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a", "b"] },
    ],
    [
      "a default inside an object",
      z.object({ a: z.int().default(1) }),
      { type: "object", properties: { a: { ...integer, default: 1 } } },
    ],
    ["a format that the server knows", z.ipv4(), expect.objectContaining({ type: "string", format: "ipv4" })],
    ["a format that it does not know", z.nanoid(), { type: "string", pattern: expect.any(String) }],
  ])("says %s", (_, field, expected) => {
    expect(schemaOf(field)).toEqual(expected);
  });

  it("puts the shape of a discriminated union outside, and what tells the variants apart inside", () => {
    const storage = z.discriminatedUnion("type", [
      z.object({ type: z.literal("disk"), size: z.string(), zone: z.string().optional() }),
      z.object({ type: z.literal("bucket").describe("Which."), url: z.url(), zone: z.string().optional() }),
    ]);
    expect(schemaOf(storage)).toEqual({
      type: "object",
      properties: {
        type: { type: "string", description: "Which.", enum: ["disk", "bucket"] },
        size: { type: "string" },
        url: { type: "string", format: "uri" },
        zone: { type: "string" },
      },
      required: ["type"],
      oneOf: [
        { properties: { type: { enum: ["disk"] } }, required: ["type", "size"] },
        { properties: { type: { enum: ["bucket"] } }, required: ["type", "url"] },
      ],
    });
  });

  it.each<[string, z.ZodType, RegExp, RegExp]>([
    ["a date", z.date(), /^spec\.field: a Date/, /z\.iso\.datetime/],
    ["a bigint", z.bigint(), /bigint/, /z\.int/],
    ["a map", z.map(z.string(), z.string()), /Map/, /z\.record/],
    ["a set", z.set(z.string()), /Set/, /list-type/],
    ["a tuple", z.tuple([z.string()]), /tuple/, /z\.array/],
    ["a transformation", z.string().transform(Number), /transformation/, /written form/],
    ["a codec", z.stringbool(), /transformation/, /written form/],
    ["a preprocessed value", z.preprocess((value) => value, z.string()), /transformation/, /written form/],
    ["a custom check", z.custom<string>(() => true), /custom/, /preserve-unknown-fields/],
    ["never", z.never(), /nothing/, /Remove/],
    ["flags of a pattern", z.string().regex(/^a$/i), /flags/, /\[a-zA-Z\]/],
    ["look-ahead", z.string().regex(/^(?!a)/), /RE2/, /Write it without/],
    ["a back reference", z.string().regex(/(a)\1/), /RE2/, /Write it without/],
    ["an ISO duration, whose pattern looks ahead", z.iso.duration(), /RE2/, /Write it without/],
    [
      "checked keys of a record",
      z.record(z.string().regex(/^a/), z.string()),
      /keys of a record/,
      /z\.string/,
    ],
    [
      "named fields and others",
      z.object({ a: z.string() }).catchall(z.number()),
      /either named fields/,
      /looseObject/,
    ],
    ["any JSON, which contains itself", z.json(), /contains itself/, /z\.unknown/],
    ["string or object", z.union([z.string(), z.object({})]), /union of string and object/, /one type/],
    ["string or number", z.union([z.string(), z.number()]), /union of string and number/, /one type/],
    ["values of several types", z.literal(["a", true]), /different types/, /one type/],
    [
      "variants that disagree in a nested shape",
      z.union([z.object({ a: z.object({ b: z.string() }) }), z.object({ a: z.object({ b: z.int() }) })]),
      /^spec\.field\.a: .*different shapes/,
      /same shape/,
    ],
    [
      "a default of one variant",
      z.union([z.object({ a: z.string() }), z.object({ b: z.string().default("x") })]),
      /^spec\.field\.b: .*default/,
      /optional/,
    ],
    [
      "a record as a variant",
      z.union([z.object({ a: z.string() }), z.record(z.string(), z.string())]),
      /record/,
      /name of its own/,
    ],
    ["listed integers or null", z.literal([1, 2]).nullable(), /may be null/, /optional/],
    ["a default of null", z.string().nullable().default(null), /default of null/, /optional/],
    ["always null", z.null(), /always null/, /Remove/],
    ["listed integers with free strings", z.union([z.literal(1), z.string()]), /mixture/, /z\.int/],
    [
      "checked keys in a list without a limit",
      z.array(z.object({ a: z.record(z.string().max(63), z.string()).meta({ maxProperties: 8 }) })),
      /^spec\.field: .*keys of the records in it/,
      /max\(16\)/,
    ],
    [
      "checked keys in a map without a limit",
      z.record(z.string(), z.record(z.string().max(63), z.string()).meta({ maxProperties: 8 })),
      /^spec\.field: .*keys of the records in it/,
      /maxProperties: 16/,
    ],
  ])("refuses %s, with the field and a way out", (_, field, message, remedy) => {
    const refusal = refusalOf(field);
    expect(refusal.message).toMatch(message);
    expect(refusal.message).toMatch(/^spec\.field/);
    expect(refusal.remedy).toMatch(remedy);
  });

  it("names the place inside lists and records", () => {
    expect(refusalOf(z.array(z.object({ when: z.date() }))).message).toMatch(/^spec\.field\[\]\.when: /);
    expect(refusalOf(z.record(z.string(), z.date())).message).toMatch(/^spec\.field\{\}: /);
  });

  it("takes checked keys in a list with a limit", () => {
    const records = z.array(z.record(z.string().max(63), z.string()).meta({ maxProperties: 8 })).max(16);
    expect(structuralSchemaOf(records, "spec.x")).toMatchObject({
      maxItems: 16,
      items: { "x-kubernetes-validations": [{ rule: "self.all(key, size(key) <= 63)" }] },
    });
  });

  it("refuses a schema that contains itself", () => {
    const tree = z.object({
      get children() {
        return z.array(tree).optional();
      },
    });
    expect(refusalOf(tree).message).toMatch(/contains itself/);
  });

  it("writes a schema that is used twice out twice", () => {
    const size = z.object({ cpu: z.string() });
    const schema = JSON.stringify(structuralSchemaOf(z.object({ a: size, b: size }), "spec"));
    expect(schema).not.toContain("$ref");
    expect(schema.match(/cpu/g)).toHaveLength(4);
  });
});
