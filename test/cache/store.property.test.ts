// The store against a model: a server's true history, a watch that is late, relists, and own writes whose answers come
// at any time. Readers must see own writes at once, the stream must tell everything, and in the end all must agree.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/cache/informer.ts";
import { compareResourceVersions } from "../../src/cache/resource-version.ts";
import { Store } from "../../src/cache/store.ts";
import type { Widget } from "./scripted-server.ts";

type Event = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Widget };

const name = fc.constantFrom("a", "b");
const step = fc.oneof(
  fc.record({ do: fc.constant("foreign put" as const), name }),
  fc.record({ do: fc.constant("foreign delete" as const), name }),
  fc.record({ do: fc.constant("own put" as const), name, late: fc.boolean() }),
  fc.record({ do: fc.constant("own no-op" as const), name }),
  fc.record({ do: fc.constant("own delete" as const), name, late: fc.boolean() }),
  fc.record({ do: fc.constant("answer" as const) }),
  fc.record({ do: fc.constant("deliver" as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("bookmark" as const) }),
  fc.record({ do: fc.constant("relist" as const) }),
);

/** As a list is taken over: by keys. */
const listed = (objects: readonly Widget[]): ReadonlyMap<string, Widget> =>
  new Map(objects.map((object) => [`default/${object.metadata.name}`, object]));

class Model {
  revision = 1;
  uid = 0;
  readonly live = new Map<string, Widget>();
  readonly history: Event[] = [];
  delivered = 0;

  put(each: string): Widget {
    const before = this.live.get(each);
    this.revision += 1;
    const object: Widget = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: {
        name: each,
        namespace: "default",
        uid: before?.metadata.uid ?? `uid-${(this.uid += 1)}`,
        resourceVersion: String(this.revision),
        creationTimestamp: "",
      },
      spec: { size: this.revision },
    };
    this.live.set(each, object);
    this.history.push({ type: before === undefined ? "ADDED" : "MODIFIED", object });
    return object;
  }

  remove(each: string): Widget | undefined {
    const before = this.live.get(each);
    if (before === undefined) return undefined;
    this.live.delete(each);
    this.revision += 1;
    const metadata = { ...before.metadata, resourceVersion: String(this.revision) };
    this.history.push({ type: "DELETED", object: { ...before, metadata } });
    return before;
  }
}

describe("store under random histories", () => {
  it("shows own writes at once, tells every change of others, and ends equal to the server without overlays", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const model = new Model();
        const store = new Store<Widget>();
        store.addIndex("size", (object) => [String(object.spec.size)]);
        const told = new Map<string, Widget>();
        /** Versions of objects whose events were delivered one by one: none of them may be swallowed. */
        const expected: string[] = [];
        const toldVersions: string[] = [];
        const answers: (() => void)[] = [];
        const ownDeletes = new Set<string>();
        /** Uids whose end was told. */
        const ended = new Set<string>();
        /** Uids that readers have seen, as far as no own write or delete has taken their name over. */
        const shown = new Set<string>();

        const fold = (changes: readonly Change<Widget>[]): void => {
          for (const change of changes) {
            const { name: each } = change.object.metadata;
            if (change.type === "deleted") {
              expect(told.has(each)).toBe(true);
              expect(told.get(each)?.metadata.uid).toBe(change.object.metadata.uid);
              told.delete(each);
              ended.add(change.object.metadata.uid);
            } else {
              if (change.type === "modified") expect(told.get(each)).toEqual(change.old);
              else expect(told.has(each)).toBe(false);
              told.set(each, change.object);
            }
            toldVersions.push(change.object.metadata.resourceVersion);
          }
        };
        const deliver = (count: number): void => {
          for (const event of model.history.slice(model.delivered, model.delivered + count)) {
            model.delivered += 1;
            expected.push(event.object.metadata.resourceVersion);
            fold(store.apply(event.type, event.object));
          }
        };
        const relist = (): void => {
          model.delivered = model.history.length;
          fold(store.replace(listed([...model.live.values()]), String(model.revision), false));
        };
        const recordWrite = (object: Widget): void => {
          const before = store.get(`default/${object.metadata.name}`)?.metadata;
          fold(store.recordWrite(object));
          const after = store.get(`default/${object.metadata.name}`)?.metadata;
          if (before !== undefined && before.uid !== after?.uid) shown.delete(before.uid);
          if (before !== undefined && before.uid === after?.uid) {
            expect(
              compareResourceVersions(after.resourceVersion, before.resourceVersion),
            ).toBeGreaterThanOrEqual(0);
          }
          // From now on readers see this write or something newer; absence means that it was deleted since.
          const visible = store.get(`default/${object.metadata.name}`);
          if (visible === undefined) {
            expect(model.live.get(object.metadata.name)?.metadata.uid).not.toBe(object.metadata.uid);
          } else {
            expect(
              compareResourceVersions(visible.metadata.resourceVersion, object.metadata.resourceVersion),
            ).toBeGreaterThanOrEqual(0);
          }
        };

        relist();
        for (const each of steps) {
          switch (each.do) {
            case "foreign put":
              model.put(each.name);
              break;
            case "foreign delete":
              model.remove(each.name);
              break;
            case "own put": {
              const object = model.put(each.name);
              if (each.late) answers.push(() => recordWrite(object));
              else recordWrite(object);
              break;
            }
            case "own no-op": {
              const object = model.live.get(each.name);
              if (object !== undefined) recordWrite(object);
              break;
            }
            case "own delete": {
              const gone = model.remove(each.name);
              if (gone === undefined) break;
              const record = (): void => {
                const before = store.get(`default/${each.name}`)?.metadata;
                store.recordDelete(gone);
                if (before !== undefined && before.uid !== gone.metadata.uid) shown.delete(before.uid);
                ownDeletes.add(gone.metadata.uid);
              };
              if (each.late) answers.push(record);
              else record();
              break;
            }
            case "answer":
              answers.shift()?.();
              break;
            case "deliver":
              deliver(each.count);
              break;
            case "bookmark":
              if (model.delivered === model.history.length) store.advance(String(model.revision));
              break;
            case "relist":
              relist();
              break;
          }
          const visible = [...store.values()];
          expect(store.size).toBe(visible.length);
          expect(visible.filter((object) => ownDeletes.has(object.metadata.uid))).toEqual([]);
          for (const { metadata } of visible) shown.add(metadata.uid);
          for (const object of visible)
            expect([...(store.byIndex("size", String(object.spec.size)) ?? [])]).toContain(object);
        }
        deliver(model.history.length);
        for (const answer of answers) answer();
        store.advance(String(model.revision + 1));
        const byName = (objects: Iterable<Widget>) =>
          new Map([...objects].map((object) => [object.metadata.name, object]));
        expect(byName(store.values())).toEqual(byName(model.live.values()));
        expect(told).toEqual(byName(model.live.values()));
        expect(store.overlays).toBe(0);
        // What readers have seen does not vanish without a word.
        const live = new Set([...model.live.values()].map(({ metadata }) => metadata.uid));
        expect([...shown].filter((uid) => !live.has(uid) && !ended.has(uid) && !ownDeletes.has(uid))).toEqual(
          [],
        );
        for (const version of expected) expect(toldVersions).toContain(version);
      }),
      { numRuns: 500 },
    );
  });
});

