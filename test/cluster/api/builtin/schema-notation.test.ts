import { describe, expect, it } from "vitest";
import { readSchemaTables } from "../../../../src/cluster/api/builtin/schema-notation.ts";

const read = (text: string): ReturnType<typeof readSchemaTables> =>
  readSchemaTables([{ packageName: "p.v1", text: `Meta: name#1 string\n${text}` }], "Meta");

describe("schema notation", () => {
  it("reads structs, lists, maps, primitives and required fields", () => {
    const { schemas } = read(
      "Thing (object): spec*#2 Spec\nSpec: count int, names [string] set, words {string}",
    );
    expect(schemas.get("p.v1.Thing")).toMatchObject({
      type: "object",
      required: ["spec"],
      properties: {
        metadata: { properties: { name: { type: "string" } } },
        spec: {
          properties: {
            count: { type: "integer", format: "int32" },
            names: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
            words: { type: "object", additionalProperties: { type: "string" } },
          },
        },
      },
    });
  });

  it("keeps the fields of a struct that is modified before it is declared", () => {
    const { schemas, nameOf } = read("A: later B retain\nB: x int");
    const later = schemas.get("p.v1.A")?.properties?.["later"];
    expect(later).toMatchObject({
      "x-kubernetes-patch-strategy": "retainKeys",
      properties: { x: { type: "integer" } },
    });
    expect(nameOf(later ?? {})).toBe("p.v1.B");
  });

  it("reads list maps with the default of a key, and the keys of a strategic merge", () => {
    const { schemas } = read(
      "A: ports [Port] map(port,protocol) merge(port)\nPort: port* int, protocol string=TCP",
    );
    expect(schemas.get("p.v1.A")?.properties?.["ports"]).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "port",
      items: { properties: { protocol: { default: "TCP" } } },
    });
  });

  it("numbers fields, also those of inlined messages", () => {
    const { schemas, fieldNumbersOf } = read("A: name#1 string, inner#2.3 string");
    expect([...(fieldNumbersOf(schemas.get("p.v1.A") ?? {}) ?? [])]).toEqual([
      ["1", "name"],
      ["2.3", "inner"],
    ]);
  });

  it("knows what is written once it is set, and what always", () => {
    const { schemas, presenceOf } = read(
      "A (object): flag? bool, part+ B, needed* int, pointer*? B, other int\nB: x int",
    );
    const schema = schemas.get("p.v1.A") ?? {};
    const names = ["metadata", "flag", "part", "needed", "pointer", "other"];
    expect(names.map((name) => presenceOf(schema, name))).toEqual([
      "always",
      "set",
      "always",
      "always",
      "set",
      undefined,
    ]);
  });

  it.each([["A: broken"], ["A: x Unknown"]])("refuses %j", (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "SCHEMA_NOTATION_INVALID" }));
  });
});
