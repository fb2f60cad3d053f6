import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FieldSet } from "../../../src/cluster/patch/field-set.ts";
import {
  isPathElement,
  keyElement,
  printPath,
  valueElement,
} from "../../../src/cluster/patch/path-element.ts";
import type { PathElement } from "../../../src/cluster/patch/path-element.ts";

const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.constantFrom<PathElement>("f:a", "f:b", "f:a.b/c", "f:", "f:.", "i:0"),
  fc.constantFrom("x", 'q"', 5, true).map((value) => keyElement({ name: value })),
  fc.constantFrom("x", "y", 1).map(valueElement),
);
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 8 }).map((paths) => FieldSet.of(paths));
const texts = (fields: FieldSet): string[] => [...fields.paths()].map((each) => JSON.stringify(each));

describe("a set of fields", () => {
  it("is encoded as the API server does, a member with more below it by a dot", () => {
    const fields = FieldSet.of([
      ["f:spec", "f:image"],
      ["f:spec", "f:envs", keyElement({ name: "a" })],
      ["f:spec", "f:envs", keyElement({ name: "a" }), "f:value"],
      ["f:metadata", "f:finalizers", valueElement("x.y/z")],
    ]);
    expect(fields.toFieldsV1()).toEqual({
      "f:metadata": { "f:finalizers": { 'v:"x.y/z"': {} } },
      "f:spec": { "f:envs": { 'k:{"name":"a"}': { ".": {}, "f:value": {} } }, "f:image": {} },
    });
  });

  it("survives encoding and decoding", () => {
    fc.assert(
      fc.property(set, (fields) => {
        const decoded = FieldSet.fromFieldsV1(JSON.parse(JSON.stringify(fields.toFieldsV1())));
        expect(decoded?.equals(fields)).toBe(true);
      }),
    );
  });

  it("is not read from what is none", () => {
    for (const wrong of [
      5,
      { "x:a": {} },
      { "f:a": 5 },
      { "k:{": {} },
      { "i:x": {} },
      { "f:a": { zork: {} } },
    ]) {
      expect(FieldSet.fromFieldsV1(wrong)).toBeUndefined();
    }
    expect(FieldSet.fromFieldsV1({})?.isEmpty).toBe(true);
  });

  it("has exactly the paths it was made of", () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 8 }), (paths) => {
        const fields = FieldSet.of(paths);
        expect(texts(fields).sort()).toEqual([...new Set(paths.map((each) => JSON.stringify(each)))].sort());
        expect(paths.every((each) => fields.has(each))).toBe(true);
      }),
    );
  });

  it("obeys the laws of sets", () => {
    const members = (fields: FieldSet): Set<string> => new Set(texts(fields));
    fc.assert(
      fc.property(set, set, (left, right) => {
        const [mine, theirs] = [members(left), members(right)];
        expect(members(left.union(right))).toEqual(new Set([...mine, ...theirs]));
        expect(members(left.intersection(right))).toEqual(
          new Set([...mine].filter((each) => theirs.has(each))),
        );
        expect(members(left.difference(right))).toEqual(
          new Set([...mine].filter((each) => !theirs.has(each))),
        );
        expect(left.union(left).equals(left)).toBe(true);
        expect(left.difference(left).isEmpty).toBe(true);
      }),
    );
  });

  it("the recursive difference takes also what is below", () => {
    const fields = FieldSet.of([["f:a"], ["f:a", "f:b"], ["f:a", "f:b", "f:c"], ["f:d"]]);
    expect(texts(fields.recursiveDifference(FieldSet.of([["f:a", "f:b"]])))).toEqual(['["f:a"]', '["f:d"]']);
    expect(texts(fields.recursiveDifference(FieldSet.of([["f:a"]])))).toEqual(['["f:d"]']);
    expect(texts(fields.difference(FieldSet.of([["f:a"]])))).toEqual([
      '["f:d"]',
      '["f:a","f:b"]',
      '["f:a","f:b","f:c"]',
    ]);
  });

  it("lists a level before what is below it, numbers in their order", () => {
    const fields = FieldSet.of([
      ["f:l", keyElement({ port: 10 })],
      ["f:l", keyElement({ port: 2 })],
      ["f:b"],
      ["f:a", "f:z"],
    ]);
    expect([...fields.paths()].map(printPath)).toEqual([".b", ".a.z", ".l[port=2]", ".l[port=10]"]);
  });
});

describe("a step", () => {
  it("prints as in conflict messages", () => {
    expect(
      printPath(["f:spec", keyElement({ protocol: "TCP", port: 80 }), "f:x", valueElement("a"), "i:3"]),
    ).toBe('.spec[port=80,protocol="TCP"].x[="a"][3]');
  });

  it("is told from other texts", () => {
    expect(["f:a", "f:", 'k:{"a":1}', 'v:"x"', "i:0"].every(isPathElement)).toBe(true);
    expect([".", "a", "k:5", "v:", "i:a", "k:{"].some(isPathElement)).toBe(false);
  });
});
