// How long children of an earlier custom resource have been waited for; may be lost, and is then waited for again.
import { BoundedMap } from "../../collections/bounded-map.ts";

/** Children that are waited for; the oldest are forgotten first, and waited for again. */
const remembered = 10_000;

/** Since when children have been seen left behind, by their uid; in monotonic milliseconds. */
export class LeftBehind {
  readonly #since = new BoundedMap<string, number>(remembered);

  /** How long a child has been seen, from its first time on. */
  seenFor(uid: string, now: number): number {
    const since = this.#since.get(uid) ?? now;
    if (since === now) this.#since.set(uid, now);
    return now - since;
  }

  forget(uid: string): void {
    this.#since.delete(uid);
  }
}
