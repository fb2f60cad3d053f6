import { describe, expect, it } from "vitest";
import { startPriorityOf } from "../../src/controller/changes/start-priority.ts";
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

describe("what is there when a process starts", () => {
  it.each([
    ["has nothing to be done, and waits behind all else", objectOf(settled), -100],
    ["is new, as many may be, and waits behind all else", objectOf(undefined), -100],
    [
      "is to be deleted: a change like any other",
      objectOf(settled, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      0,
    ],
    ["has a change that its status does not speak of", objectOf({ ...settled, observedGeneration: 1 }), 0],
    ["has failed", objectOf({ ...settled, conditions: [{ ...success, status: "False" }] }), -10],
    ["has a change after a failure", objectOf({ observedGeneration: 1, conditions: [] }), 0],
  ])("%s", (_, object, priority) => {
    expect(startPriorityOf(object)).toBe(priority);
  });
});
