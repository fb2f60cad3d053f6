// What passes, what fails and with which text is what kube-apiserver 1.36 does.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyJsonPatch } from "../../../src/cluster/patch/json-patch.ts";
import { PatchError } from "../../../src/cluster/patch/patch-error.ts";

const object = { data: { a: "1" }, list: ["x", "y", "z"] };
const refusal = "the server rejected our request due to an error in our request";

function failure(patch: unknown): PatchError {
  try {
    applyJsonPatch(object, patch);
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error("the patch was applied");
}

describe("a JSON patch is applied", () => {
  it.each<[string, unknown, unknown]>([
    ["add", [{ op: "add", path: "/data/b", value: "2" }], { data: { a: "1", b: "2" } }],
    ["add without a value", [{ op: "add", path: "/data/b" }], { data: { a: "1", b: null } }],
    ["add without the leading slash's segment", [{ op: "add", path: "any/data", value: 1 }], { data: 1 }],
    [
      "replace of what is absent",
      [{ op: "replace", path: "/data/z", value: "q" }],
      { data: { a: "1", z: "q" } },
    ],
    ["remove", [{ op: "remove", path: "/data/a" }], { data: {} }],
    ["move", [{ op: "move", from: "/data/a", path: "/data/b" }], { data: { b: "1" } }],
    [
      "copy of what is absent",
      [{ op: "copy", from: "/data/z", path: "/data/b" }],
      { data: { a: "1", b: null } },
    ],
    ["a test that holds", [{ op: "test", path: "/data/a", value: "1" }], { data: { a: "1" } }],
    ["a test of absence", [{ op: "test", path: "/data/z", value: null }], { data: { a: "1" } }],
    ["an escaped name", [{ op: "add", path: "/data/x~1y~0", value: "b" }], { data: { a: "1", "x/y~": "b" } }],
    ["append", [{ op: "add", path: "/list/-", value: "w" }], { list: ["x", "y", "z", "w"] }],
    ["insert", [{ op: "add", path: "/list/1", value: "w" }], { list: ["x", "w", "y", "z"] }],
    ["insert from the end", [{ op: "add", path: "/list/-1", value: "w" }], { list: ["x", "y", "z", "w"] }],
    ["remove from the end", [{ op: "remove", path: "/list/-1" }], { list: ["x", "y"] }],
    ["move within a list", [{ op: "move", from: "/list/0", path: "/list/2" }], { list: ["y", "z", "x"] }],
    ["nothing", null, object],
  ])("%s", (_title, patch, expected) => {
    expect(applyJsonPatch(object, patch)).toMatchObject(expected as object);
    expect(object).toEqual({ data: { a: "1" }, list: ["x", "y", "z"] });
  });
});

describe("a JSON patch that fails changes nothing", () => {
  it.each<[string, unknown]>([
    ["a test", [{ op: "test", path: "/data/a", value: "2" }]],
    ["a test without a value", [{ op: "test", path: "/data/a" }]],
    ["remove of what is absent", [{ op: "remove", path: "/data/z" }]],
    ["add below what is absent", [{ op: "add", path: "/metadata/labels/a", value: "b" }]],
    ["add behind the end", [{ op: "add", path: "/list/4", value: "w" }]],
    ["replace at the end mark", [{ op: "replace", path: "/list/-", value: "w" }]],
    ["an index that is no number", [{ op: "replace", path: "/list/x", value: "w" }]],
    ["move behind the shortened list", [{ op: "move", from: "/list/0", path: "/list/3" }]],
    ["move from nowhere", [{ op: "move", path: "/data/b" }]],
    ["an unknown operation", [{ op: "zork", path: "/data" }]],
    ["an empty operation", [{}]],
    ["the whole document", [{ op: "remove", path: "" }]],
    [
      "the second of two",
      [
        { op: "add", path: "/data/b", value: "1" },
        { op: "remove", path: "/data/z" },
      ],
    ],
  ])("%s", (_title, patch) => {
    expect(failure(patch)).toMatchObject({ status: 422, reason: "Invalid", message: refusal });
    expect(object).toEqual({ data: { a: "1" }, list: ["x", "y", "z"] });
  });

  it.each<[unknown, string]>([
    [{}, "object into Go value of type []handlers.jsonPatchOp"],
    [5, "number into Go value of type []handlers.jsonPatchOp"],
    [["x"], "string into Go value of type handlers.jsonPatchOp"],
  ])("the body %j is no patch", (body, text) => {
    expect(failure(body)).toMatchObject({
      status: 400,
      reason: "BadRequest",
      message: `error decoding patch: json: cannot unmarshal ${text}`,
    });
  });

  it("more than 10,000 operations are too many", () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/a", value: "1" }));
    expect(failure(patch)).toMatchObject({
      status: 413,
      message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  it("any body is either applied or refused, never a crash", () => {
    const operation = fc.record(
      {
        op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "zork"),
        path: fc.constantFrom(
          "/data/a",
          "/list/0",
          "/list/-",
          "/list/-2",
          "/q/r",
          "",
          "/",
          "x",
          "/__proto__/a",
        ),
        from: fc.constantFrom("/data", "/list/1", "/nope", "x"),
        value: fc.jsonValue(),
      },
      { requiredKeys: ["op"] },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 4 }), (patch) => {
        try {
          applyJsonPatch(object, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
        expect(object).toEqual({ data: { a: "1" }, list: ["x", "y", "z"] });
        expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
      }),
    );
  });
});
