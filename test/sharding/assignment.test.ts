import { array, assert, property, stringMatching, uniqueArray } from "fast-check";
import { describe, expect, it } from "vitest";
import { assignedSlots, ownerOf } from "../../src/sharding/assignment.ts";
import { allSlots, formatSlots, hashOf, parseSlots, slotCount, slotOf } from "../../src/sharding/slots.ts";

const name = stringMatching(/^[a-z0-9]{4,12}$/);
const crowd = uniqueArray(name, { minLength: 1, maxLength: 8 });

describe("assignment of slots", () => {
  it("gives every slot to exactly one member, whoever computes it and in whatever order", () => {
    assert(
      property(crowd, (members) => {
        const shares = members.map((member) => assignedSlots(member, [...members].reverse()));
        expect(shares.reduce((sum, { size }) => sum + size, 0)).toBe(slotCount);
        expect(new Set(shares.flatMap((share) => [...share])).size).toBe(slotCount);
      }),
      { numRuns: 30 },
    );
  });

  it("moves slots only to a member that comes, and only from one that goes", () => {
    assert(
      property(crowd, name, (members, other) => {
        const before = members.filter((member) => member !== other);
        const after = [...before, other];
        for (const slot of allSlots) {
          const [was, is] = [ownerOf(slot, before), ownerOf(slot, after)];
          if (was !== is) expect(is).toBe(other);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("gives each about the same", () => {
    assert(
      property(uniqueArray(name, { minLength: 2, maxLength: 8 }), (members) => {
        const fair = slotCount / members.length;
        for (const member of members) {
          const { size } = assignedSlots(member, members);
          // Five standard deviations of what chance does.
          expect(Math.abs(size - fair)).toBeLessThan(5 * Math.sqrt(fair));
        }
      }),
      { numRuns: 50 },
    );
  });

  it("spreads keys that differ by a number over all members", () => {
    const members = ["a", "b", "c"];
    const keys = Array.from({ length: 3000 }, (_, index) => `default/database-${index}`);
    const counts = new Map<string | undefined, number>();
    for (const key of keys) {
      const owner = ownerOf(slotOf("databases.data.example.com", key), members);
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    for (const member of members) expect(counts.get(member)).toBeGreaterThan(800);
  });

  it("gives nothing when nobody is there", () => {
    expect(ownerOf(0, [])).toBeUndefined();
    expect(assignedSlots("a", []).size).toBe(0);
  });

  it("stays as it is from version to version: replicas of both share during a rollout", () => {
    expect(hashOf("")).toBe(2_872_998_923);
    expect(hashOf("abc")).toBe(482_950_588);
    expect(slotOf("databases.data.example.com", "default/orders")).toBe(989);
  });
});

describe("slots as text", () => {
  it("can be read back", () => {
    assert(
      property(array(stringMatching(/^[0-9]{1,3}$/)), (numbers) => {
        const slots = new Set(numbers.map(Number));
        expect(parseSlots(formatSlots(slots))).toEqual(new Set([...slots].sort((a, b) => a - b)));
      }),
    );
    expect(parseSlots(formatSlots(allSlots))?.size).toBe(slotCount);
  });

  it("is nothing else", () => {
    expect(parseSlots("")).toEqual(new Set());
    expect(parseSlots("00")).toBeUndefined();
    expect(parseSlots("x".repeat(slotCount / 4))).toBeUndefined();
  });
});
