import { describe, expect, it } from "vitest";
import { configMap, createTestApi, refusalOf, shorten, thing, thingDefinition } from "../support/test-api.ts";

describe("watch", () => {
  it("without a version tells what exists, then what happens", () => {
    const api = createTestApi();
    api.create("configmaps", configMap("a"));
    const watch = api.watch("configmaps");
    api.patch("configmaps", "a", "merge", { data: { b: "2" } });
    api.delete("configmaps", "a");
    expect(shorten(watch.lines)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    watch.stop();
  });

  it("resumes after a version without a gap and without a repetition", () => {
    const api = createTestApi();
    const { metadata } = api.create("configmaps", configMap("a"));
    api.create("configmaps", configMap("b"));
    const watch = api.watch("configmaps", `resourceVersion=${metadata.resourceVersion}`);
    api.create("configmaps", configMap("c"));
    expect(shorten(watch.lines)).toEqual(["ADDED b", "ADDED c"]);
    watch.stop();
    api.create("configmaps", configMap("d"));
    expect(watch.lines).toHaveLength(2);
  });

  it("tells objects that leave and enter the selector as deleted and added", () => {
    const api = createTestApi();
    api.create("configmaps", configMap("a", { v: "1" }, { labels: { g: "in" } }));
    const watch = api.watch("configmaps", `labelSelector=g%3Din&resourceVersion=${api.core.store.revision}`);
    const left = api.patch("configmaps", "a", "merge", {
      metadata: { labels: { g: "out" } },
      data: { v: "2" },
    });
    api.patch("configmaps", "a", "merge", { data: { v: "3" } });
    api.patch("configmaps", "a", "merge", { metadata: { labels: { g: "in" } } });
    expect(shorten(watch.lines)).toEqual(["DELETED a", "ADDED a"]);
    const [deleted] = watch.lines;
    expect(deleted).toMatchObject({
      object: {
        data: { v: "1" },
        metadata: { labels: { g: "in" }, resourceVersion: left.metadata.resourceVersion },
      },
    });
    watch.stop();
  });

  it("ends a streaming list with a bookmark that says so, only when bookmarks are allowed", () => {
    const api = createTestApi();
    api.create("configmaps", configMap("a"));
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    const silent = api.watch("configmaps", query);
    const marked = api.watch("configmaps", `${query}&allowWatchBookmarks=true`);
    expect(shorten(silent.lines)).toEqual(["ADDED a"]);
    expect(shorten(marked.lines)).toEqual(["ADDED a", "BOOKMARK"]);
    expect(marked.lines[1]).toMatchObject({
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          resourceVersion: String(api.core.store.revision),
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      },
    });
    silent.stop();
    marked.stop();
  });

  it("sends a bookmark every minute, with the newest revision", async () => {
    const api = createTestApi();
    const { revision } = api.core.store;
    const watch = api.watch("configmaps", `allowWatchBookmarks=true&resourceVersion=${revision}`);
    api.create("secrets", { metadata: { name: "s" } });
    await api.clock.advance(59_999);
    expect(watch.lines).toEqual([]);
    await api.clock.advance(1);
    expect(watch.lines).toMatchObject([
      { type: "BOOKMARK", object: { metadata: { resourceVersion: String(revision + 1) } } },
    ]);
    await api.clock.advance(60_000);
    expect(watch.lines).toHaveLength(2);
    watch.stop();
    expect(api.clock.pendingTimers).toBe(0);
  });

  it("ends without a word after timeoutSeconds and leaves no timer behind", async () => {
    const api = createTestApi();
    const watch = api.watch("configmaps", `timeoutSeconds=5&resourceVersion=${api.core.store.revision}`);
    await api.clock.advance(5_000);
    expect(watch.lines).toEqual(["end"]);
    expect(api.clock.pendingTimers).toBe(0);
    api.create("configmaps", configMap("late"));
    expect(watch.lines).toHaveLength(1);
  });

  it("answers a version that is no longer known with one ERROR line of 410", () => {
    const api = createTestApi({ historyLimit: 2 });
    for (const name of ["a", "b", "c", "d", "e"]) api.create("configmaps", configMap(name));
    const { revision } = api.core.store;
    const watch = api.watch("configmaps", "resourceVersion=1");
    expect(watch.lines).toMatchObject([
      {
        type: "ERROR",
        object: { code: 410, reason: "Expired", message: `too old resource version: 1 (${revision})` },
      },
      "end",
    ]);
  });

  it("is silent about a future version until it has passed", () => {
    const api = createTestApi();
    const watch = api.watch("configmaps", `resourceVersion=${api.core.store.revision + 1}`);
    api.create("configmaps", configMap("a"));
    api.create("configmaps", configMap("b"));
    expect(shorten(watch.lines)).toEqual(["ADDED b"]);
    watch.stop();
  });

  it("ends when the CRD of its kind is deleted", async () => {
    const api = createTestApi();
    api.create("customresourcedefinitions.apiextensions.k8s.io", thingDefinition());
    await api.clock.settle();
    api.create("things.example.com", thing("t"));
    const watch = api.watch("things.example.com");
    api.delete("customresourcedefinitions.apiextensions.k8s.io", "things.example.com");
    await api.clock.settle();
    expect(shorten(watch.lines)).toEqual(["ADDED t", "DELETED t", "end"]);
    expect(() => api.type("things.example.com")).toThrow("not served");
  });

  it.each([
    ["resourceVersion=abc", 500],
    ["timeoutSeconds=abc", 400],
    ["continue=abc", 422],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=1", 422],
    ["sendInitialEvents=true", 422],
    ["sendInitialEvents=true&resourceVersionMatch=Exact", 422],
  ])("refuses %s with %i", (query, code) => {
    expect(refusalOf(() => createTestApi().watch("configmaps", query)).code).toBe(code);
  });
});
