import { describe, expect, it } from "vitest";
import { isUnsettled } from "../../src/controller/unsettled.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const success = { type: "ReconciliationSuccess", status: "True", reason: "Success", message: "" };
const settled = { observedGeneration: 2, conditions: [success] };
const objectOf = (status: unknown, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Widget",
  metadata: {
    name: "a",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "",
    generation: 2,
    ...metadata,
  },
  ...(status === undefined ? {} : { status }),
});

describe("work that is left over", () => {
  it.each([
    ["nothing: all is told and done", objectOf(settled), false],
    ["nothing: it is new", objectOf(undefined), false],
    ["a deletion", objectOf(settled, { deletionTimestamp: "2026-01-01T00:00:00Z" }), true],
    ["a change that its status does not speak of", objectOf({ ...settled, observedGeneration: 1 }), true],
    ["a failure", objectOf({ ...settled, conditions: [{ ...success, status: "False" }] }), true],
  ])("is %s", (_, object, left) => {
    expect(isUnsettled(object)).toBe(left);
  });
});
