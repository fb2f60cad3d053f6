import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiObject } from "../../../../src/cluster/api/api-object.ts";
import type { StoredChange } from "../../../../src/cluster/api/storage/change-history.ts";
import { ObjectStore, tooOld } from "../../../../src/cluster/api/storage/object-store.ts";

const object = (name: string, data = "", namespace = "default"): ApiObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data,
});
const names = (objects: readonly ApiObject[] | typeof tooOld): string[] =>
  objects === tooOld ? ["too old"] : objects.map((each) => each.metadata.name);

describe("object store", () => {
  it("counts one revision over all key spaces", () => {
    const store = new ObjectStore();
    const first = store.put("configmaps", object("a"));
    const second = store.put("secrets", object("a"));
    expect(Number(second.metadata.resourceVersion)).toBe(Number(first.metadata.resourceVersion) + 1);
    expect(store.get("configmaps", "default", "a")?.metadata.resourceVersion).toBe(
      first.metadata.resourceVersion,
    );
  });

  it("never changes an object that it handed out", () => {
    const store = new ObjectStore();
    const before = store.put("configmaps", object("a", "1"));
    store.put("configmaps", object("a", "2"));
    expect(before["data"]).toBe("1");
  });

  it("lists by the bytes of namespace and name", () => {
    const store = new ObjectStore();
    for (const [namespace, name] of [
      ["b", "a"],
      ["a", "z"],
      ["a-b", "a"],
      ["a", "b"],
    ] as const) {
      store.put("configmaps", object(name, "", namespace));
    }
    expect(store.list("configmaps").map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      "a-b/a",
      "a/b",
      "a/z",
      "b/a",
    ]);
  });

  it("tells a deletion at its own revision, with the last state of the object", () => {
    const store = new ObjectStore();
    const changes: StoredChange[] = [];
    store.subscribe("configmaps", (change) => changes.push(change));
    const created = store.put("configmaps", object("a", "1"));
    store.remove("configmaps", created);
    expect(changes.map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
    expect(changes[1]?.object["data"]).toBe("1");
    expect(changes[1]?.object.metadata.resourceVersion).toBe(String(store.revision));
    expect(store.get("configmaps", "default", "a")).toBeUndefined();
  });

  it("stops telling after the unsubscription, and never tells of other key spaces", () => {
    const store = new ObjectStore();
    const seen: string[] = [];
    const unsubscribe = store.subscribe("configmaps", ({ object: { metadata } }) => seen.push(metadata.name));
    store.put("secrets", object("s"));
    store.put("configmaps", object("a"));
    unsubscribe();
    store.put("configmaps", object("b"));
    expect(seen).toEqual(["a"]);
  });

  it("forgets what lies before the history limit, and says so", () => {
    const store = new ObjectStore({ historyLimit: 4 });
    const first = store.put("configmaps", object("a", "0"));
    for (let index = 1; index < 10; index += 1) store.put("configmaps", object("a", String(index)));
    expect(store.changesSince("configmaps", Number(first.metadata.resourceVersion))).toBe(tooOld);
    expect(store.listAt("configmaps", Number(first.metadata.resourceVersion))).toBe(tooOld);
    expect(store.changesSince("configmaps", store.revision - 2)).toHaveLength(2);
  });

  it("forgets what takes too much memory, of the types that take the most, and says so", () => {
    const store = new ObjectStore({ historyBytes: 1_000_000 });
    store.put("secrets", object("a", "0"));
    const start = store.revision;
    store.put("secrets", object("a", "1"));
    for (let index = 0; index < 40; index += 1)
      store.put("configmaps", object("a", `${index}`.padEnd(50_000)));
    const told = store.changesSince("configmaps", store.revision - 5);
    expect(told).toHaveLength(5);
    expect(store.changesSince("configmaps", store.revision - 12)).toBe(tooOld);
    expect(store.listAt("configmaps", store.revision - 12)).toBe(tooOld);
    expect(store.changesSince("secrets", start)).toHaveLength(1);
    // A deletion keeps what is nowhere else.
    for (let index = 0; index < 40; index += 1) {
      store.remove("pods", store.put("pods", object(`p-${index}`, "x".repeat(50_000))));
    }
    expect(store.changesSince("pods", store.revision - 40)).toBe(tooOld);
    expect(store.changesSince("pods", store.revision - 4)).toHaveLength(4);
  });

  it("keeps many changes of a large object that share what is large", () => {
    const store = new ObjectStore({ historyBytes: 1_000_000 });
    const spec = { text: "x".repeat(100_000) };
    const first = store.put("boxes", { ...object("a"), spec });
    for (let index = 0; index < 500; index += 1)
      store.put("boxes", { ...object("a"), spec, status: { index } });
    expect(store.changesSince("boxes", Number(first.metadata.resourceVersion))).toHaveLength(500);
  });

  it("forgets everything past on a compaction, and nothing present", () => {
    const store = new ObjectStore();
    store.put("configmaps", object("a"));
    const revision = store.revision;
    store.put("configmaps", object("b"));
    store.compact();
    expect(store.changesSince("configmaps", revision)).toBe(tooOld);
    expect(store.changesSince("configmaps", store.revision)).toEqual([]);
    expect(names(store.list("configmaps"))).toEqual(["a", "b"]);
  });

  it("reconstructs the list of any revision it still knows", () => {
    const step = fc.record({ name: fc.constantFrom("a", "b", "c"), remove: fc.boolean(), data: fc.string() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new ObjectStore();
        const past: { readonly revision: number; readonly list: readonly ApiObject[] }[] = [];
        for (const { name, remove, data } of steps) {
          const current = store.get("configmaps", "default", name);
          if (remove && current !== undefined) store.remove("configmaps", current);
          else store.put("configmaps", object(name, data));
          past.push({ revision: store.revision, list: [...store.list("configmaps")] });
        }
        for (const { revision, list } of past) expect(store.listAt("configmaps", revision)).toEqual(list);
      }),
    );
  });

  it("replays exactly what a listener was told", () => {
    const store = new ObjectStore();
    const told: StoredChange[] = [];
    store.put("configmaps", object("before"));
    const { revision } = store;
    store.subscribe("configmaps", (change) => told.push(change));
    const a = store.put("configmaps", object("a"));
    store.remove("configmaps", a);
    expect(store.changesSince("configmaps", revision)).toEqual(told);
  });
});
