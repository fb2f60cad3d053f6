// The texts are those that kube-apiserver 1.36 answers to the same rules and values.
import { describe, expect, it } from "vitest";
import { checkRules } from "../../src/schema/cel-rules.ts";
import type { StructuralSchema } from "../../src/schema/structural-schema.ts";
import type { ValidationRule } from "../../src/kinds/builtin/json-of.ts";

const ruled = (schema: StructuralSchema, ...rules: readonly ValidationRule[]): StructuralSchema => ({
  ...schema,
  "x-kubernetes-validations": rules,
});
const within = (schema: StructuralSchema): StructuralSchema => ({
  type: "object",
  properties: { spec: { type: "object", properties: { f: schema } } },
});
function complaints(schema: StructuralSchema, value: unknown, old?: unknown): string[] {
  const causes = checkRules(
    within(schema),
    { spec: { f: value } },
    old === undefined ? {} : { old: { spec: { f: old } } },
  );
  return causes.map(({ reason, field, message }) => `${reason} ${field}: ${message}`);
}
const object: StructuralSchema = {
  type: "object",
  properties: {
    x: { type: "integer" },
    y: { type: "integer" },
    in: { type: "string" },
    "a-b": { type: "string" },
  },
};

describe("a broken rule is a cause", () => {
  it("with the rule itself when it has no message, and the value when that is a scalar", () => {
    expect(complaints(ruled({ type: "integer" }, { rule: "self < 5" }), 5)).toEqual([
      "FieldValueInvalid spec.f: Invalid value: 5: failed rule: self < 5",
    ]);
    expect(complaints(ruled({ type: "integer" }, { rule: "self < 5" }), 4)).toEqual([]);
  });

  it("without the value when that is an object or a list", () => {
    const list = ruled({ type: "array", items: { type: "string" } }, { rule: "self.size() < 3" });
    expect(complaints(list, ["a", "b", "c"])).toEqual([
      "FieldValueInvalid spec.f: Invalid value: failed rule: self.size() < 3",
    ]);
  });

  it("with its reason and at its field path", () => {
    const rule: ValidationRule = { rule: "self.x < self.y", fieldPath: ".x", reason: "FieldValueForbidden" };
    expect(complaints(ruled(object, rule), { x: 3, y: 2 })).toEqual([
      "FieldValueForbidden spec.f.x: Forbidden: failed rule: self.x < self.y",
    ]);
    const required: ValidationRule = {
      rule: "has(self.x)",
      reason: "FieldValueRequired",
      message: "x needed",
    };
    expect(complaints(ruled(object, required), {})).toEqual([
      "FieldValueRequired spec.f: Required value: x needed",
    ]);
  });

  it("with the text that its message expression makes, or its message when that fails or gives nothing", () => {
    const text: StructuralSchema = { type: "string" };
    const made = { rule: "self != 'bad'", messageExpression: "'bad: ' + self" };
    expect(complaints(ruled(text, made), "bad")).toEqual([
      'FieldValueInvalid spec.f: Invalid value: "bad": bad: bad',
    ]);
    for (const messageExpression of ["string(1/0)", "''", "'a\\nb'"]) {
      const fallen = { rule: "self != 'bad'", messageExpression, message: "fallback" };
      expect(complaints(ruled(text, fallen), "bad")).toEqual([
        'FieldValueInvalid spec.f: Invalid value: "bad": fallback',
      ]);
    }
  });

  it("at map keys in brackets and list indexes, the outer rule first", () => {
    const map = ruled(
      { type: "object", additionalProperties: ruled({ type: "integer" }, { rule: "self > 0" }) },
      { rule: "!('bad' in self)", message: "bad key" },
    );
    expect(complaints(map, { bad: 0, "a.b": -1 })).toEqual([
      "FieldValueInvalid spec.f: Invalid value: bad key",
      "FieldValueInvalid spec.f[bad]: Invalid value: 0: failed rule: self > 0",
      "FieldValueInvalid spec.f[a.b]: Invalid value: -1: failed rule: self > 0",
    ]);
  });

  it("at no field when it is the root's, which sees the name", () => {
    const root = ruled(
      { type: "object", properties: {} },
      { rule: "self.metadata.name.startsWith('v')", message: "name v" },
    );
    expect(checkRules(root, { apiVersion: "x/v1", kind: "K", metadata: { name: "x1" } })).toEqual([
      { reason: "FieldValueInvalid", field: "<nil>", message: "Invalid value: name v" },
    ]);
    expect(checkRules(root, { apiVersion: "x/v1", kind: "K", metadata: { name: "v1" } })).toEqual([]);
  });
});

