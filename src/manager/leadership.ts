// A process's leadership over one operator, as the manager sees it: won by election, or simply there when none is asked
// for. Everything that writes gets its client from here.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { KubeClient } from "../client/kube-client.ts";
import { compileElectionOptions, type LeaseOptions } from "../election/election-options.ts";
import { createFencedClient } from "../election/fenced-client.ts";
import { createLeaderElector, type LeaderElector } from "../election/leader-elector.ts";
import type { KeyShare } from "../controller/key-share.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Metrics } from "../ports/metrics.ts";
import type { OperatorError } from "../ports/operator-error.ts";
import type { Random } from "../ports/random.ts";
import type { BeginChild } from "../statechart/drive.ts";
import type { ReadinessCheck } from "./readiness.ts";

/** What {@link createLeadership} needs. */
export interface LeadershipParts {
  /** Absent: this process always leads. */
  readonly election: LeaseOptions | undefined;
  readonly client: KubeClient;
  /** Namespace of the Lease when the options name none. */
  readonly namespace: string;
  /** Name of the operator. */
  readonly operator: string;
  /** Names that it had before: earlier versions of it, which a rollout may leave running, elect by Leases of these names. */
  readonly formerNames?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Begins the election's actor below the manager's. */
  readonly beginChild: BeginChild;
}

/** See {@link createLeadership}. */
export interface Leadership {
  /** Writes only while this process leads. */
  readonly client: KubeClient;
  /** Resolves with the reason when this process led and may no longer act. */
  readonly lost: Promise<OperatorError>;
  /** Resolves when this process leads, or has given up its candidacy. */
  acquire(): Promise<void>;
  /** The part of a kind's keys that this process leads; undefined: all. */
  share(type: ResourceType): KeyShare | undefined;
  /** The process is about to stop: what can be handed over before {@link release} is. */
  leave(): void;
  /** How it stands, for readiness; undefined when nothing is shared or elected. Names no process. */
  describe(): ReadinessCheck | undefined;
  /** Lets go; `handOver`: so that another can lead at once. No write is possible afterwards. Idempotent. */
  release(handOver: boolean): Promise<void>;
}

/** A leadership is of everything, and handed over as a whole. */
const whole: Pick<Leadership, "share" | "leave"> = { share: () => undefined, leave: () => undefined };

/**
 * Leadership that has not been acquired. An operator that had other names leads by the Leases of these as well.
 *
 * **Errors**: `ELECTION_OPTIONS_INVALID`.
 * **RBAC**: with an election `get`, `create`, `update` on `leases.coordination.k8s.io` in the Leases' namespace.
 */
export function createLeadership(parts: LeadershipParts): Leadership {
  const { election, client, namespace, operator, formerNames = [] } = parts;
  const never = new Promise<OperatorError>(() => undefined);
  if (election === undefined) {
    return {
      ...whole,
      client,
      lost: never,
      acquire: () => Promise.resolve(),
      release: () => Promise.resolve(),
      describe: () => undefined,
    };
  }
  // The host for those who read the Lease; the rest so that no other process, past or future, has the same.
  const identity = `${hostname()}_${randomUUID()}`;
  // A Lease that the user has named is the same for every version.
  const names = election.name === undefined ? [operator, ...formerNames] : [election.name];
  const electors = names.map((name, index) =>
    createLeaderElector({
      ...parts,
      ...compileElectionOptions(election, { namespace, name }),
      identity,
      fieldManager: operator,
      begin: (work) => {
        const id = index === 0 ? "election" : `election of ${name}`;
        return parts.beginChild(id, { type: "election.begun", id }, work);
      },
    }),
  );
  const started: LeaderElector[] = [];
  let isReleased = false;
  return {
    ...whole,
    client: electors.reduce((inner, { term }) => createFencedClient(inner, term), client),
    lost: Promise.race(electors.map(({ lost }) => lost)),
    async acquire() {
      // In the same order everywhere, from the newest name to the oldest: nobody waits in a circle.
      for (const elector of electors) {
        if (isReleased) return;
        started.push(elector);
        void elector.run();
        await elector.whenLeading();
      }
    },
    async release(handOver) {
      isReleased = true;
      await Promise.all(started.map((elector) => elector.resign(handOver)));
    },
    describe: () => ({
      name: "leader election",
      detail: electors.every(({ term }) => term.held) ? "this process leads" : "this process is on standby",
    }),
  };
}
