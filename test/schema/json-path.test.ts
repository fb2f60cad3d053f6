import { describe, expect, it } from "vitest";
import { compileJsonPath, setAt, valueAt, valuesAt } from "../../src/schema/json-path.ts";

const object = {
  metadata: { annotations: { "a.b/c": "dotted" } },
  spec: {
    replicas: 3,
    list: [
      { name: "x", port: 1 },
      { name: "y", port: 2 },
    ],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Lifecycle", reason: "Running" },
    ],
  },
};

describe("JSON path", () => {
  it.each([
    [".spec.replicas", 3],
    ["$.spec.replicas", 3],
    ["{.spec.replicas}", 3],
    [".spec.list[1].name", "y"],
    [".spec.list[-1].name", "y"],
    [".metadata.annotations['a.b/c']", "dotted"],
    [".metadata.annotations.a\\.b/c", "dotted"],
    ['.status.conditions[?(@.type=="Lifecycle")].reason', "Running"],
    [".status.conditions[?(@.type=='Ready')].status", "True"],
    [".spec.list[?(@.port==2)].name", "y"],
    [".spec.list[?(@.name)].port", 1],
    [".spec.nothing.below", undefined],
  ])("%s finds %j", (path, expected) => {
    expect(valueAt(object, path)).toBe(expected);
  });

  it("finds all values of a wildcard", () => {
    expect(valuesAt(object, compileJsonPath(".spec.list[*].name") ?? [])).toEqual(["x", "y"]);
  });

  it("is undefined for what is no path", () => {
    expect(compileJsonPath(".spec[")).toBeUndefined();
  });

  it("sets a value, creating what lies between", () => {
    const target: Record<string, unknown> = { spec: { a: 1 } };
    setAt(target, ".spec.scale.replicas", 2);
    expect(target).toEqual({ spec: { a: 1, scale: { replicas: 2 } } });
  });
});
