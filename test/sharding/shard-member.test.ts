import { describe, expect, it } from "vitest";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { memberOf } from "../../src/sharding/member-lease.ts";
import { allSlots, slotCount } from "../../src/sharding/slots.ts";
import { createVirtualClock, type VirtualClock } from "../../src/testing/virtual-clock.ts";
import { samplesOf } from "../support/samples.ts";
import { startReplica, type Replica } from "./replica.ts";
import { ShardServer } from "./shard-server.ts";

/** Milliseconds of the defaults. */
const leaseDuration = 15_000;
const retryPeriod = 2_000;

function world(): { clock: VirtualClock; server: ShardServer } {
  const clock = createVirtualClock();
  return { clock, server: new ShardServer(clock) };
}

const servedBy = ({ member }: Replica): number[] => allSlots.filter((slot) => member.slots.serves(slot));

/** Every slot is served by exactly one of them, and each of them serves some. */
function isShared(replicas: readonly Replica[]): boolean {
  if (replicas.some(({ member }) => member.slots.serving === 0)) return false;
  return allSlots.every((slot) => replicas.filter(({ member }) => member.slots.serves(slot)).length === 1);
}

async function settled(clock: VirtualClock, replicas: readonly Replica[], within: number): Promise<number> {
  const start = clock.now();
  expect(await clock.advanceUntil(() => isShared(replicas), within)).toBe(true);
  return clock.now() - start;
}

