import { expect, it } from "vitest";
import { memoryOf } from "../../src/controller/application/shared-parts.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const store = (uid: string): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Store",
  metadata: { namespace: "shop", name: "orders", uid, resourceVersion: "1", creationTimestamp: "" },
});

it("remembers of an application what belongs to the resource that there is, and keeps nothing of an earlier one of its name", () => {
  const shared: Parameters<typeof memoryOf>[0] = { memories: new Map(), hasTasks: true };
  const first = memoryOf(shared, store("1"));
  expect(memoryOf(shared, store("1"))).toBe(first);
  expect(memoryOf(shared, store("2"))).not.toBe(first);
  expect([...shared.memories.keys()]).toEqual(["shop/orders"]);
});
