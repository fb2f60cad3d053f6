// How long a Lease lasts and how often it is renewed: what a user may set, and what is refused because it would not be
// safe. Fed by src/manager with the user's options; read by the elector.
import { duration, optionsOf, text } from "../options/option-schemas.ts";
import { toMilliseconds, type Duration } from "../ports/duration.ts";
import { OperatorError } from "../ports/operator-error.ts";

/**
 * Options of leader election, where several processes run and one of them works, and of sharding, where each works on a part
 * of the objects.
 */
export interface LeaseOptions {
  /** Where the Leases are; default the pod's own namespace, outside of a pod that of the kube context. */
  readonly namespace?: string;
  /**
   * The Lease's name, or what the names of several begin with; default the operator's. Operators of one name in one namespace
   * elect one leader, or share the objects. At most 40 characters for sharding.
   */
  readonly name?: string;
  /**
   * How long others wait, after the last renewal they saw, before they take over from a process that is gone; default
   * 15 s, at least 1 s, rounded up to whole seconds.
   */
  readonly leaseDuration?: Duration;
  /**
   * How long a process goes on without a successful renewal; default 10 s. The rest of the lease duration is the margin
   * for clocks of different speed and for requests that are still on their way: at least a tenth of it.
   */
  readonly renewDeadline?: Duration;
  /** How often a Lease is renewed, and others' are looked at; default 2 s, at most half the renew deadline. */
  readonly retryPeriod?: Duration;
}

/** The form of each option; how the times stand to each other is checked when they are compiled. */
export const leaseOptions = optionsOf<LeaseOptions>()({
  namespace: text.optional(),
  name: text.optional(),
  leaseDuration: duration.optional(),
  renewDeadline: duration.optional(),
  retryPeriod: duration.optional(),
});

/** Compiled {@link LeaseOptions}; times in milliseconds. */
export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

/** Adds the defaults. Errors: `ELECTION_OPTIONS_INVALID`, `DURATION_INVALID`. */
export function compileElectionOptions(
  options: LeaseOptions,
  defaults: Pick<ElectionOptions, "namespace" | "name">,
): ElectionOptions {
  const { namespace = defaults.namespace, name = defaults.name } = options;
  // The Lease holds whole seconds; what others read is what counts here.
  const leaseDuration = Math.ceil(toMilliseconds(options.leaseDuration ?? "15s") / 1000) * 1000;
  const renewDeadline = toMilliseconds(options.renewDeadline ?? "10s");
  const retryPeriod = toMilliseconds(options.retryPeriod ?? "2s");
  if (namespace === "") throw invalid("the namespace is missing", "Set the namespace of the Lease.");
  if (leaseDuration < 1000) throw invalid("leaseDuration is 0", "Set it to at least 1s.");
  if (renewDeadline > leaseDuration * 0.9) {
    throw invalid(
      `renewDeadline (${renewDeadline} ms) leaves no margin before leaseDuration (${leaseDuration} ms)`,
      "Make renewDeadline at most nine tenths of leaseDuration; two thirds is usual.",
    );
  }
  if (retryPeriod <= 0 || retryPeriod * 2 > renewDeadline) {
    throw invalid(
      `retryPeriod (${retryPeriod} ms) allows no second attempt before renewDeadline (${renewDeadline} ms)`,
      "Make retryPeriod more than 0 and at most half of renewDeadline; a fifth is usual.",
    );
  }
  return { namespace, name, leaseDuration, renewDeadline, retryPeriod };
}

function invalid(what: string, remedy: string): OperatorError {
  return new OperatorError("ELECTION_OPTIONS_INVALID", `leader election: ${what}`, { remedy });
}
