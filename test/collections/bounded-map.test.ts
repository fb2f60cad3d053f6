import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedMap } from "../../src/collections/bounded-map.ts";
import { liveHeap } from "../support/live-heap.ts";

describe("a bounded map", () => {
  it("keeps the entries that were set last, and gives them in the order of setting", () => {
    const settings = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer()));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), settings, (limit, entries) => {
        const map = new BoundedMap<number, number>(limit);
        let model: (readonly [number, number])[] = [];
        for (const [key, value] of entries) {
          map.set(key, value);
          model = [...model.filter(([other]) => other !== key), [key, value] as const].slice(-limit);
        }
        expect(map.values()).toEqual(model.map(([, value]) => value));
        expect(map.size).toBe(model.length);
        for (let key = 0; key < 10; key += 1) {
          expect(map.get(key)).toBe(model.find(([other]) => other === key)?.[1]);
        }
      }),
    );
  });

  it("forgets what is deleted", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("one", 1);
    map.delete("one");
    map.delete("two");
    expect([map.get("one"), map.size]).toEqual([undefined, 0]);
  });

  it.each([
    ["below its limit", 1_000, 10_000],
    ["at its limit", 1_000, 1_000],
  ])("holds no more memory however often its entries are set again (%s)", (_where, count, limit) => {
    const map = new BoundedMap<number, number>(limit);
    const heapAfter = (settings: number): number => {
      for (let index = 0; index < settings; index += 1) map.set(index % count, index);
      return liveHeap();
    };
    map.set(-1, 0);
    const before = heapAfter(100_000);
    const growth = heapAfter(2_000_000) - before;
    expect(growth).toBeLessThan(2_000_000);
    expect(map.size).toBe(Math.min(limit, count + 1));
  });
});
