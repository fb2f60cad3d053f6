// One simulated process that shares slots with others, and works in whichever slot it is told to.
import { createFencedClient } from "../../src/election/fenced-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { sleep, type Clock } from "../../src/ports/clock.ts";
import { silentLogger, type Logger } from "../../src/ports/logger.ts";
import type { Metrics } from "../../src/ports/metrics.ts";
import { createShardFence } from "../../src/sharding/shard-fence.ts";
import { createShardMember, type MembershipEnd, type ShardMember } from "../../src/sharding/shard-member.ts";
import type { LeaseOptions } from "../../src/election/election-options.ts";
import { compileShardingOptions } from "../../src/sharding/sharding-options.ts";
import { createLocalClock, type LocalClock } from "../election/local-clock.ts";
import type { ShardServer } from "./shard-server.ts";

/** A process; see {@link startReplica}. */
export interface Replica {
  readonly name: string;
  readonly clock: LocalClock;
  readonly member: ShardMember;
  /** Slots that it was told to serve, in order. */
  readonly gained: number[];
  end(): MembershipEnd | undefined;
  /** Whether it may write for a slot at this instant. */
  mayWrite(slot: number): boolean;
  /** Runs in a slot for so many milliseconds, and writes at its beginning and at its end; the outcomes. */
  work(slot: number, milliseconds?: number): Promise<readonly string[]>;
}

/** What differs between replicas. */
export interface ReplicaOptions extends LeaseOptions {
  readonly speed?: number;
  readonly offset?: number;
  readonly random?: () => number;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
}

/** Starts a process that wants to share. */
export function startReplica(
  server: ShardServer,
  truth: Clock,
  name: string,
  {
    speed = 1,
    offset = 0,
    random = () => 0.5,
    log = silentLogger,
    metrics,
    prepare = () => Promise.resolve(),
    ...options
  }: ReplicaOptions = {},
): Replica {
  const clock = createLocalClock(truth, speed, offset);
  const client = server.client(name, clock);
  const member = createShardMember({
    ...compileShardingOptions(options, { namespace: "default", name: "operator" }),
    client,
    identity: name,
    suffix: name,
    resources: ["things.example.com"],
    fieldManager: "operator",
    prepare,
    clock,
    random,
    log,
    ...(metrics && { metrics }),
  });
  const gained: number[] = [];
  member.onGained((slots) => gained.push(...slots));
  let end: MembershipEnd | undefined;
  void member.run().then((value) => (end = value));
  /** Runs under way: they may write as long as they go on. */
  const working = new Map<number, number>();
  return {
    name,
    clock,
    member,
    gained,
    end: () => end,
    mayWrite: (slot) => member.term.held && (member.slots.serves(slot) || (working.get(slot) ?? 0) > 0),
    async work(slot, milliseconds = 0) {
      const use = member.term.held ? member.slots.enter(slot) : undefined;
      if (use === undefined) return [];
      const fenced = createFencedClient(client, createShardFence(member.term, use));
      const metadata = { namespace: "default", name: String(slot) };
      const write = (): Promise<string> =>
        fenced
          .apply(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata }, { fieldManager: name })
          .then(
            () => "written",
            (error: unknown) => String((error as { code?: unknown }).code),
          );
      working.set(slot, (working.get(slot) ?? 0) + 1);
      try {
        const first = await write();
        await sleep(clock, milliseconds);
        return [first, await write()];
      } finally {
        working.set(slot, (working.get(slot) ?? 1) - 1);
        use.leave();
      }
    },
  };
}
