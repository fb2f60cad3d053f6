// How replicas share an operator's keys: what a user may set. The times mean what they mean in an election, so the same
// are refused. Fed by src/manager; read by the member.
import {
  compileElectionOptions,
  leaderElectionOptions,
  type ElectionOptions,
} from "../election/election-options.ts";
import type { Duration } from "../ports/duration.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** Options of sharding: several processes run, and each works on a part of the objects. */
export interface ShardingOptions {
  /** Where the Leases are; default the pod's own namespace, outside of a pod that of the kube context. */
  readonly namespace?: string;
  /** Name under which replicas share; default the operator's. At most 40 characters. */
  readonly name?: string;
  /**
   * How long others wait, after the last renewal they saw, before they take over from a replica that is gone; default
   * 15 s, at least 1 s, rounded up to whole seconds.
   */
  readonly leaseDuration?: Duration;
  /** How long a replica goes on without a successful renewal; default 10 s, at most nine tenths of the lease duration. */
  readonly renewDeadline?: Duration;
  /** How often a replica renews its Lease and looks at the others'; default 2 s, at most half the renew deadline. */
  readonly retryPeriod?: Duration;
}

/** The form of each option: that of an election's. */
export const shardingOptions = leaderElectionOptions;

/** Adds the defaults. Errors: `ELECTION_OPTIONS_INVALID`, `SHARDING_OPTIONS_INVALID`, `DURATION_INVALID`. */
export function compileShardingOptions(
  options: ShardingOptions,
  defaults: Pick<ElectionOptions, "namespace" | "name">,
): ElectionOptions {
  const compiled = compileElectionOptions(options, defaults);
  // It is a label's value, and the Leases' names begin with it.
  if (!/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(compiled.name)) {
    throw new OperatorError(
      "SHARDING_OPTIONS_INVALID",
      `sharding: "${compiled.name}" cannot be the name under which replicas share`,
      { remedy: "Use lower case letters, digits and dashes, at most 40 characters." },
    );
  }
  return compiled;
}
