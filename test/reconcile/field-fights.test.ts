import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { FieldFights } from "../../src/reconcile/comparison/field-fights.ts";

const limits = { repairs: 5, within: 600_000, longestDelay: 300_000 };
const drift = (now: number, paths: readonly string[] = ["data.mode"]) => ({
  owner: "cr",
  object: "child",
  index: "default ConfigMap/a v1",
  name: "ConfigMap/a",
  paths,
  now,
});

/** Somebody overwrites each repair after `answer` milliseconds; when each repair was made. */
function fight(fights: FieldFights, answer: number, until: number): number[] {
  const repairs: number[] = [];
  for (let now = 0; now < until; now += answer) {
    now += fights.leaveFor(drift(now)) ?? 0;
    fights.repaired(drift(now));
    repairs.push(now);
  }
  return repairs;
}

describe("field fights", () => {
  it("repair at once until it is a fight, and then less and less often", () => {
    const fights = new FieldFights({ limits });
    const repairs = fight(fights, 1_000, 3_600_000);
    expect(repairs.slice(0, 5)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
    const gaps = repairs.slice(4).map((instant, index, all) => (all[index + 1] ?? 0) - instant);
    expect(gaps.slice(0, 9)).toEqual([
      5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000,
    ]);
    expect(fights.of("cr")).toMatchObject([{ name: "ConfigMap/a", paths: ["data.mode"] }]);
  });

  it("tell once that a fight has begun", () => {
    const fights = new FieldFights({ limits });
    const begun = [0, 1, 2, 3, 4, 5, 6].map((second) => fights.repaired(drift(second * 1_000)));
    expect(begun.map((each) => each !== undefined)).toEqual([false, false, false, false, true, false, false]);
  });

  it("see no fight in repairs that are far apart, nor in those of different fields", () => {
    const fights = new FieldFights({ limits });
    for (let time = 0; time < 50; time += 1) fights.repaired(drift(time * 150_000));
    for (let field = 0; field < 50; field += 1) fights.repaired(drift(9_000_000 + field, [`data.${field}`]));
    expect(fights.of("cr")).toEqual([]);
  });

  it("leave only the fields fought about: another one that drifts is repaired at once, in another object too", () => {
    const fights = new FieldFights({ limits });
    fight(fights, 1_000, 4_500);
    expect(fights.leaveFor(drift(5_000))).toBe(4_000);
    expect(fights.leaveFor(drift(5_000, ["data.mode", "data.size"]))).toBeUndefined();
    expect(fights.leaveFor({ ...drift(5_000), object: "other" })).toBeUndefined();
  });

  it("are over when a repair lasts three times as long as any did, and not before", () => {
    const fights = new FieldFights({ limits });
    const repaired = fight(fights, 20_000, 200_000).at(-1) ?? 0;
    expect(fights.calm(drift(repaired))).toBe(60_000);
    expect(fights.calm(drift(repaired + 59_999))).toBe(1);
    expect(fights.of("cr")).toHaveLength(1);
    expect(fights.calm(drift(repaired + 60_000))).toBeUndefined();
    expect(fights.of("cr")).toEqual([]);
  });

  it("are over when the object was deleted and made again, and when it is gone", () => {
    const again = { ...drift(5_000), object: "again" };
    for (const end of [
      (fights: FieldFights) => void fights.calm(again),
      (fights: FieldFights) => void fights.repaired(again),
      (fights: FieldFights) => fights.forgetObject("cr", "child"),
    ]) {
      const fights = new FieldFights({ limits });
      fight(fights, 1_000, 4_500);
      expect(fights.of("cr")).toHaveLength(1);
      end(fights);
      expect(fights.of("cr")).toEqual([]);
    }
  });

  it("know when somebody has overwritten the hash as well", () => {
    const fights = new FieldFights({ limits });
    fights.wrote("child", "one");
    expect([fights.hasWritten("child", "one"), fights.hasWritten("child", "two")]).toEqual([true, false]);
  });

  it("do not exist without limits", () => {
    const fights = new FieldFights({ limits: undefined });
    expect(fight(fights, 1_000, 100_000)).toHaveLength(100);
    expect(fights.of("cr")).toEqual([]);
  });

  it("whenever the other answers: each field is repaired again within the bound", () => {
    assert(
      property(array(integer({ min: 0, max: 700_000 }), { maxLength: 60 }), (answers) => {
        const fights = new FieldFights({ limits });
        let now = 0;
        for (const answer of answers) {
          now += answer;
          const left = fights.leaveFor(drift(now)) ?? 0;
          expect(left).toBeLessThanOrEqual(limits.longestDelay);
          now += left;
          expect(fights.leaveFor(drift(now))).toBeUndefined();
          fights.repaired(drift(now));
        }
      }),
    );
  });
});
