import { describe, expect, it } from "vitest";
import { configMap, createTestApi, refusalOf, shorten } from "../support/test-api.ts";

const pod = (name: string, spec: object = {}): Record<string, unknown> => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

describe("delete", () => {
  it("removes an object at once and answers with its uid", () => {
    const api = createTestApi();
    const { metadata } = api.create("configmaps", configMap("a"));
    expect(api.delete("configmaps", "a")).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", kind: "configmaps", uid: metadata.uid },
    });
    expect(refusalOf(() => api.delete("configmaps", "a")).code).toBe(404);
  });

  it("waits for finalizers, takes no new ones, and is gone with the last: one DELETED, no MODIFIED", () => {
    const api = createTestApi();
    const { metadata } = api.create("configmaps", configMap("a", {}, { finalizers: ["x.y/1", "x.y/2"] }));
    const watch = api.watch("configmaps", `resourceVersion=${metadata.resourceVersion}`);
    const deleting = api.delete("configmaps", "a");
    expect(deleting.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
    });
    expect(api.delete("configmaps", "a")).toEqual(deleting);
    expect(
      refusalOf(() =>
        api.patch("configmaps", "a", "merge", { metadata: { finalizers: ["x.y/1", "x.y/2", "x.y/3"] } }),
      ).message,
    ).toContain("no new finalizers can be added if the object is being deleted");
    api.patch("configmaps", "a", "merge", { metadata: { finalizers: ["x.y/2"], deletionTimestamp: null } });
    const last = api.patch("configmaps", "a", "merge", { metadata: { finalizers: null } });
    expect(last.metadata.finalizers).toBeUndefined();
    expect(shorten(watch.lines)).toEqual(["MODIFIED a", "MODIFIED a", "DELETED a"]);
    expect(refusalOf(() => api.get("configmaps", "a")).code).toBe(404);
    watch.stop();
  });

  it.each([
    ["Foreground", ["foregroundDeletion"]],
    ["Orphan", ["orphan"]],
  ])("%s leaves a finalizer to the garbage collector", (policy, finalizers) => {
    const api = createTestApi();
    api.create("configmaps", configMap("a"));
    expect(api.delete("configmaps", "a", `propagationPolicy=${policy}`).metadata).toMatchObject({
      finalizers,
    });
  });

  it("may change the policy of a deletion that has begun", () => {
    const api = createTestApi();
    api.create("configmaps", configMap("a", {}, { finalizers: ["x.y/z"] }));
    api.delete("configmaps", "a", "propagationPolicy=Orphan");
    expect(api.delete("configmaps", "a", "propagationPolicy=Foreground").metadata).toMatchObject({
      finalizers: ["x.y/z", "foregroundDeletion"],
    });
  });

  it("gives a bound pod its grace period, and none to an unbound one", () => {
    const api = createTestApi();
    api.create("pods", pod("free"));
    api.delete("pods", "free");
    expect(refusalOf(() => api.get("pods", "free")).code).toBe(404);
    api.create("pods", pod("bound", { nodeName: "n" }));
    expect(api.delete("pods", "bound").metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:30Z",
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    expect(api.get("pods", "bound").metadata.deletionTimestamp).toBeDefined();
    api.delete("pods", "bound", "gracePeriodSeconds=0");
    expect(refusalOf(() => api.get("pods", "bound")).code).toBe(404);
  });

  it("keeps a namespace until its own finalizer is taken by the finalize endpoint", () => {
    const api = createTestApi();
    api.create("namespaces", { metadata: { name: "n" } });
    expect(api.delete("namespaces", "n")).toMatchObject({
      status: { phase: "Terminating" },
      spec: { finalizers: ["kubernetes"] },
    });
    api.patch("namespaces", "n", "merge", { spec: { finalizers: null } });
    expect(api.get("namespaces", "n")["spec"]).toEqual({ finalizers: ["kubernetes"] });
    api.update("namespaces", "n/finalize", { metadata: { name: "n" }, spec: { finalizers: [] } });
    expect(refusalOf(() => api.get("namespaces", "n")).code).toBe(404);
  });

  it("deletes nothing on a dry run", () => {
    const api = createTestApi();
    const before = api.create("configmaps", configMap("a"));
    api.delete("configmaps", "a", "dryRun=All");
    expect(api.get("configmaps", "a")).toEqual(before);
  });
});
