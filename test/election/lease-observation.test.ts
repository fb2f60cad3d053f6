import { describe, expect, it } from "vitest";
import { LeaseObservation } from "../../src/election/lease-observation.ts";
import type { Lease } from "../../src/kinds/builtin/coordination.ts";

const lease = (spec: Lease["spec"], uid = "1"): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "default", name: "l", uid, resourceVersion: "1", creationTimestamp: "" },
  ...(spec && { spec }),
});
const held = { holderIdentity: "other", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" };
const renewed = { ...held, renewTime: "2026-01-01T00:00:02.000000Z" };
const fresh = (): LeaseObservation => new LeaseObservation("me", 20_000);

describe("what a candidate has seen of the Lease", () => {
  it.each<[string, Lease | undefined]>([
    ["is missing", undefined],
    ["has no spec", lease(undefined)],
    ["has no holder", lease({ ...held, holderIdentity: "" })],
    ["is its own", lease({ ...held, holderIdentity: "me" })],
  ])("lets it claim one that %s from the start", (_, first) => {
    const seen = fresh();
    seen.see(first, 1000);
    expect(seen.heldFor(1000)).toBe(0);
  });

  it("counts another's term from when it saw it, whatever times are written there", () => {
    const seen = fresh();
    seen.see(lease({ ...held, renewTime: "1999-01-01T00:00:00.000000Z" }), 1000);
    expect(seen.heldFor(1000)).toBe(15_000);
    expect(seen.heldFor(15_999)).toBe(1);
    expect(seen.heldFor(16_000)).toBe(0);
  });

  it("counts anew after every renewal, also one that goes back in time", () => {
    const seen = fresh();
    seen.see(lease(renewed), 0);
    seen.see(lease(held), 14_000);
    expect(seen.heldFor(16_000)).toBe(13_000);
  });

  it("does not count anew when the same is read again, or with other labels", () => {
    const seen = fresh();
    seen.see(lease(held), 0);
    const same = lease(held);
    seen.see({ ...same, metadata: { ...same.metadata, labels: { a: "b" }, resourceVersion: "9" } }, 10_000);
    expect(seen.heldFor(10_000)).toBe(5000);
  });

  it.each([undefined, 0, -3])(
    "falls back on its own duration when the Lease says %s",
    (leaseDurationSeconds) => {
      const seen = fresh();
      seen.see(
        lease({
          holderIdentity: "other",
          ...(leaseDurationSeconds !== undefined && { leaseDurationSeconds }),
        }),
        0,
      );
      expect(seen.heldFor(0)).toBe(20_000);
    },
  );

  it.each<[string, Lease | undefined]>([
    ["was deleted", undefined],
    ["was emptied by hand", lease({ ...held, holderIdentity: "" })],
    ["was replaced by an empty one", lease(undefined, "2")],
    ["was replaced by the same", lease(held, "2")],
  ])("leaves a whole term to a holder whose Lease %s", (_, next) => {
    const seen = fresh();
    seen.see(lease(held), 0);
    seen.see(next, 10_000);
    expect(seen.heldFor(10_000)).toBe(15_000);
    expect(seen.heldFor(25_000)).toBe(0);
  });

  it("believes no term of years, and after the Lease was deleted none that is longer than its own", () => {
    const years = { ...held, leaseDurationSeconds: 2_147_483_647 };
    const seen = fresh();
    seen.see(lease(years), 0);
    expect(seen.heldFor(0)).toBe(600_000);
    seen.see(undefined, 10_000);
    expect(seen.heldFor(10_000)).toBe(20_000);
    expect(seen.heldFor(30_000)).toBe(0);
  });

  it("believes a term that is a little longer than its own", () => {
    const seen = new LeaseObservation("me", 120_000);
    seen.see(lease({ ...held, leaseDurationSeconds: 1_000 }), 0);
    expect(seen.heldFor(0)).toBe(1_000_000);
    seen.see(lease({ ...renewed, leaseDurationSeconds: 2_000 }), 0);
    expect(seen.heldFor(0)).toBe(1_200_000);
  });

  it("lets it claim at once what its holder has released, also when that is deleted afterwards", () => {
    const seen = fresh();
    seen.see(lease(held), 0);
    seen.see(lease({ ...renewed, holderIdentity: "", leaseDurationSeconds: 1 }), 2000);
    expect(seen.heldFor(2000)).toBe(0);
    seen.see(undefined, 3000);
    expect(seen.heldFor(3000)).toBe(0);
  });
});
