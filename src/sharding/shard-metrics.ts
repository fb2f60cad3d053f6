// What a member tells about the sharing of keys. Fed by shard-member.ts.
import type { Metrics } from "../ports/metrics.ts";

/** What is read for each scrape. */
export interface ShardReading {
  /** Members that are alive, this one included; 0 before it has joined. */
  readonly members: number;
  readonly slots: number;
}

/** What is counted as it happens. */
export interface ShardMetrics {
  gained(slots: number): void;
  released(slots: number): void;
}

/** Declares the families and reads the gauges for each scrape. */
export function createShardMetrics(metrics: Metrics, read: () => ShardReading): ShardMetrics {
  const members = metrics.gauge({
    name: "xstate_operator_shard_members",
    help: "Replicas that share the keys as seen by this one, including itself.",
    labels: [],
  });
  const slots = metrics.gauge({
    name: "xstate_operator_shard_slots_owned",
    help: "Slots, out of 1024, whose keys this replica may reconcile.",
    labels: [],
  });
  const handOvers = metrics.counter({
    name: "xstate_operator_shard_hand_overs_total",
    help: "Slots gained or released by this replica.",
    labels: ["direction"],
  });
  const gained = handOvers.with({ direction: "gained" });
  const released = handOvers.with({ direction: "released" });
  metrics.onScrape(() => {
    const reading = read();
    members.set({}, reading.members);
    slots.set({}, reading.slots);
  });
  return { gained: (count) => gained.inc(count), released: (count) => released.inc(count) };
}
