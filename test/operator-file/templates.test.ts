import { describe, expect, it } from "vitest";
import { crdOf } from "../../src/kinds/crd.ts";
import { FileReader } from "../../src/operator-file/file/file-reader.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";
import { compileTemplate } from "../../src/operator-file/expressions/template.ts";
import { lifecycleExpressions } from "../../src/operator-file/typescript/written-parts.ts";
import { placeOfError } from "../../src/ports/author-code.ts";
import { CelScope } from "../../src/schema/cel/cel-scope.ts";
import { structuralSchema } from "../schema/arbitrary-schema.ts";
import { checkStructural } from "../../src/schema/check-structural.ts";
import * as fc from "fast-check";
import { z } from "zod";

const scope = new CelScope({
  spec: {
    type: "object",
    properties: {
      size: { type: "integer" },
      name: { type: "string" },
      note: { type: "string" },
      labels: { type: "object", additionalProperties: { type: "string" } },
      list: { type: "array", items: { type: "string" } },
      if: { type: "string" },
      "a-b": { type: "object", properties: { namespace: { type: "string" } } },
    },
  },
  found: "any",
});
const values = {
  spec: { size: 3, name: "x", labels: { a: "b" }, list: ["p", "q"], if: "then", "a-b": { namespace: "n" } },
  found: { data: { k: "v" }, n: 1.5 },
};

function rendered(value: unknown): unknown {
  const reader = new FileReader("{}", "t.yaml");
  const render = compileTemplate(value, { reader, path: [], scope });
  expect(reader.problems).toEqual([]);
  return render(values);
}

describe("a template", () => {
  it.each([
    ["${ spec.size }", 3],
    ["${spec.size > 2}", true],
    ["n-${ spec.name }-${ spec.size }", "n-x-3"],
    ["$${ spec.size }", "${ spec.size }"],
    ["cost: $5", "cost: $5"],
    ["${ spec.labels }", { a: "b" }],
    ["${ spec.list }", ["p", "q"]],
    ["${ {'a': {'b': spec.size}} }", { a: { b: 3 } }],
    ["${ '}' + spec.name + \"{\" }", "}x{"],
    ["${ spec.list.map(each, each + '!') }", ["p!", "q!"]],
    ["${ found.n }", 1.5],
    ["${ found }", { data: { k: "v" }, n: 1.5 }],
    ["${ spec.__if__ + spec.if }", "thenthen"],
    ["${ spec.a__dash__b }", { namespace: "n" }],
    ["${ spec.a__dash__b.namespace }", "n"],
    [{ a: "${ spec.?note }", b: "${ spec.?name }" }, { b: "x" }],
    [["${ spec.?note }", "b"], ["b"]],
    [
      { "${ spec.name }-key": null, other: 1 },
      { "x-key": null, other: 1 },
    ],
    ["${ timestamp('2026-01-02T03:04:05Z') }", "2026-01-02T03:04:05.000Z"],
    ["${ duration('90s') }", "90s"],
  ])("of %j", (value, expected) => {
    expect(rendered(value)).toEqual(expected);
  });

  it("says which expression fails at run time, where, and what to write", () => {
    const reader = new FileReader("a: 'x ${ spec.note }'\n", "t.yaml");
    const render = compileTemplate("x ${ spec.note }", { reader, path: ["a"], scope });
    expect(() => render(values)).toThrow(
      expect.objectContaining({
        code: "EXPRESSION_FAILED",
        message: "t.yaml:1:15: a: ${ spec.note } cannot be evaluated: No such key: note",
        fields: { where: "t.yaml:1:15" },
        remedy:
          "If it may be missing, write spec.?note.orValue(…), with the value that counts then, or ask has(spec.note) before.",
      }) as Error,
    );
  });
});

describe("an expression in code", () => {
  it("names the line of the code that has it, where it fails", () => {
    const { change } = lifecycleExpressions(z.object({ note: z.string().optional() }));
    const place = placeOfError(new Error("the line before"))!;
    const note = change({ note: "${ spec.note }" });
    const [, line = ""] = /:(\d+):\d+$/.exec(place) ?? [];
    const given = { context: {}, event: { type: "look", spec: {}, facts: {} } };
    expect(() => note(given as never)).toThrow(
      expect.objectContaining({
        fields: { where: expect.stringMatching(`templates\\.test\\.ts:${Number(line) + 1}:\\d+$`) as string },
        message: expect.stringContaining(": note: ${ spec.note } cannot be evaluated") as string,
      }) as Error,
    );
  });
});

describe("a schema in a file", () => {
  it("is the schema of the definition, to the letter, and its defaults are filled in", () => {
    fc.assert(
      fc.property(structuralSchema, (schema) => {
        fc.pre(Object.keys(schema.properties ?? {}).length > 0);
        fc.pre(checkStructural({ type: "object", properties: { spec: schema } }, "s").length === 0);
        const text = JSON.stringify({
          operator: "a",
          kinds: [{ group: "a.example.com", version: "v1", kind: "A", spec: schema }],
        });
        const { operator, problems } = readOperatorText(text, "a.json");
        expect(problems).toEqual([]);
        const kind = operator?.controllers[0]?.kind;
        const spec =
          kind === undefined
            ? undefined
            : crdOf(kind).spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["spec"];
        for (const [name, field] of Object.entries(schema.properties ?? {}))
          expect(spec?.properties?.[name]).toEqual(field);
      }),
      { numRuns: 60 },
    );
  });
});
