import { describe, expect, it } from "vitest";
import { prunedPaths } from "../../src/manager/pruned-paths.ts";

const object = (properties: Record<string, unknown>): object => ({ type: "object", properties });
const text = { type: "string" };

describe("pruned paths", () => {
  it("names exactly the missing path (T75)", () => {
    const needed = object({ status: object({ lifecycle: object({ state: text, snapshot: text }) }) });
    const served = object({ status: object({ lifecycle: object({ state: text }) }) });
    expect(prunedPaths(needed, served)).toEqual(["status.lifecycle.snapshot"]);
  });

  it("names a missing subtree by its root", () => {
    expect(prunedPaths(object({ status: object({ a: text, b: text }) }), object({ spec: text }))).toEqual([
      "status",
    ]);
  });

  it("looks into list items and map values", () => {
    const needed = object({
      l: { type: "array", items: object({ a: text }) },
      m: { additionalProperties: object({ b: text }) },
    });
    const served = object({
      l: { type: "array", items: object({}) },
      m: { additionalProperties: object({}) },
    });
    expect(prunedPaths(needed, served)).toEqual(["l[].a", "m{}.b"]);
  });

  it("is content when unknown fields are preserved, and not when they are needed but dropped", () => {
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    expect(prunedPaths(object({ s: object({ a: text }) }), object({ s: open }))).toEqual([]);
    expect(prunedPaths(object({ s: open }), object({ s: object({}) }))).toEqual(["s.*"]);
  });

  it("leaves the server's own fields alone", () => {
    expect(prunedPaths(object({ metadata: object({ name: text }), kind: text }), object({}))).toEqual([]);
  });

  it("says so when the version has no schema at all", () => {
    expect(prunedPaths(object({ spec: text }), undefined)).toEqual(["(the whole object)"]);
  });
});
