import { describe, expect, it } from "vitest";
import {
  decideForDeleting,
  decideForOwned,
  type OwnerState,
} from "../../../../src/cluster/controllers/garbage-collector/collection-decision.ts";
import {
  type OwnedNode,
  OwnerGraph,
} from "../../../../src/cluster/controllers/garbage-collector/owner-graph.ts";
import { ConfigMap } from "../../../../src/kinds/builtin/core.ts";
import type { OwnerReference } from "../../../../src/meta/object.ts";

function owner(uid: string, blockOwnerDeletion?: boolean): OwnerReference {
  const block = blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion };
  return { apiVersion: "v1", kind: "ConfigMap", name: uid, uid, ...block };
}

function node(uid: string, more: Partial<OwnedNode> = {}): OwnedNode {
  const base = {
    namespace: "n",
    name: uid,
    resourceVersion: "1",
    owners: [],
    finalizers: [],
    deleting: false,
  };
  return { type: ConfigMap, uid, ...base, ...more };
}

describe("an object whose owners are looked at", () => {
  const decide = (
    states: readonly OwnerState[],
    more: Partial<OwnedNode> = {},
    dependents: readonly OwnedNode[] = [],
  ) =>
    decideForOwned(
      node("x", { owners: states.map((_, index) => owner(`o${index}`)), ...more }),
      states,
      dependents,
    );

  it("stays when it has no owner, or all of them", () => {
    expect(decide([])).toEqual({ action: "nothing" });
    expect(decide(["solid", "solid"])).toEqual({ action: "nothing" });
  });

  it("is deleted in the background when the last owner is gone", () => {
    expect(decide(["absent"])).toEqual({ action: "delete", policy: "Background" });
    expect(decide(["absent", "absent"])).toEqual({ action: "delete", policy: "Background" });
  });

  it("only loses the references to owners that are gone while one is left", () => {
    expect(decide(["absent", "solid", "waiting"])).toEqual({ action: "setOwners", owners: [owner("o1")] });
  });

  it("keeps the way of deletion that it already has a finalizer for", () => {
    expect(decide(["absent"], { finalizers: ["orphan"] })).toEqual({ action: "delete", policy: "Orphan" });
    expect(decide(["absent"], { finalizers: ["foregroundDeletion"] })).toEqual({
      action: "delete",
      policy: "Foreground",
    });
  });

  it("is deleted in the foreground when its owner waits and it has dependents itself", () => {
    const dependent = node("y", { owners: [owner("x")] });
    expect(decide(["waiting"], {}, [dependent])).toEqual({ action: "delete", policy: "Foreground" });
    expect(decide(["waiting"])).toEqual({ action: "delete", policy: "Background" });
  });

  it("blocks its owner no longer when a dependent of it waits in turn: else both would wait for ever", () => {
    const waiting = node("y", { deleting: true, finalizers: ["foregroundDeletion"], owners: [owner("x")] });
    expect(decide(["waiting"], {}, [waiting])).toEqual({
      action: "delete",
      policy: "Foreground",
      unblocked: [owner("o0", false)],
    });
  });
});

describe("an object that is being deleted", () => {
  it("is none of the collector's business without a finalizer of its kind", () => {
    expect(decideForDeleting(node("x"), [])).toBeUndefined();
    expect(decideForDeleting(node("x", { deleting: true, finalizers: ["a.b/c"] }), [])).toEqual({
      action: "nothing",
    });
  });

  it("lets its dependents go first when they are to be orphaned", () => {
    expect(decideForDeleting(node("x", { deleting: true, finalizers: ["orphan"] }), [])).toEqual({
      action: "orphan",
    });
  });

  it("waits for the dependents that block it, and for no others", () => {
    const waiting = node("x", { deleting: true, finalizers: ["foregroundDeletion"] });
    const blocking = node("y", { owners: [owner("x", true)] });
    const other = node("z", { owners: [owner("x"), owner("o", true)] });
    expect(decideForDeleting(waiting, [blocking, other])).toEqual({ action: "wait" });
    expect(decideForDeleting(waiting, [other])).toEqual({ action: "finish" });
  });
});

describe("owner graph", () => {
  it("knows the dependents of an object, also of one it has not seen", () => {
    const graph = new OwnerGraph();
    graph.update(node("child", { owners: [owner("parent")] }));
    expect(graph.dependentsOf("parent").map((each) => each.uid)).toEqual(["child"]);
  });

  it("has dependents looked at when their owner goes", () => {
    const graph = new OwnerGraph();
    graph.update(node("parent"));
    graph.update(node("child", { owners: [owner("parent")] }));
    expect(graph.remove("parent")).toEqual(["child"]);
  });

  it("has nothing looked at for an object without owners or end", () => {
    expect(new OwnerGraph().update(node("free"))).toEqual([]);
  });

  it("has a waiting owner looked at when a dependent goes, or no longer refers to it", () => {
    const graph = new OwnerGraph();
    graph.update(node("parent", { deleting: true, finalizers: ["foregroundDeletion"] }));
    graph.update(node("a", { owners: [owner("parent", true)] }));
    graph.update(node("b", { owners: [owner("parent", true)] }));
    expect(graph.remove("a")).toEqual(["parent"]);
    expect(graph.update(node("b"))).toEqual(["parent"]);
    expect(graph.dependentsOf("parent")).toEqual([]);
  });

  it("forgets the objects of a type that is no longer served", () => {
    const graph = new OwnerGraph();
    graph.update(node("parent"));
    graph.update(node("child", { owners: [owner("parent")], type: { ...ConfigMap, plural: "foos" } }));
    graph.removeType(ConfigMap);
    expect(graph.get("parent")).toBeUndefined();
    expect(graph.get("child")).toBeDefined();
  });
});
