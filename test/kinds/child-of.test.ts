// What is told of an owned object, whatever kind it is of and however little is known of it.
import { describe, expect, it } from "vitest";
import { childOf } from "../../src/kinds/builtin/child-of.ts";
import type { KubeObject, ObjectMeta } from "../../src/meta/object.ts";

const owner = "owner";
const reference = { apiVersion: "x.io/v1", kind: "X", name: "x", uid: owner, controller: true };
const metadata = {
  namespace: "default",
  name: "a",
  uid: "1",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};

function stateOf(apiVersion: string, kind: string, rest: object): string | undefined {
  return childOf(kind, { apiVersion, kind, metadata, ...rest }, owner).state;
}

function withMeta(more: Partial<ObjectMeta>): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, ...more } };
}

describe("a child", () => {
  it.each<[string, string, object, string | undefined]>([
    [
      "apps/v1",
      "Deployment",
      { spec: { replicas: 2 }, status: { readyReplicas: 1 } },
      "1 of 2 ready, rolling out",
    ],
    [
      "apps/v1",
      "Deployment",
      {
        spec: { replicas: 1 },
        status: { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      },
      "1 of 1 ready",
    ],
    ["apps/v1", "StatefulSet", { spec: {} }, "0 of 1 ready, rolling out"],
    ["batch/v1", "Job", { spec: {} }, "running"],
    ["batch/v1", "Job", { status: { conditions: [{ type: "Complete", status: "True" }] } }, "complete"],
    [
      "batch/v1",
      "Job",
      { status: { conditions: [{ type: "Failed", status: "True", message: "no" }] } },
      "failed: no",
    ],
    ["v1", "Pod", { status: { phase: "Running" } }, "Running"],
    [
      "v1",
      "Pod",
      { status: { containerStatuses: [{ name: "c", state: { waiting: { reason: "ErrImagePull" } } }] } },
      "container c: ErrImagePull",
    ],
    ["v1", "PersistentVolumeClaim", { status: { phase: "Bound" } }, "Bound"],
    ["x.io/v1", "Other", { status: { conditions: [{ type: "Ready", status: "False" }] } }, "not ready"],
    ["x.io/v1", "Other", { status: { lifecycle: { state: "Open" } } }, "Open"],
    ["v1", "ConfigMap", { data: {} }, undefined],
    ["x.io/v1", "Other", { status: { phase: 3, conditions: [null] } }, undefined],
    ["apps/v1", "Deployment", {}, undefined],
  ])("of %s %s says how it is: %j", (apiVersion, kind, rest, state) => {
    expect(stateOf(apiVersion, kind, rest)).toBe(state);
  });

  it("says what keeps it, and whom", () => {
    const held = withMeta({
      finalizers: ["x.io/hold"],
      deletionTimestamp: "2026-01-02T00:00:00Z",
      ownerReferences: [{ ...reference, blockOwnerDeletion: true }],
    });
    expect(childOf("Pod", held, owner)).toEqual({
      kind: "Pod",
      namespace: "default",
      name: "a",
      finalizers: ["x.io/hold"],
      deletingSince: "2026-01-02T00:00:00Z",
      blocksOwner: true,
    });
    expect(childOf("Pod", withMeta({ ownerReferences: [reference] }), owner).blocksOwner).toBe(false);
    expect(childOf("Pod", held, "another").blocksOwner).toBe(false);
  });
});
