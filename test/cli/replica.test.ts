// Which replica has an object, from the Leases of all.
import { describe, expect, it } from "vitest";
import { formatExplanation } from "../../src/cli/explain/format-explanation.ts";
import { replicaIn } from "../../src/cli/explain/read-replica.ts";
import { explain } from "../../src/explain/explain.ts";
import type { Lease } from "../../src/kinds/builtin/coordination.ts";
import { leaseOf, releasedLeaseOf } from "../../src/sharding/member-lease.ts";
import { allSlots, slotOf } from "../../src/sharding/slots.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const type = { group: "example.com", version: "v1", kind: "Lamp", plural: "lamps", namespaced: true };
const key = { namespace: "shop", name: "hall" };
const slot = slotOf("lamps.example.com", "shop/hall");

function lease(identity: string, slots: Iterable<number>, resources = ["lamps.example.com"]): Lease {
  const claim = { namespace: "default", name: `lighting-shard-${identity}`, shards: "lighting", identity };
  const manifest = leaseOf(undefined, {
    ...claim,
    leaseDuration: 15_000,
    resources,
    slots,
    leaving: false,
    now,
  });
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      namespace: claim.namespace,
      uid: identity,
      resourceVersion: "1",
      creationTimestamp: "",
    },
  };
}

const others = allSlots.filter((each) => each !== slot);
const none = (identity: string): Lease => lease(identity, []);

describe("the replica of an object", () => {
  it("is the one that claims its slot", () => {
    expect(replicaIn([lease("b", others), lease("a", [slot])], type, key, now + 1_000)).toEqual({
      slot,
      replicas: 2,
      claims: [{ identity: "a", lease: "default/lighting-shard-a" }],
    });
  });

  it.each([
    ["who shares nothing", [], undefined],
    ["who shares other kinds", [lease("a", [slot], ["doors.example.com"])], undefined],
    ["who is gone", [lease("a", [slot]), releasedLeaseOf(none("b"), now) as Lease], 1],
  ])("counts nobody %s", (_, leases, replicas) => {
    expect(replicaIn(leases, type, key, now + 1_000)?.replicas).toBe(replicas);
  });

  it("is nobody when all Leases have run out, and that blocks it", () => {
    const replica = replicaIn([lease("a", allSlots)], type, key, now + 15_000);
    expect(replica).toEqual({ slot, replicas: 0, claims: [] });
    const metadata = { ...key, uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
    const object = { apiVersion: "example.com/v1", kind: "Lamp", metadata };
    const { blockers } = explain({
      object,
      type,
      children: [],
      events: [],
      now,
      ...(replica && { replica }),
    });
    expect(blockers.map(({ reason }) => reason)).toEqual(["NotObserved", "NoReplica"]);
  });

  it.each([
    [
      "one",
      [lease("a", [slot]), none("b")],
      "a (Lease default/lighting-shard-a), one of 2 replicas: it claims slot",
    ],
    ["none", [none("a")], `none of 1 replica currently claims its slot, ${slot}`],
    [
      "two",
      [lease("a", [slot]), lease("b", [slot])],
      `slot ${slot} is being handed over between a (Lease default/lighting-shard-a), and b (Lease`,
    ],
  ])("is told when it is %s", (_, leases, text) => {
    const replica = replicaIn(leases, type, key, now);
    const metadata = { ...key, uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
    const object = { apiVersion: "example.com/v1", kind: "Lamp", metadata };
    const explanation = explain({ object, type, children: [], events: [], now, ...(replica && { replica }) });
    expect(formatExplanation(explanation, { color: false, now })).toContain(`Replica ${text}`);
  });
});