describe("store after a restore from backup", () => {
  it("believes the list although its version is lower than what was seen before", () => {
    const store = new Store<Widget>();
    const object = new Model().put("a");
    const at = (resourceVersion: string) => ({
      ...object,
      metadata: { ...object.metadata, resourceVersion },
    });
    store.replace(listed([at("900")]), "1000", true);
    store.recordWrite(at("1001"));
    expect(store.replace(listed([at("400")]), "500", false)).toMatchObject([{ type: "modified" }]);
    expect(store.get("default/a")?.metadata.resourceVersion).toBe("400");
    expect(store.apply("MODIFIED", at("501"))).toHaveLength(1);
  });

  it("shows each own write until its event or a later one comes, in whatever order the answers came", () => {
    const store = new Store<Widget>();
    const widget = (name: string, resourceVersion: string): Widget => ({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name, namespace: "default", uid: name, resourceVersion, creationTimestamp: "" },
      spec: { size: 1 },
    });
    store.replace(listed([]), "1", true);
    for (const version of ["4", "2", "9", "3"]) store.recordWrite(widget(`w${version}`, version));
    store.recordWrite(widget("w2", "7"));
    store.advance("3");
    // Replaced meanwhile, so that one is still ahead.
    expect([...store.values()].map(({ metadata }) => metadata.name).sort()).toEqual(["w2", "w4", "w9"]);
    store.apply("ADDED", widget("other", "8"));
    expect([...store.values()].map(({ metadata }) => metadata.name).sort()).toEqual(["other", "w9"]);
    store.replace(listed([]), "10", false);
    expect([store.size, store.overlays]).toEqual([0, 0]);
    // Versions that are no integers have no order: each write ends with its own event.
    for (const version of ["x", "y", "z"]) store.recordWrite(widget(`w${version}`, version));
    for (const version of ["x", "z", "y"]) store.apply("ADDED", widget(`w${version}`, version));
    expect([store.size, store.overlays]).toEqual([3, 0]);
  });
});

describe("resource versions", () => {
  it.each([
    ["9", "10", -1],
    ["10", "9", 1],
    ["10", "10", 0],
    ["18446744073709551615", "18446744073709551616", -1],
    ["abc", "abc", 0],
    ["abc", "abd", 1],
  ])("compare %s with %s as integers of any length", (one, other, sign) => {
    expect(Math.sign(compareResourceVersions(one, other))).toBe(sign);
  });
});
