import { assert, object as anyObject, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { describeMismatches } from "../../src/kuttl/running/describe-mismatch.ts";
import { mismatchesOf } from "../../src/kuttl/running/subset.ts";

describe("what is expected of an object", () => {
  it.each([
    ["a part of a map", { a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }, 0],
    ["an empty map", { a: {} }, { a: { b: 1 } }, 0],
    ["another value", { a: { b: 1 } }, { a: { b: 2 } }, 1],
    ["a field that is not there", { a: { b: 1 } }, { a: {} }, 1],
    ["a field that every object inherits", { toString: {} }, {}, 1],
    ["null where there is nothing", { a: null }, {}, 1],
    ["null where there is null", { a: null }, { a: null }, 0],
    ["a number as a text", { a: "1" }, { a: 1 }, 1],
    ["a map where there is a list", { a: {} }, { a: [] }, 1],
    ["items of a list, each a part", { a: [{ b: 1 }, { c: 2 }] }, { a: [{ b: 1, x: 0 }, { c: 2 }] }, 0],
    ["items in another order", { a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 2 }, { b: 1 }] }, 2],
    ["fewer items", { a: [1] }, { a: [1, 2] }, 1],
    ["an empty list where there are items", { a: [] }, { a: [1] }, 1],
  ])("%s: %j of %j", (_what, expected, actual, count) => {
    expect(mismatchesOf(expected, actual)).toHaveLength(count);
  });

  it("is there in the object itself, and in each that has more fields", () => {
    assert(
      property(anyObject(), anyObject(), (object, more) => {
        const json = JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
        expect(mismatchesOf(json, json)).toEqual([]);
        expect(mismatchesOf(json, { ...(JSON.parse(JSON.stringify(more)) as object), ...json })).toEqual([]);
      }),
    );
  });

  it("is said with its place, what is expected and what is there", () => {
    const expected = {
      metadata: { annotations: { "a.b/c": "yes" } },
      spec: { ports: [{ port: 80 }, { port: 81 }], list: [1, 2] },
      status: { ready: true },
    };
    const actual = {
      metadata: { annotations: { "a.b/c": "no" } },
      spec: { ports: [{ port: 80 }, { port: 8081 }], list: [1, { deep: "a b" }, 3] },
    };
    expect(describeMismatches(mismatchesOf(expected, actual))).toEqual([
      '- metadata.annotations["a.b/c"]: "yes"',
      '+ metadata.annotations["a.b/c"]: "no"',
      "- spec.ports[1].port: 81",
      "+ spec.ports[1].port: 8081",
      "- spec.list: [1, 2]",
      '+ spec.list: [1, {deep: "a b"}, 3] (3 items, 2 expected)',
      "- status: {ready: true}",
      "+ status is not there",
    ]);
  });

  it("is cut where an object is quite another one", () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, "x".repeat(400)]));
    const lines = describeMismatches(mismatchesOf(many, {}));
    expect(lines).toHaveLength(25);
    expect(lines.at(-1)).toBe("  … and 18 more");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(260);
  });
});
