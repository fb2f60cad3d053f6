// The texts and fields are those that kube-apiserver 1.36 answers to the same CRDs.
import { describe, expect, it } from "vitest";
import { checkStructural } from "../../src/schema/check-structural.ts";
import type { StructuralSchema } from "../../src/schema/structural-schema.ts";
import type { ValidationRule } from "../../src/kinds/builtin/json-of.ts";

function complaints(schema: unknown): string[] {
  return checkStructural(schema as StructuralSchema, "root").map(
    ({ reason, field, message }) => `${reason} ${field}: ${message}`,
  );
}
const field = (schema: unknown): string[] => complaints({ type: "object", properties: { a: schema } });
const at = "root.properties[a]";
const list = (items: unknown, more: object): unknown => ({ type: "array", items, ...more });
const mapList = (items: unknown, keys: readonly string[]): unknown =>
  list(items, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });

describe("a structural schema passes", () => {
  it.each<[string, unknown]>([
    ["free-form objects", { type: "object", additionalProperties: true }],
    [
      "an int-or-string spelled out",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    ],
    [
      "conditions on declared fields",
      { type: "object", properties: { x: { type: "string" } }, anyOf: [{ required: ["x"] }] },
    ],
    [
      "a set of lists",
      list({ type: "array", items: { type: "string" } }, { "x-kubernetes-list-type": "set" }),
    ],
    ["a null default", { type: "string", default: null }],
    ["an unknown format", { type: "string", format: "zork" }],
    [
      "a rule about the past of a map list's items",
      mapList(
        {
          type: "object",
          required: ["k"],
          properties: {
            k: { type: "string", maxLength: 9, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
          },
        },
        ["k"],
      ),
    ],
  ])("%s", (_title, schema) => {
    expect(field(schema)).toEqual([]);
  });
});

describe("a schema that is not structural is refused", () => {
  it.each<[string, unknown, readonly string[]]>([
    [
      "no type",
      {},
      [`FieldValueRequired ${at}.type: Required value: must not be empty for specified object fields`],
    ],
    [
      "items without a type",
      list({}, {}),
      [`FieldValueRequired ${at}.items.type: Required value: must not be empty for specified array items`],
    ],
    [
      "a list without items",
      { type: "array" },
      [`FieldValueRequired ${at}.items: Required value: must be specified`],
    ],
    [
      "an unknown type",
      { type: "zork" },
      [
        `FieldValueNotSupported ${at}.type: Unsupported value: "zork": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      "properties and additionalProperties",
      { type: "object", properties: {}, additionalProperties: { type: "string" } },
      [
        `FieldValueForbidden ${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
      ],
    ],
    ["a reference", { $ref: "#/x" }, [`FieldValueForbidden ${at}.$ref: Forbidden: $ref is not supported`]],
    [
      "unique items",
      list({ type: "string" }, { uniqueItems: true }),
      [
        `FieldValueForbidden ${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      "types inside conditions",
      { type: "string", anyOf: [{ type: "string" }] },
      [`FieldValueForbidden ${at}.anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      "defaults inside conditions",
      { type: "object", anyOf: [{ default: {} }] },
      [`FieldValueForbidden ${at}.anyOf[0].default: Forbidden: must be undefined to be structural`],
    ],
    [
      "rules inside conditions",
      { type: "object", not: { "x-kubernetes-validations": [{ rule: "true" }] } },
      [`FieldValueForbidden ${at}.not.x-kubernetes-validations: Forbidden: must be empty to be structural`],
    ],
    [
      "preserving not",
      { type: "object", "x-kubernetes-preserve-unknown-fields": false },
      [
        `FieldValueInvalid ${at}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
      ],
    ],
    [
      "a list type on a string",
      { type: "string", "x-kubernetes-list-type": "set" },
      [
        `FieldValueInvalid ${at}.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
      ],
    ],
    [
      "a map list without keys",
      list({ type: "object" }, { "x-kubernetes-list-type": "map" }),
      [
        `FieldValueRequired ${at}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
      ],
    ],
    [
      "keys that no item has",
      mapList({ type: "object", properties: {} }, ["z"]),
      [
        `FieldValueInvalid ${at}.x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties`,
      ],
    ],
    [
      "a key that may be absent",
      mapList({ type: "object", properties: { k: { type: "string" } } }, ["k"]),
      [
        `FieldValueRequired ${at}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      "a set of granular objects",
      list({ type: "object" }, { "x-kubernetes-list-type": "set" }),
      [
        `FieldValueInvalid ${at}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
      ],
    ],
    [
      "keys of what is no map list",
      list({ type: "string" }, { "x-kubernetes-list-map-keys": ["k"] }),
      [
        `FieldValueRequired ${at}.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`,
      ],
    ],
  ])("%s", (_title, schema, expected) => {
    expect(field(schema)).toEqual(expected);
  });

  it("the root is an object, and does not redefine what every resource has", () => {
    expect(complaints({ properties: {} })).toEqual([
      "FieldValueRequired root.type: Required value: must not be empty at the root",
    ]);
    const metadata = {
      type: "object",
      properties: { labels: { type: "object", additionalProperties: { type: "string" } } },
    };
    expect(complaints({ type: "object", properties: { metadata } })).toEqual([
      "FieldValueForbidden root.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ]);
    expect(complaints({ type: "object", properties: { kind: { type: "integer" } } })).toEqual([
      'FieldValueInvalid root.properties[kind].type: Invalid value: "integer": must be string',
    ]);
  });
});

describe("a default that its schema refuses is refused", () => {
  it.each<[string, unknown, string]>([
    [
      "by type",
      { type: "integer", default: "x" },
      `FieldValueTypeInvalid ${at}.default: Invalid value: "string":  in body must be of type integer: "string"`,
    ],
    [
      "by value",
      { type: "integer", minimum: 5, default: 1 },
      `FieldValueInvalid ${at}.default: Invalid value: 1:  in body should be greater than or equal to 5`,
    ],
    [
      "by unknown fields",
      { type: "object", properties: {}, default: { zork: 1 } },
      `FieldValueInvalid ${at}.default: Invalid value: {"zork":1}: must not have unknown fields`,
    ],
    [
      "by missing fields",
      { type: "object", properties: { b: { type: "string" } }, required: ["b"], default: {} },
      `FieldValueRequired ${at}.default.b: Required value`,
    ],
    [
      "by its rules",
      { type: "string", default: "b", "x-kubernetes-validations": [{ rule: "self == 'a'" }] },
      `FieldValueInvalid ${at}.default: Invalid value: "b": failed rule: self == 'a'`,
    ],
  ])("%s", (_title, schema, expected) => {
    expect(field(schema)).toEqual([expected]);
  });
});

describe("a rule that cannot work is refused", () => {
  const rules = (rule: Partial<ValidationRule>): string[] =>
    field({
      type: "object",
      properties: { a: { type: "string" }, n: { type: "integer" } },
      "x-kubernetes-validations": [{ rule: "self.a == 'x'", ...rule }],
    }).map((text) =>
      text.replace(`${at}.x-kubernetes-validations[0]`, "RULE").replace(/\{"Rule.*?\}: /, "{…}: "),
    );

  it.each([
    ["self.zz == 1", "undefined field 'zz'", "1:5", "....^"],
    ["self.a.zz == 1", "type 'string' does not support field selection", "1:7", "......^"],
    ["foo == 1", "undeclared reference to 'foo' (in container '')", "1:1", "^"],
    ["self.a == 1", "found no matching overload for '_==_' applied to '(string, int)'", "1:8", ".......^"],
    [
      "self.a.startsWith(1)",
      "found no matching overload for 'startsWith' applied to 'string.(int)'",
      "1:18",
      ".................^",
    ],
    ["self.a.foo()", "undeclared reference to 'foo' (in container '')", "1:11", "..........^"],
    ["!self.a", "found no matching overload for '!_' applied to '(string)'", "1:1", "^"],
    ["has(self.zz)", "undefined field 'zz'", "1:4", "...^"],
  ])("%s", (rule, text, place, pointer) => {
    expect(rules({ rule })).toEqual([
      `FieldValueInvalid RULE.rule: Invalid value: {…}: compilation failed: ERROR: <input>:${place}: ${text}\n | ${rule}\n | ${pointer}`,
    ]);
  });

  it("the rule is shown as the server prints it", () => {
    const schema = { type: "string", "x-kubernetes-validations": [{ rule: "self > 1 && true" }] };
    expect(field(schema)[0]).toContain(
      String.raw`Invalid value: {"Rule":"self \u003e 1 \u0026\u0026 true","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed`,
    );
  });

  it.each<[string, Partial<ValidationRule>, string]>([
    [
      "it gives no boolean",
      { rule: "self.a" },
      "FieldValueInvalid RULE.rule: Invalid value: {…}: cel expression must evaluate to a bool",
    ],
    ["it is empty", { rule: "" }, "FieldValueRequired RULE.rule: Required value: rule is not specified"],
    [
      "its reason is none",
      { reason: "Zork" as "FieldValueInvalid" },
      'FieldValueNotSupported RULE.reason: Unsupported value: "Zork": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
    [
      "its path leads nowhere",
      { fieldPath: ".zz" },
      'FieldValueInvalid RULE.fieldPath: Invalid value: ".zz": must be a valid path',
    ],
    [
      "its message expression gives no text",
      { messageExpression: "1" },
      "FieldValueInvalid RULE.messageExpression: Invalid value: {…}: messageExpression must evaluate to a string",
    ],
    [
      "its message has lines",
      { message: "a\nb" },
      String.raw`FieldValueInvalid RULE.message: Invalid value: "a\nb": must not contain line breaks`,
    ],
    [
      "it has lines and no message",
      { rule: "self.a == 'x' &&\ntrue" },
      "FieldValueRequired RULE.message: Required value: message must be specified if rule contains line breaks",
    ],
    [
      "it asks for an optional it does not use",
      { optionalOldSelf: true },
      "FieldValueInvalid RULE.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ],
  ])("because %s", (_title, rule, expected) => {
    expect(rules(rule)).toEqual([expected]);
  });

  it("because it is null", () => {
    const schema = { type: "string", "x-kubernetes-validations": [{ rule: null }] };
    expect(field(schema as unknown as StructuralSchema)).toEqual([
      `FieldValueRequired ${at}.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
    ]);
  });

  it("because it asks for the past of an item that has none", () => {
    const items = {
      type: "string",
      maxLength: 9,
      "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
    };
    expect(field({ type: "array", items })).toEqual([
      `FieldValueInvalid ${at}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${at}`,
    ]);
  });
});
