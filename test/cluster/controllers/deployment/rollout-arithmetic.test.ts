import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  newSetSize,
  resolveCount,
  rolloutBounds,
  scaleInProportion,
  shrinkOldSets,
  type ReplicaCount,
} from "../../../../src/cluster/controllers/deployment/rollout-arithmetic.ts";

const set = (name: string, wanted: number, available = wanted): ReplicaCount => ({ name, wanted, available });

describe("rollout bounds", () => {
  it.each([
    [{}, 10, { surge: 3, unavailable: 2 }],
    [{}, 1, { surge: 1, unavailable: 0 }],
    [{ maxSurge: 0, maxUnavailable: 0 }, 4, { surge: 0, unavailable: 1 }],
    [{ maxSurge: 0, maxUnavailable: "10%" }, 4, { surge: 0, unavailable: 1 }],
    [{ maxSurge: "100%", maxUnavailable: 0 }, 4, { surge: 4, unavailable: 0 }],
    [{ maxSurge: 0, maxUnavailable: 9 }, 4, { surge: 0, unavailable: 4 }],
  ])("of %j with %i replicas are %j", (rollingUpdate, replicas, bounds) => {
    expect(rolloutBounds(replicas, rollingUpdate)).toEqual(bounds);
  });

  it("rounds percentages as told", () => {
    expect(resolveCount("25%", 10, "up")).toBe(3);
    expect(resolveCount("25%", 10, "down")).toBe(2);
    expect(resolveCount(7, 10, "up")).toBe(7);
  });
});

describe("rolling update", () => {
  it("makes as many new pods as the surge allows", () => {
    expect(newSetSize(10, { surge: 3, unavailable: 2 }, set("new", 0), [set("old", 10)])).toBe(3);
    expect(newSetSize(10, { surge: 3, unavailable: 2 }, set("new", 3), [set("old", 10)])).toBe(3);
    expect(newSetSize(10, { surge: 3, unavailable: 2 }, set("new", 3), [set("old", 8)])).toBe(5);
    expect(newSetSize(2, { surge: 1, unavailable: 0 }, set("new", 5), [])).toBe(2);
  });

  it("takes old pods away only as new ones become available", () => {
    const bounds = { surge: 1, unavailable: 0 };
    expect(shrinkOldSets(3, bounds, set("new", 1, 0), [set("old", 3)])).toEqual([]);
    expect(shrinkOldSets(3, bounds, set("new", 1), [set("old", 3)])).toEqual([{ name: "old", replicas: 2 }]);
  });

  it("takes broken old pods away first, also while new ones are not available", () => {
    const sizes = shrinkOldSets(4, { surge: 1, unavailable: 1 }, set("new", 1, 0), [
      set("older", 2, 0),
      set("old", 2, 2),
    ]);
    expect(sizes).toEqual([{ name: "older", replicas: 1 }]);
  });

  it("reaches the new revision in any order of events, within its bounds", () => {
    const input = fc.record({
      replicas: fc.integer({ min: 1, max: 12 }),
      maxSurge: fc.integer({ min: 0, max: 4 }),
      maxUnavailable: fc.integer({ min: 0, max: 4 }),
      slowness: fc.array(fc.boolean(), { minLength: 200, maxLength: 200 }),
    });
    fc.assert(
      fc.property(input, ({ replicas, maxSurge, maxUnavailable, slowness }) => {
        const bounds = rolloutBounds(replicas, { maxSurge, maxUnavailable });
        let fresh = set("new", 0);
        let old = set("old", replicas);
        for (let step = 0; step < 200 && (fresh.available < replicas || old.wanted > 0); step += 1) {
          fresh = { ...fresh, wanted: newSetSize(replicas, bounds, fresh, [old]) };
          for (const { replicas: size } of shrinkOldSets(replicas, bounds, fresh, [old])) {
            old = set("old", size);
          }
          expect(fresh.wanted + old.wanted).toBeLessThanOrEqual(replicas + bounds.surge);
          expect(fresh.available + old.available).toBeGreaterThanOrEqual(replicas - bounds.unavailable);
          if (slowness[step] === true && step < 150) continue;
          fresh = { ...fresh, available: Math.min(fresh.wanted, fresh.available + 1) };
        }
        expect([fresh.wanted, fresh.available, old.wanted]).toEqual([replicas, replicas, 0]);
      }),
    );
  });
});

describe("scaling in the middle of a rollout", () => {
  it("spreads the change over the sets by their size", () => {
    expect(scaleInProportion(15, [set("old", 8), set("new", 2)])).toEqual([
      { name: "old", replicas: 12 },
      { name: "new", replicas: 3 },
    ]);
  });

  it("always reaches the target, and never goes below zero", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 60 }), (wanted, target) => {
        fc.pre(wanted.some((each) => each > 0));
        const resized = scaleInProportion(
          target,
          wanted.map((each, index) => set(String(index), each)),
        );
        expect(resized.reduce((sum, each) => sum + each.replicas, 0)).toBe(target);
        for (const { replicas } of resized) expect(replicas).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
