// A process's membership among those that share an operator's keys, as the manager sees it: like a leadership, but of a part.
// Everything that writes gets its client from here, every controller its share of the keys.
import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { KubeClient } from "../client/kube-client.ts";
import type { KeyShare } from "../controller/key-share.ts";
import { createFencedClient } from "../election/fenced-client.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { resourceNameOf } from "../meta/resource-type.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { Random } from "../ports/random.ts";
import { createShardFence } from "../sharding/shard-fence.ts";
import { createShardMember } from "../sharding/shard-member.ts";
import type { LeaseOptions } from "../election/election-options.ts";
import { compileShardingOptions } from "../sharding/sharding-options.ts";
import { slotCount, slotOf } from "../sharding/slots.ts";
import type { BeginChild } from "../statechart/drive.ts";
import type { Leadership } from "./leadership.ts";

/** What {@link createShards} needs. */
export interface ShardsParts {
  readonly sharding: LeaseOptions;
  readonly client: KubeClient;
  /** Namespace of the Leases when the options name none. */
  readonly namespace: string;
  /** Name of the operator. */
  readonly operator: string;
  readonly types: readonly ResourceType[];
  /** Resolves when the caches include everything that was written before the call. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Begins the member's actor below the manager's. */
  readonly beginChild: BeginChild;
}

/**
 * A membership that has not begun.
 *
 * **Errors**: `ELECTION_OPTIONS_INVALID`, `SHARDING_OPTIONS_INVALID`.
 * **RBAC**: `list`, `get`, `create`, `update`, `delete` on `leases.coordination.k8s.io` in the Leases' namespace.
 */
export function createShards(parts: ShardsParts): Leadership {
  const { sharding, client, namespace, operator, types, catchUp } = parts;
  const member = createShardMember({
    ...parts,
    ...compileShardingOptions(sharding, { namespace, name: operator }),
    identity: `${hostname()}_${randomUUID()}`,
    suffix: randomBytes(5).toString("hex"),
    resources: types.map((type) => resourceNameOf(type)),
    fieldManager: operator,
    prepare: catchUp,
    begin: (work) => parts.beginChild("shards", { type: "membership.begun" }, work),
  });
  let started = false;
  return {
    client: createFencedClient(client, member.term),
    lost: member.lost,
    acquire() {
      started = true;
      void member.run();
      return member.whenJoined();
    },
    leave: () => member.leave(),
    async release(handOver) {
      if (started) await member.resign(handOver);
    },
    share(type): KeyShare {
      const resource = resourceNameOf(type);
      const { slots, term } = member;
      return {
        owns: (key) => term.held && slots.serves(slotOf(resource, key)),
        enter(key) {
          const use = term.held ? slots.enter(slotOf(resource, key)) : undefined;
          if (use === undefined) return undefined;
          return {
            client: createFencedClient(client, createShardFence(term, use)),
            leave: () => use.leave(),
          };
        },
        onGained: (listener) =>
          member.onGained((gained) => listener((key) => gained.has(slotOf(resource, key)))),
      };
    },
    describe: () =>
      member.members === 0
        ? { name: "shards", problem: "this replica has not joined the shards" }
        : {
            name: "shards",
            detail: `${member.slots.serving} of ${slotCount} slots, ${member.members} replicas`,
          },
  };
}
