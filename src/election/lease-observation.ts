// What a candidate has seen of the Lease, and whether it may claim it: client-go's rule, made stricter where a Lease
// loses its holder by other hands. Times written by others are never compared: their clocks may be wrong.
import type { Lease } from "../kinds/builtin/coordination.ts";
import { durationOf, fingerprintOf, holderOf, isReleased } from "./lease-record.ts";

/**
 * The longest term of another that is believed, in milliseconds and in terms of our own, whichever is longer: candidates for
 * one Lease are configured alike, and a slip (or malice) must not lock everybody out for years.
 */
const longestTerm = 600_000;
const longestTermInOwn = 10;

/** The memory of one candidate. */
export class LeaseObservation {
  readonly #identity: string;
  /** Milliseconds of our own term: that of a Lease that says nothing of it, and of one that was deleted. */
  readonly #defaultDuration: number;
  #seen: { readonly fingerprint: string; readonly since: number } | undefined;
  #lease: Lease | undefined;
  /** Milliseconds of the last term observed of another holder; undefined: none, or it was released. */
  #term: number | undefined;

  constructor(identity: string, defaultDuration: number) {
    this.#identity = identity;
    this.#defaultDuration = defaultDuration;
  }

  /** The Lease as it was last seen; undefined when there was none. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** Notes what was read; `at`: the local monotonic time after the answer. */
  see(lease: Lease | undefined, at: number): void {
    const fingerprint = fingerprintOf(lease);
    this.#lease = lease;
    if (this.#seen?.fingerprint === fingerprint) return;
    this.#seen = { fingerprint, since: at };
    if (holderOf(lease) !== undefined) {
      const longest = Math.max(longestTerm, longestTermInOwn * this.#defaultDuration);
      this.#term = Math.min(durationOf(lease) ?? this.#defaultDuration, longest);
    } else if (isReleased(lease)) this.#term = undefined;
    // A Lease that was deleted or emptied by other hands: its holder may not know yet, and has its term, as long as it is
    // not longer than ours.
    else if (this.#term !== undefined) this.#term = Math.min(this.#term, this.#defaultDuration);
  }

  /**
   * Milliseconds until the Lease may be claimed, at that local monotonic time; 0 when it may.
   *
   * Free are: our own Lease (an answer was lost); one that its holder has let go; one that nobody was ever seen to hold;
   * any other once it has not changed for its whole term (within a limit), by the local clock.
   */
  heldFor(at: number): number {
    if (this.#seen === undefined || this.#term === undefined) return 0;
    if (holderOf(this.#lease) === this.#identity) return 0;
    return Math.max(0, this.#seen.since + this.#term - at);
  }
}
