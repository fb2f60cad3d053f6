import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyMergePatch, readMergePatch } from "../../../src/cluster/patch/merge-patch.ts";
import { jsonObject } from "../../schema/arbitrary-schema.ts";

describe("a merge patch", () => {
  it("merges objects, deletes with null and replaces everything else", () => {
    const object = { a: { b: 1, c: 2 }, list: [1, 2], text: "x" };
    expect(
      applyMergePatch(object, { a: { b: null, d: 3 }, list: [3], text: { deep: { nul: null, v: 1 } } }),
    ).toEqual({
      a: { c: 2, d: 3 },
      list: [3],
      text: { deep: { v: 1 } },
    });
    expect(object).toEqual({ a: { b: 1, c: 2 }, list: [1, 2], text: "x" });
  });

  it("does nothing when it is empty", () => {
    fc.assert(
      fc.property(jsonObject, (object) => {
        expect(applyMergePatch(object, {})).toEqual(object);
      }),
    );
  });

  it("applied again changes nothing more than nulls, and then nothing", () => {
    const withoutNulls = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_name, each: unknown) => each ?? undefined);
    fc.assert(
      fc.property(jsonObject, jsonObject, (object, patch) => {
        const once = applyMergePatch(object, patch);
        const twice = applyMergePatch(once, patch);
        expect(withoutNulls(twice)).toEqual(withoutNulls(once));
        expect(applyMergePatch(twice, patch)).toEqual(twice);
      }),
      { examples: [[{ place: {} }, { place: [{ a: null }] }]] },
    );
  });

  it("keeps the nulls of a list that takes the place of an object, and of nothing else", () => {
    const patch = { place: [{ a: null }] };
    expect(applyMergePatch({ place: {} }, patch)).toEqual({ place: [{ a: null }] });
    expect(applyMergePatch({ place: 1 }, patch)).toEqual({ place: [{}] });
  });

  it("leaves no null that it brought itself", () => {
    fc.assert(
      fc.property(jsonObject, (patch) => {
        const hasNull = (value: unknown): boolean =>
          value === null ||
          (typeof value === "object" && !Array.isArray(value) && Object.values(value).some(hasNull));
        expect(hasNull(applyMergePatch({}, patch))).toBe(false);
      }),
    );
  });

  it("keeps a field named __proto__ a field", () => {
    const patch = JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>;
    expect(JSON.stringify(applyMergePatch({}, patch))).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [[1], "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"],
    [
      "x",
      "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}",
    ],
    [null, "Invalid JSON Patch"],
  ])("the body %j is none", (body, message) => {
    expect(() => readMergePatch(body)).toThrow(expect.objectContaining({ status: 400, message }));
  });
});
