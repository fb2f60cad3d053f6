// The texts are those that kube-apiserver 1.36 answers to the same schemas and values.
import { describe, expect, it } from "vitest";
import { validate } from "../../src/schema/validate.ts";
import type { StructuralSchema } from "../../src/schema/structural-schema.ts";

const spec = (properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
});

/** Causes as "reason field: message". */
function complaints(schema: StructuralSchema, value: unknown, old?: unknown): string[] {
  const causes = validate(spec({ f: schema }), { spec: { f: value } }, { old });
  return causes.map(({ reason, field, message }) => `${reason} ${field}: ${message}`);
}

describe("a value is held against its schema", () => {
  const cases: readonly (readonly [string, StructuralSchema, unknown, readonly string[]])[] = [
    ["a fitting value", { type: "integer", minimum: 1 }, 3, []],
    [
      "a string for an integer",
      { type: "integer" },
      "x",
      [
        'FieldValueTypeInvalid spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"',
      ],
    ],
    [
      "a fraction for an integer",
      { type: "integer", multipleOf: 2 },
      2.5,
      [
        'FieldValueTypeInvalid spec.f: Invalid value: "number": spec.f in body must be of type integer: "number"',
        'FieldValueInvalid <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.f',
        "FieldValueInvalid spec.f: Invalid value: 2.5: spec.f in body should be a multiple of 2",
      ],
    ],
    [
      "an integer out of range",
      { type: "integer", multipleOf: 2, maximum: 5 },
      7,
      [
        "FieldValueInvalid spec.f: Invalid value: 7: spec.f in body should be a multiple of 2",
        "FieldValueInvalid spec.f: Invalid value: 7: spec.f in body should be less than or equal to 5",
      ],
    ],
    [
      "exclusive bounds",
      { type: "number", minimum: 1, exclusiveMinimum: true },
      1,
      ["FieldValueInvalid spec.f: Invalid value: 1: spec.f in body should be greater than 1"],
    ],
    [
      "an int32 too large",
      { type: "integer", format: "int32" },
      3_000_000_000,
      [
        'FieldValueInvalid <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.f',
      ],
    ],
    [
      "a number where a date is declared",
      { type: "string", format: "date-time" },
      5,
      [
        'FieldValueTypeInvalid spec.f: Invalid value: "int64": spec.f in body must be of type date-time: "int64"',
      ],
    ],
    [
      "a text that is no date",
      { type: "string", format: "date-time" },
      "yesterday",
      [
        'FieldValueTypeInvalid spec.f: Invalid value: "yesterday": spec.f in body must be of type date-time: "yesterday"',
      ],
    ],
    [
      "a text too short and not matching: only the first fault",
      { type: "string", minLength: 2, pattern: "^a+$" },
      "b",
      ['FieldValueInvalid spec.f: Invalid value: "b": spec.f in body should be at least 2 chars long'],
    ],
    [
      "a text too long",
      { type: "string", maxLength: 4 },
      "aaaaa",
      ["FieldValueTooLong spec.f: Too long: may not be more than 4 bytes"],
    ],
    [
      "a text off its pattern",
      { type: "string", pattern: "^a+$" },
      "bb",
      [`FieldValueInvalid spec.f: Invalid value: "bb": spec.f in body should match '^a+$'`],
    ],
    [
      "a value outside an enumeration",
      { type: "string", enum: ["A", "B"] },
      "Z",
      ['FieldValueNotSupported spec.f: Unsupported value: "Z": supported values: "A", "B"'],
    ],
    [
      "a number outside an enumeration",
      { type: "integer", enum: [1, 2] },
      3,
      ['FieldValueNotSupported spec.f: Unsupported value: 3: supported values: "1", "2"'],
    ],
    [
      "a boolean for an int-or-string",
      { "x-kubernetes-int-or-string": true },
      true,
      [
        'FieldValueTypeInvalid spec.f: Invalid value: "boolean": spec.f in body must be of type integer,string: "boolean"',
      ],
    ],
    [
      "list items, each by its index",
      { type: "array", items: { type: "string", maxLength: 3 } },
      ["aaaa", 5],
      [
        "FieldValueTooLong spec.f[0]: Too long: may not be more than 3 bytes",
        'FieldValueTypeInvalid spec.f[1]: Invalid value: "integer": spec.f[1] in body must be of type string: "integer"',
      ],
    ],
    [
      "too few items",
      { type: "array", minItems: 2, items: { type: "string" } },
      ["a"],
      ["FieldValueInvalid spec.f: Invalid value: 1: spec.f in body should have at least 2 items"],
    ],
    [
      "too many items",
      { type: "array", maxItems: 1, items: { type: "string" } },
      ["a", "b"],
      ["FieldValueTooMany spec.f: Too many: 2: must have at most 1 item"],
    ],
    [
      "map entries, each by its key",
      { type: "object", additionalProperties: { type: "integer", minimum: 0 } },
      { "a.b/c": "x", b: -1 },
      [
        'FieldValueTypeInvalid spec.f.a.b/c: Invalid value: "string": spec.f.a.b/c in body must be of type integer: "string"',
        "FieldValueInvalid spec.f.b: Invalid value: -1: spec.f.b in body should be greater than or equal to 0",
      ],
    ],
    [
      "missing fields",
      { type: "object", required: ["p", "q"], properties: { p: { type: "string" }, q: { type: "string" } } },
      {},
      ["FieldValueRequired spec.f.p: Required value", "FieldValueRequired spec.f.q: Required value"],
    ],
    [
      "no alternative of anyOf",
      { type: "object", anyOf: [{ required: ["x"] }, { required: ["y"] }] },
      {},
      [
        'FieldValueInvalid <nil>: Invalid value: "": "spec.f" must validate at least one schema (anyOf)',
        "FieldValueRequired spec.f.x: Required value",
      ],
    ],
    [
      "two alternatives of oneOf",
      { type: "object", oneOf: [{ required: ["x"] }, { required: ["y"] }] },
      { x: 1, y: "s" },
      [
        'FieldValueInvalid <nil>: Invalid value: "": "spec.f" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      "one of allOf failing",
      { type: "object", allOf: [{ required: ["x"] }, { properties: { x: { minimum: 4 } } }] },
      { x: 2 },
      [
        "FieldValueInvalid spec.f.x: Invalid value: 2: spec.f.x in body should be greater than or equal to 4",
        'FieldValueInvalid <nil>: Invalid value: "": "spec.f" must validate all the schemas (allOf)',
      ],
    ],
    [
      "what must not be",
      { type: "object", not: { required: ["x"] } },
      { x: 1 },
      ['FieldValueInvalid <nil>: Invalid value: "": "spec.f" must not validate the schema (not)'],
    ],
  ];
  it.each(cases)("%s", (_title, schema, value, expected) => {
    expect(complaints(schema, value)).toEqual(expected);
  });

  it("null passes only where it is allowed", () => {
    expect(complaints({ type: "string", nullable: true }, null)).toEqual([]);
    expect(complaints({ type: "string" }, null)).toHaveLength(1);
  });

  it("a status is named by its field, and by its path below status in the text", () => {
    const schema: StructuralSchema = { type: "object", properties: { phase: { type: "string" } } };
    expect(validate(schema, { phase: 5 }, { field: "status" })).toEqual([
      {
        reason: "FieldValueTypeInvalid",
        field: "status.phase",
        message: 'Invalid value: "integer": phase in body must be of type string: "integer"',
      },
    ]);
  });
});

describe("an update is not blamed for what it leaves alone", () => {
  const schema = spec({
    a: { type: "string", maxLength: 3 },
    b: { type: "string" },
    list: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        properties: { name: { type: "string" }, v: { type: "string", maxLength: 1 } },
      },
    },
    plain: { type: "array", items: { type: "string", maxLength: 1 } },
  });
  const fields = (object: unknown, old: unknown): string[] =>
    validate(schema, object, { old }).map(({ field }) => field);

  it("an unchanged invalid value passes, a touched one does not", () => {
    const old = { spec: { a: "longvalue", b: "x" } };
    expect(fields({ spec: { a: "longvalue", b: "y" } }, old)).toEqual([]);
    expect(fields({ spec: { a: "longvalue2", b: "x" } }, old)).toEqual(["spec.a"]);
  });

  it("items of a map list are followed by their key, those of other lists are not", () => {
    const old = { spec: { list: [{ name: "p", v: "long" }], plain: ["long"] } };
    expect(
      fields({ spec: { list: [{ name: "q" }, { name: "p", v: "long" }], plain: ["long"] } }, old),
    ).toEqual([]);
    expect(fields({ spec: { list: [{ name: "q", v: "long" }], plain: ["long", "x"] } }, old)).toEqual([
      "spec.list[0].v",
      "spec.plain[0]",
    ]);
  });
});
