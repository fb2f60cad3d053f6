// Which fields changed is told from hashes alone: the deepest path where there was room, never nothing.
import { assert, dictionary, jsonValue, property, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import { sizeOf } from "../../src/lifecycle/values/json-size.ts";
import { editedPaths, fieldsOf } from "../../src/lifecycle/stored/spec-fields.ts";

const many = (prefix: string, count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}_${index}`, "a"]));

describe("the changed paths of a spec", () => {
  it.each<[string, object, object, string[]]>([
    ["nothing", { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, []],
    ["a leaf", { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, ["b.d"]],
    ["a list, as a whole", { list: [{ a: 1 }] }, { list: [{ a: 2 }] }, ["list"]],
    ["a field that came", { a: 1 }, { a: 1, b: { c: 1 } }, ["b.c"]],
    ["a field that went", { a: 1, b: { c: 1 } }, { a: 1 }, ["b.c"]],
    ["a leaf that became an object", { a: 1 }, { a: { b: 1 } }, ["a"]],
    ["an object that became a leaf", { a: { b: 1 } }, { a: 1 }, ["a", "a.b"]],
    ["what is empty, which is nothing", { a: {} }, { b: [], c: null }, []],
    ["a key with a dot", { a: { "log.level": "x" } }, { a: { "log.level": "y" } }, ["a.log.level"]],
    ["a key that every object has", { a: 1 }, { a: 1, constructor: 1 }, ["constructor"]],
  ])("are told for %s", (_, before, after, changed) => {
    expect(editedPaths(fieldsOf(before as never), after as never)).toEqual(changed);
  });

  it("are top-level fields where the spec is large", () => {
    const spec = { parameters: many("setting", 200), size: 1 };
    expect(Object.keys(fieldsOf(spec) ?? {})).toEqual(["parameters", "size"]);
    const after = { ...spec, parameters: { ...spec.parameters, setting_7: "b" } };
    expect(editedPaths(fieldsOf(spec), after)).toEqual(["parameters"]);
    expect(editedPaths(fieldsOf(spec), spec)).toEqual([]);
  });

  it("are found also when the spec was small before, or is small now", () => {
    const small = { parameters: { setting_0: "a" }, size: 1 };
    const large = { parameters: many("setting", 200), size: 1 };
    expect(editedPaths(fieldsOf(small), large)).toHaveLength(199);
    expect(editedPaths(fieldsOf(large), small)).toEqual(["parameters"]);
  });

  it("are all top-level fields where nothing is known", () => {
    expect(fieldsOf(many("field", 500))).toBeUndefined();
    expect(editedPaths(undefined, { b: 1, a: { c: 1 } })).toEqual(["a", "b"]);
  });

  it("are some whenever something differs, and none when nothing does; within the budget", () => {
    const spec = dictionary(stringMatching(/^[a-c]{1,2}$/), jsonValue({ maxDepth: 3 }), { maxKeys: 12 });
    assert(
      property(spec, spec, (before, after) => {
        const fields = fieldsOf(before);
        if (fields === undefined) return;
        expect(sizeOf(fields)).toBeLessThanOrEqual(1_024);
        expect(editedPaths(fields, structuredClone(before))).toEqual([]);
        const same = editedPaths(fieldsOf(after), before).length === 0;
        expect(editedPaths(fields, after).length === 0).toBe(same);
      }),
    );
  });
});