describe("a rule that fails to run is a cause, never a crash", () => {
  it.each([
    ["self.x < self.y", {}, "no such key: x"],
    ["1 / self.x == 1", { x: 0 }, "division by zero"],
    ["int(self.in) == 1", {}, "no such key: in"],
  ])("%s on %j", (rule, value, text) => {
    const spelled = rule.replace("self.in", "self.__in__");
    expect(complaints(ruled(object, { rule: spelled }), value)).toEqual([
      `FieldValueInvalid spec.f: Invalid value: "object": ${text.replace(": in", ": __in__")} evaluating rule: ${spelled}`,
    ]);
  });

  it("a text that is no number", () => {
    expect(complaints(ruled({ type: "string" }, { rule: "int(self) == 1" }), "x")).toEqual([
      `FieldValueInvalid spec.f: Invalid value: "string": type conversion error from 'string' to 'int' evaluating rule: int(self) == 1`,
    ]);
  });

  it("a rule that does not even compile", () => {
    const [complaint] = complaints(ruled(object, { rule: "self.(" }), {});
    expect(complaint).toContain("compilation failed");
  });
});

describe("transition rules", () => {
  const immutable = ruled({ type: "string" }, { rule: "self == oldSelf", message: "is immutable" });

  it("do not run on create nor when the field appears", () => {
    expect(complaints(immutable, "a")).toEqual([]);
    expect(checkRules(within(immutable), { spec: { f: "a" } }, { old: { spec: {} } })).toEqual([]);
  });

  it("compare with the value before", () => {
    expect(complaints(immutable, "b", "a")).toEqual([
      'FieldValueInvalid spec.f: Invalid value: "b": is immutable',
    ]);
    expect(complaints(immutable, "a", "a")).toEqual([]);
  });

  it("run always, with an optional, when they ask for it", () => {
    const rule = "oldSelf.hasValue() ? self == oldSelf.value() : self == 'first'";
    const schema = ruled({ type: "string" }, { rule, optionalOldSelf: true, message: "no" });
    expect(complaints(schema, "first")).toEqual([]);
    expect(complaints(schema, "other")).toHaveLength(1);
    expect(complaints(schema, "second", "first")).toHaveLength(1);
    expect(complaints(schema, "second", "second")).toEqual([]);
  });

  it("follow the items of a map list by key", () => {
    const list: StructuralSchema = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", properties: { k: { type: "string" }, v: immutable } },
    };
    const old = [
      { k: "a", v: "1" },
      { k: "b", v: "2" },
    ];
    const value = [
      { k: "b", v: "2" },
      { k: "a", v: "9" },
      { k: "c", v: "0" },
    ];
    expect(complaints(list, value, old)).toEqual([
      'FieldValueInvalid spec.f[1].v: Invalid value: "9": is immutable',
    ]);
  });

  it("other rules pass on values that an update leaves alone", () => {
    const schema = ruled({ type: "integer" }, { rule: "self < 5" });
    expect(complaints(schema, 7, 7)).toEqual([]);
    expect(complaints(schema, 8, 7)).toHaveLength(1);
  });
});

describe("values have their CEL types", () => {
  it.each<[string, StructuralSchema, string, unknown, unknown]>([
    ["64-bit integers", { type: "integer" }, "self + 1 == 2", 1, 2],
    ["doubles, also when whole", { type: "number" }, "self < 2.5", 1, 3],
    [
      "dates",
      { type: "string", format: "date-time" },
      "self > timestamp('2020-01-01T00:00:00Z')",
      "2021-01-01T00:00:00Z",
      "2019-01-01T00:00:00Z",
    ],
    ["durations", { type: "string", format: "duration" }, "self < duration('1h')", "59m", "2h"],
    [
      "int-or-strings",
      { "x-kubernetes-int-or-string": true },
      "type(self) == int ? self < 5 : self == 'a'",
      "a",
      7,
    ],
    [
      "maps",
      { type: "object", additionalProperties: { type: "string" } },
      "self.all(k, self[k] == 'x')",
      { a: "x" },
      { a: "y" },
    ],
    ["reserved names", object, "self.__in__ == 'x'", { in: "x" }, { in: "y" }],
    ["names that are no identifiers", object, "self.a__dash__b == 'x'", { "a-b": "x" }, { "a-b": "y" }],
    [
      "objects, compared by value",
      { type: "array", items: object },
      "self[0] == self[1]",
      [{ x: 1 }, { x: 1 }],
      [{ x: 1 }, { x: 2 }],
    ],
    [
      "lists of objects",
      { type: "array", items: object },
      "self.exists(i, i.x == 1 && !has(i.y))",
      [{ x: 1 }],
      [{ x: 1, y: 1 }],
    ],
  ])("%s", (_title, schema, rule, good, bad) => {
    expect(complaints(ruled(schema, { rule, message: "no" }), good)).toEqual([]);
    expect(complaints(ruled(schema, { rule, message: "no" }), bad)).toHaveLength(1);
  });

  it("a null is no value: no rule runs on it", () => {
    expect(complaints(ruled({ type: "string", nullable: true }, { rule: "self == 'a'" }), null)).toEqual([]);
  });
});
