// What one member has seen of the others: who is alive, who is gone, who claims what. Judged by how long a Lease has not
// changed on the local monotonic clock, as in the election: times that others wrote are never compared.
import { LeaseObservation } from "../election/lease-observation.ts";
import type { Lease } from "../kinds/builtin/coordination.ts";
import { memberOf, type MemberRecord } from "./member-lease.ts";

/** One other member. */
interface Other {
  readonly observation: LeaseObservation;
  /** As last seen; its claims are unknown once its Lease has disappeared. */
  member: MemberRecord;
  /** Whether its Lease was there at the last look. */
  lease: Lease | undefined;
  /** Since when it is gone for good, in local monotonic milliseconds. */
  gone: number | undefined;
}

/** The memory of one member. Times are local monotonic milliseconds. */
export class MemberRoll {
  readonly #own: string;
  /** Milliseconds of a term of which a Lease says nothing, and for which a Lease is left behind. */
  readonly #duration: number;
  readonly #others = new Map<string, Other>();

  constructor(own: string, duration: number) {
    this.#own = own;
    this.#duration = duration;
  }

  /** Takes in one consistent list of Leases, `at` the time after the answer. */
  see(leases: readonly Lease[], at: number): void {
    const listed = new Map(leases.map((lease) => [lease.metadata.name, lease]));
    for (const [name, lease] of listed) {
      if (name === this.#own) continue;
      const known = this.#others.get(name);
      const other: Other = known ?? {
        observation: new LeaseObservation("", this.#duration),
        member: memberOf(lease),
        lease,
        gone: undefined,
      };
      this.#others.set(name, other);
      other.lease = lease;
      // Who was gone once stays gone: by its own clock its term is over, whatever arrives late.
      if (other.gone !== undefined) continue;
      other.member = memberOf(lease);
      other.observation.see(lease, at);
      this.#judge(other, at);
    }
    for (const [name, other] of this.#others) {
      if (listed.has(name)) continue;
      other.lease = undefined;
      if (other.gone === undefined) {
        // Deleted by other hands: it may have claimed more in the meantime, and goes on for its term.
        other.member = { ...other.member, slots: undefined };
        other.observation.see(undefined, at);
        this.#judge(other, at);
      }
      if (other.gone !== undefined) this.#others.delete(name);
    }
  }

  /** Names of the other members that may still act, those that are leaving included. */
  get alive(): readonly string[] {
    return this.#alive().map(({ name }) => name);
  }

  /** Names of the other members that slots can be given to. */
  get staying(): readonly string[] {
    return this.#alive().flatMap(({ name, leaving }) => (leaving ? [] : [name]));
  }

  /** Whether any other member that may still act claims a slot. */
  isClaimed(slot: number): boolean {
    return this.#alive().some(({ slots }) => slots === undefined || slots.has(slot));
  }

  /** Leases that nobody needs any more: of members that were gone for so long that everybody has noticed. */
  remains(at: number): readonly Lease[] {
    return [...this.#others.values()].flatMap(({ lease, gone }) =>
      lease !== undefined && gone !== undefined && at - gone >= this.#duration ? [lease] : [],
    );
  }

  #alive(): readonly MemberRecord[] {
    return [...this.#others.values()].flatMap(({ member, gone }) => (gone === undefined ? [member] : []));
  }

  #judge(other: Other, at: number): void {
    if (other.observation.heldFor(at) === 0) other.gone = at;
  }
}
