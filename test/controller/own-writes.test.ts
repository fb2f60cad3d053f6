import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { Store } from "../../src/cache/store.ts";
import { OwnWrites } from "../../src/controller/changes/own-writes.ts";
import type { KubeObject } from "../../src/meta/object.ts";

interface Sample extends KubeObject {
  readonly spec: { readonly size: number };
  readonly status: { readonly seen: number };
}

function sample(version: number, size: number, seen: number, extra: object = {}): Sample {
  return {
    apiVersion: "v1",
    kind: "Sample",
    metadata: {
      name: "a",
      namespace: "ns",
      uid: "u",
      resourceVersion: String(version),
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...extra,
    },
    spec: { size },
    status: { seen },
  };
}

describe("own writes", () => {
  it("know the watch event of an own status write", () => {
    const own = new OwnWrites();
    own.record(sample(1, 1, 0), sample(2, 1, 1));
    expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(true);
  });

  it("are told once: the same event again is a foreign one", () => {
    const own = new OwnWrites();
    own.record(sample(1, 1, 0), sample(2, 1, 1));
    own.explain({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) });
    expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(false);
  });

  it("let a foreign spec edit through that a relist shows together with the own write (T22)", () => {
    const own = new OwnWrites();
    own.record(sample(1, 1, 0), sample(3, 5, 1));
    expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: sample(3, 5, 1) })).toBe(false);
  });

  it("let a delete request through that came in with the own write (T21)", () => {
    const own = new OwnWrites();
    const deleting = sample(2, 1, 1, { deletionTimestamp: "2026-01-01T00:00:01Z" });
    own.record(sample(1, 1, 0), deleting);
    expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: deleting })).toBe(false);
  });

  it("let a foreign status write through", () => {
    const own = new OwnWrites();
    own.record(sample(1, 1, 0), sample(2, 1, 1));
    expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(true);
    expect(own.explain({ type: "modified", old: sample(2, 1, 1), object: sample(3, 1, 9) })).toBe(false);
  });

  it("forget a deleted object", () => {
    const own = new OwnWrites();
    own.record(sample(1, 1, 0), sample(2, 1, 1));
    expect(own.explain({ type: "deleted", object: sample(2, 1, 1), synthetic: false })).toBe(false);
    expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(false);
  });

  it("know each of several own writes that the watch has not shown yet", () => {
    const own = new OwnWrites();
    own.record(sample(1, 1, 0), sample(2, 1, 1));
    own.record(sample(2, 1, 1), sample(3, 1, 2));
    expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(true);
    expect(own.explain({ type: "modified", old: sample(2, 1, 1), object: sample(3, 1, 2) })).toBe(true);
  });

  it("know the watch event of our finalizer, and of no other", () => {
    const [ours, theirs] = ["x/ours", "x/theirs"];
    for (const [finalizers, expected] of [
      [[ours], true],
      [[theirs], false],
      [[ours, theirs], false],
    ] as const) {
      const own = new OwnWrites(ours);
      const marked = sample(2, 1, 0, { finalizers });
      own.record(sample(1, 1, 0), marked);
      expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: marked })).toBe(expected);
    }
  });

  it("let a delete request through that came in with our finalizer (T21)", () => {
    const own = new OwnWrites("x/ours");
    const deletionTimestamp = "2026-01-01T00:00:01Z";
    const deleting = sample(2, 1, 0, { finalizers: ["x/ours"], deletionTimestamp });
    own.record(sample(1, 1, 0), deleting);
    expect(own.explain({ type: "modified", old: sample(1, 1, 0), object: deleting })).toBe(false);
  });

  it("let the event through after which our finalizer is gone: what then holds the resource is to be told", () => {
    const own = new OwnWrites("x/ours");
    const before = sample(1, 1, 0, { finalizers: ["x/ours", "x/theirs"] });
    const after = sample(2, 1, 0, { finalizers: ["x/theirs"] });
    own.record(before, after);
    expect(own.explain({ type: "modified", old: before, object: after })).toBe(false);
  });

  it("never swallow a foreign edit, however writes, watch events and relists interleave", () => {
    // The server's history of one object; each write is ours (status, guarded by the version) or foreign (spec).
    const steps = array(constantFrom("own", "foreign", "see", "relist"), {
      minLength: 1,
      maxLength: 40,
    });
    assert(
      property(steps, (plan) => {
        const store = new Store<Sample>();
        const own = new OwnWrites();
        const history = [sample(1, 0, 0)];
        let shown = 0;
        let reconciledSize = 0;
        const look = (changes: ReturnType<Store<Sample>["apply"]>): void => {
          // A reconcile reads the visible object, so any change that is not explained brings its size up to date.
          for (const change of changes)
            if (!own.explain(change)) reconciledSize = store.get("ns/a")?.spec.size ?? -1;
        };
        const last = (): Sample => history.at(-1) as Sample;
        look(store.replace([last()], "1", true));
        for (const step of plan) {
          const now = last();
          const version = Number(now.metadata.resourceVersion) + 1;
          const visible = store.get("ns/a");
          if (step === "foreign") history.push(sample(version, now.spec.size + 1, now.status.seen));
          else if (step === "own") {
            // Guarded: refused unless the reader's state is the server's.
            if (visible?.metadata.resourceVersion !== now.metadata.resourceVersion) continue;
            const written = sample(version, now.spec.size, now.status.seen + 1);
            history.push(written);
            own.record(visible, written);
            store.recordWrite(written);
          } else if (step === "see" && shown < history.length - 1) {
            look(store.apply("MODIFIED", history[(shown += 1)] as Sample));
          } else if (step === "relist") {
            shown = history.length - 1;
            look(store.replace([now], now.metadata.resourceVersion, false));
          }
        }
        while (shown < history.length - 1) look(store.apply("MODIFIED", history[(shown += 1)] as Sample));
        expect(reconciledSize).toBe(last().spec.size);
      }),
      { numRuns: 2_000 },
    );
  });
});