describe("replicas that share slots", () => {
  it("gives all slots to the only one, at once", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    await clock.settle();
    expect(servedBy(a)).toHaveLength(slotCount);
    expect(a.gained).toHaveLength(slotCount);
    expect(a.member.members).toBe(1);
  });

  it.each([
    [0, retryPeriod / 2],
    [1, retryPeriod],
  ])("looks again after half to the whole of the retry period (random %d)", async (random, period) => {
    const { clock, server } = world();
    startReplica(server, clock, "a", { random: () => random });
    await clock.settle();
    const looks = (): number => server.served.filter(({ call }) => call === "list").length;
    const before = looks();
    await clock.advance(period - 1);
    expect(looks()).toBe(before);
    await clock.advance(1);
    expect(looks()).toBe(before + 1);
  });

  it("hands a part over to one that comes, and nothing else moves", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    const b = startReplica(server, clock, "b");
    await settled(clock, [a, b], 3 * retryPeriod);
    const before = { a: new Set(servedBy(a)), b: new Set(servedBy(b)) };
    const c = startReplica(server, clock, "c");
    expect(await settled(clock, [a, b, c], 3 * retryPeriod)).toBeGreaterThan(0);
    expect(servedBy(a).every((slot) => before.a.has(slot))).toBe(true);
    expect(servedBy(b).every((slot) => before.b.has(slot))).toBe(true);
    expect(servedBy(c).length).toBeGreaterThan(slotCount / 4);
  });

  it("does not hand over a slot before what is under way in it has ended", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    await clock.settle();
    const b = startReplica(server, clock, "b");
    const works = allSlots.map((slot) => a.work(slot, 30_000));
    await clock.advance(25_000);
    expect(servedBy(b)).toEqual([]);
    const moving = allSlots.filter((slot) => !a.member.slots.serves(slot));
    expect(moving.length).toBeGreaterThan(slotCount / 4);
    expect(await a.work(moving[0]!)).toEqual([]);
    await clock.advance(5_000);
    expect(new Set((await Promise.all(works)).flat())).toEqual(new Set(["written"]));
    await settled(clock, [a, b], 2 * retryPeriod);
    expect(servedBy(b)).toEqual(moving);
  });

  it("hands everything over at once when one leaves", async () => {
    const { clock, server } = world();
    const replicas = ["a", "b", "c"].map((name) => startReplica(server, clock, name));
    await settled(clock, replicas, 5 * retryPeriod);
    const [a, b, c] = replicas as [Replica, Replica, Replica];
    a.member.leave();
    expect(servedBy(a)).toEqual([]);
    expect(a.member.term.held).toBe(true);
    await settled(clock, [b, c], 2 * retryPeriod);
    await Promise.all([a.member.resign(), clock.advance(retryPeriod)]);
    expect(a.end()).toBe("released");
    expect(b.gained.length + c.gained.length).toBeGreaterThanOrEqual(slotCount);
  });

  it("lets a slot go while another one is still draining, when its replica leaves", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    const b = startReplica(server, clock, "b");
    await settled(clock, [a, b], 3 * retryPeriod);
    const [busy = -1] = servedBy(a);
    const work = a.work(busy, 20_000);
    await clock.settle();
    a.member.leave();
    await clock.advance(3 * retryPeriod);
    expect(allSlots.filter((slot) => !b.member.slots.serves(slot))).toEqual([busy]);
    await clock.advance(20_000);
    expect(await work).toEqual(["written", "written"]);
    expect(servedBy(b)).toHaveLength(slotCount);
  });

  it("gives the slots of one that is gone to others when its Lease has run out, and buries it later", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    const b = startReplica(server, clock, "b");
    await settled(clock, [a, b], 3 * retryPeriod);
    a.clock.suspend(true);
    const took = await settled(clock, [b], leaseDuration + 3 * retryPeriod);
    expect(took).toBeGreaterThan(leaseDuration - 2 * retryPeriod);
    expect(server.leases).toHaveLength(2);
    await clock.advance(leaseDuration + 2 * retryPeriod);
    expect(server.leases.map(({ metadata }) => metadata.name)).toEqual(["operator-shard-b"]);
  });

  it("stops for good when it wakes up too late, without another write", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    const b = startReplica(server, clock, "b");
    await settled(clock, [a, b], 3 * retryPeriod);
    const [mine = -1] = servedBy(a);
    const work = a.work(mine, 1000);
    await clock.settle();
    a.clock.suspend(true);
    await clock.advance(leaseDuration + 2 * retryPeriod);
    a.clock.suspend(false);
    await clock.advance(1000);
    expect(await work).toEqual(["written", "SHARD_LOST"]);
    expect(a.end()).toBe("lost");
    expect(await a.member.lost).toMatchObject({ code: "SHARD_LOST" });
    expect(server.taken.filter(({ by }) => by === "a")).toHaveLength(1);
    expect(await a.work(mine)).toEqual([]);
  });

  it("refuses a write that a hook forgot to await, and keeps the slot while one is under way", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    await clock.settle();
    server.fate = (_, call) => (call === "apply" ? { lost: "answer" } : {});
    const work = a.work(0);
    await clock.settle();
    a.member.leave();
    await clock.advance(9_000);
    // The answer is missing: the write may take effect until a margin after it was given up.
    expect(memberOf(server.leases[0]!).slots).toEqual(new Set([0]));
    await clock.advance(30_000 + 30_000 + 5_000);
    expect(await work).toEqual(["REQUEST_TIMEOUT", "REQUEST_TIMEOUT"]);
    await clock.advance(5_000 + retryPeriod);
    expect(memberOf(server.leases[0]!).slots).toEqual(new Set());
  });

  it("serves no slot before the caches include what its former owner wrote", async () => {
    const { clock, server } = world();
    const ready = Promise.withResolvers<void>();
    const a = startReplica(server, clock, "a", { prepare: () => ready.promise });
    await clock.advance(5_000);
    expect(a.member.slots.held).toBe(slotCount);
    expect(servedBy(a)).toEqual([]);
    ready.resolve();
    await clock.settle();
    expect(servedBy(a)).toHaveLength(slotCount);
  });

  it("takes a Lease that vanished for one that may claim anything, until its term is over", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    const b = startReplica(server, clock, "b");
    await settled(clock, [a, b], 3 * retryPeriod);
    const before = servedBy(b);
    a.clock.suspend(true);
    server.delete("operator-shard-a");
    await clock.advance(leaseDuration - retryPeriod);
    expect(servedBy(b)).toEqual(before);
    await settled(clock, [b], 3 * retryPeriod);
  });

  it("serves no slot that it claims in a renewal which was never seen to arrive", async () => {
    const { clock, server } = world();
    // Longer than it takes until a look comes before the next renewal.
    const a = startReplica(server, clock, "a");
    const b = startReplica(server, clock, "b");
    await settled(clock, [a, b], 3 * retryPeriod);
    const before = servedBy(a);
    const published = (): ReadonlySet<number> =>
      memberOf(server.leases.find(({ metadata }) => metadata.name === "operator-shard-a")!).slots ??
      new Set();
    server.fate = (by, call) => (by === "a" && call === "update" ? { status: 500 } : {});
    b.member.leave();
    await clock.advance(3 * retryPeriod);
    // All of b is free, and a wants it; but what others read says nothing of that.
    expect(published()).toEqual(new Set(before));
    expect(servedBy(a)).toEqual(before);
    server.fate = () => ({});
    await clock.advance(2 * retryPeriod);
    expect(servedBy(a)).toHaveLength(slotCount);
  });

  it("ends when its Lease is deleted by other hands", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    await clock.settle();
    server.delete("operator-shard-a");
    await clock.advance(retryPeriod);
    expect(a.end()).toBe("lost");
    expect(server.leases).toEqual([]);
  });

  it("joins although the answer to its first request is lost", async () => {
    const { clock, server } = world();
    let lost = 0;
    server.fate = (_, call) => (call === "create" && (lost += 1) === 1 ? { lost: "answer" } : {});
    const a = startReplica(server, clock, "a");
    await settled(clock, [a], 30_000);
    expect(server.leases).toHaveLength(1);
  });

  it("stops without a trace when it never joined", async () => {
    const { clock, server } = world();
    server.fate = () => ({ status: 403 });
    const a = startReplica(server, clock, "a");
    await clock.advance(5_000);
    await Promise.all([a.member.resign(), clock.advance(5_000)]);
    expect(a.end()).toBe("stopped");
    expect(await a.work(0)).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("leaves its Lease to run out when something may still be going on", async () => {
    const { clock, server } = world();
    const a = startReplica(server, clock, "a");
    await clock.settle();
    await Promise.all([a.member.resign(false), clock.advance(retryPeriod)]);
    expect(a.end()).toBe("unreleased");
    expect(memberOf(server.leases[0]!)).toMatchObject({ released: false });
    expect(a.mayWrite(0)).toBe(false);
  });

  it("is measured", async () => {
    const { clock, server } = world();
    const metrics = createPrometheusMetrics();
    const a = startReplica(server, clock, "a", { metrics });
    await clock.settle();
    const b = startReplica(server, clock, "b");
    await settled(clock, [a, b], 3 * retryPeriod);
    const samples = samplesOf(await metrics.expose());
    const owned = servedBy(a).length;
    expect(samples.get("xstate_operator_shard_members")).toBe(2);
    expect(samples.get("xstate_operator_shard_slots_owned")).toBe(owned);
    expect(samples.get('xstate_operator_shard_hand_overs_total{direction="gained"}')).toBe(slotCount);
    expect(samples.get('xstate_operator_shard_hand_overs_total{direction="released"}')).toBe(
      slotCount - owned,
    );
  });
});
