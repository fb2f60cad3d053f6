import { describe, expect, it } from "vitest";
import { claimOn } from "../../../src/cluster/controllers/ownership.ts";
import { isSelectedBy } from "../../../src/kinds/selector-match.ts";
import type { KubeObject, ObjectMeta } from "../../../src/meta/object.ts";

function object(uid: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
  const base = { name: uid, uid, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  return { apiVersion: "v1", kind: "Pod", metadata: { ...base, ...metadata } };
}

const controlledBy = (uid: string) => [
  { apiVersion: "apps/v1", kind: "ReplicaSet", name: uid, uid, controller: true },
];
const selector = { matchLabels: { app: "web" } };
const labels = { app: "web" };
const owner = object("owner");
const deletionTimestamp = "2026-01-01T00:00:00Z";

describe("the claim of an owner", () => {
  it.each([
    ["keeps its own", owner, object("p", { labels, ownerReferences: controlledBy("owner") }), "keep"],
    [
      "lets go what no longer matches",
      owner,
      object("p", { ownerReferences: controlledBy("owner") }),
      "release",
    ],
    ["adopts what matches and is free", owner, object("p", { labels }), "adopt"],
    ["leaves alone what does not match", owner, object("p"), "ignore"],
    [
      "leaves alone what another controls",
      owner,
      object("p", { labels, ownerReferences: controlledBy("other") }),
      "ignore",
    ],
    ["does not adopt what is going", owner, object("p", { labels, deletionTimestamp }), "ignore"],
    [
      "does not adopt when it is going itself",
      object("owner", { deletionTimestamp }),
      object("p", { labels }),
      "ignore",
    ],
  ])("%s", (_, claimant, candidate, claim) => {
    expect(claimOn(claimant, selector, candidate)).toBe(claim);
  });
});

describe("a selector", () => {
  it.each([
    [{ matchLabels: { app: "web" } }, true],
    [{ matchLabels: { app: "web", tier: "x" } }, false],
    [{}, true],
    [{ matchExpressions: [{ key: "app", operator: "In" as const, values: ["db", "web"] }] }, true],
    [{ matchExpressions: [{ key: "app", operator: "NotIn" as const, values: ["web"] }] }, false],
    [{ matchExpressions: [{ key: "tier", operator: "NotIn" as const, values: ["web"] }] }, true],
    [{ matchExpressions: [{ key: "app", operator: "Exists" as const }] }, true],
    [{ matchExpressions: [{ key: "app", operator: "DoesNotExist" as const }] }, false],
  ])("%j on app=web says %s", (each, expected) => {
    expect(isSelectedBy(each, labels)).toBe(expected);
  });
});
