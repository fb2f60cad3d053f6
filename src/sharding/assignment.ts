// Who should own which slot: rendezvous hashing, so that every replica computes the same from the same members, and a change
// of members moves only what has to move. Pure; what is assigned is not owned yet: see slot-table.ts.
// Thaler, Ravishankar: Using name-based mappings to increase hit rates, IEEE/ACM Transactions on Networking 6 (1), 1998.
import { allSlots, hashOf } from "./slots.ts";

/** The member that a slot belongs to: the one with the highest weight; undefined when there is none. */
export function ownerOf(slot: number, members: Iterable<string>): string | undefined {
  let owner: string | undefined;
  let highest = -1;
  for (const member of members) {
    const weight = hashOf(`${slot}@${member}`);
    // Names break the tie, so that the order of the members never matters.
    if (weight > highest || (weight === highest && owner !== undefined && member < owner)) {
      owner = member;
      highest = weight;
    }
  }
  return owner;
}

/**
 * The slots that belong to one of the members.
 *
 * **Guarantees**: every slot belongs to exactly one; when a member comes, slots move only to it, when one goes, only from
 * it; each gets about the same number.
 */
export function assignedSlots(member: string, members: Iterable<string>): ReadonlySet<number> {
  const all = [...new Set(members)];
  return new Set(allSlots.filter((slot) => ownerOf(slot, all) === member));
}
