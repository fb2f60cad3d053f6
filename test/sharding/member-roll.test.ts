import { describe, expect, it } from "vitest";
import type { Lease } from "../../src/kinds/builtin/coordination.ts";
import { leaseOf } from "../../src/sharding/member-lease.ts";
import { MemberRoll } from "../../src/sharding/member-roll.ts";

const leaseDuration = 15_000;

/** The Lease of another member that claims these slots. */
function leaseOfOther(slots: readonly number[]): Lease {
  const manifest = leaseOf(undefined, {
    namespace: "default",
    name: "operator-shard-b",
    shards: "operator",
    identity: "b",
    leaseDuration,
    resources: [],
    slots,
    leaving: false,
    now: 0,
  });
  return { ...manifest, metadata: { ...manifest.metadata, uid: "1", resourceVersion: "1" } } as Lease;
}

describe("a member whose Lease was deleted by other hands", () => {
  it("may claim any slot until its term is over, whatever its Lease said last: it may have claimed more since", () => {
    const roll = new MemberRoll("operator-shard-a", leaseDuration);
    roll.see([leaseOfOther([1])], 0);
    expect([roll.isClaimed(1), roll.isClaimed(2)]).toEqual([true, false]);
    roll.see([], 1_000);
    expect([roll.isClaimed(1), roll.isClaimed(2)]).toEqual([true, true]);
    roll.see([], 1_000 + leaseDuration);
    expect([roll.isClaimed(1), roll.isClaimed(2)]).toEqual([false, false]);
  });
});
