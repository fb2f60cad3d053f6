// How replicas share an operator's keys: what a user may set. The times mean what they mean in an election, so the same
// are refused. Fed by src/manager; read by the member.
import {
  compileElectionOptions,
  type ElectionOptions,
  type LeaseOptions,
} from "../election/election-options.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** Adds the defaults. Errors: `ELECTION_OPTIONS_INVALID`, `SHARDING_OPTIONS_INVALID`, `DURATION_INVALID`. */
export function compileShardingOptions(
  options: LeaseOptions,
  defaults: Pick<ElectionOptions, "namespace" | "name">,
): ElectionOptions {
  const compiled = compileElectionOptions(options, defaults);
  // It is a label's value, and the Leases' names begin with it.
  if (!/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(compiled.name)) {
    throw new OperatorError(
      "SHARDING_OPTIONS_INVALID",
      `sharding: "${compiled.name}" is not a valid name for sharding`,
      { remedy: "Use lowercase letters, digits and dashes, at most 40 characters." },
    );
  }
  return compiled;
}
