import { describe, expect, it } from "vitest";
import { changedPaths, isEqualJson } from "../../src/meta/changed-paths.ts";

describe("changed paths", () => {
  it.each([
    [
      "a field of the spec",
      { spec: { size: 1, image: "a" } },
      { spec: { size: 2, image: "a" } },
      ["spec.size"],
    ],
    ["a whole section that appears", { spec: {} }, { spec: {}, status: { ready: 1 } }, ["status.ready"]],
    [
      "something deep, named at two levels",
      { spec: { a: { b: { c: 1 } } } },
      { spec: { a: { b: { c: 2 } } } },
      ["spec.a"],
    ],
    [
      "a list",
      { metadata: { finalizers: ["x"] } },
      { metadata: { finalizers: ["x", "y"] } },
      ["metadata.finalizers"],
    ],
    ["an empty section that appears", { spec: {} }, { spec: {}, data: {} }, ["data"]],
    ["nothing", { spec: { a: [1, { b: 2 }] } }, { spec: { a: [1, { b: 2 }] } }, []],
  ])("names %s", (_, before, after, paths) => {
    expect(changedPaths(before, after)).toEqual(paths);
  });

  it("leaves out the server's bookkeeping", () => {
    const before = { metadata: { resourceVersion: "1", generation: 1, managedFields: [] } };
    const after = { metadata: { resourceVersion: "2", generation: 2, managedFields: [{}] } };
    expect(changedPaths(before, after)).toEqual([]);
  });

  it("tells a list from an object with the same keys", () => {
    expect(isEqualJson([1], { 0: 1 })).toBe(false);
    expect(isEqualJson({ a: undefined }, {})).toBe(true);
    expect(isEqualJson(null, undefined)).toBe(false);
  });
});
