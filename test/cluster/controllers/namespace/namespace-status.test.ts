import { describe, expect, it } from "vitest";
import { namespaceConditions } from "../../../../src/cluster/controllers/namespace/namespace-status.ts";

const now = Date.UTC(2026, 0, 1, 12);
const nothing = { remaining: [], discoveryFailures: [], deletionFailures: [] };

describe("conditions of a terminating namespace", () => {
  it("name what is left, and the finalizers that hold it, in Kubernetes' words", () => {
    const remaining = [
      { resource: "configmaps.", count: 2, finalizers: new Map([["a.b/c", 1]]) },
      { resource: "foos.example.com", count: 1, finalizers: new Map([["a.b/c", 1]]) },
    ];
    const conditions = namespaceConditions([], { ...nothing, remaining }, now);
    expect(conditions.find((each) => each.type === "NamespaceContentRemaining")).toMatchObject({
      status: "True",
      reason: "SomeResourcesRemain",
      message:
        "Some resources are remaining: configmaps. has 2 resource instances, foos.example.com has 1 resource instances",
    });
    expect(conditions.find((each) => each.type === "NamespaceFinalizersRemaining")).toMatchObject({
      status: "True",
      message: "Some content in the namespace has finalizers remaining: a.b/c in 2 resource instances",
    });
    expect(conditions.find((each) => each.type === "NamespaceDeletionContentFailure")?.status).toBe("False");
  });

  it("follow the counts without moving their time", () => {
    const left = (count: number) => [{ resource: "pods.", count, finalizers: new Map<string, number>() }];
    const first = namespaceConditions([], { ...nothing, remaining: left(2) }, now);
    const second = namespaceConditions(first, { ...nothing, remaining: left(1) }, now + 60_000);
    const condition = second.find((each) => each.type === "NamespaceContentRemaining");
    expect(condition?.message).toContain("pods. has 1 resource instances");
    expect(condition?.lastTransitionTime).toBe("2026-01-01T12:00:00Z");
  });

  it("are the same while nothing changes, so that nothing is written", () => {
    const first = namespaceConditions([], nothing, now);
    expect(namespaceConditions(first, nothing, now + 60_000)).toEqual(first);
  });
});
