// Which custom resources have lost a child lately. What is made for one that is gone is deleted again by the garbage collector, so a loss
// that comes again is a sign of that. Asked by the pipeline, before it asks the server.
import { BoundedMap } from "../collections/bounded-map.ts";

/** Custom resources that are remembered; of one that was forgotten, a loss counts as the first. */
const remembered = 10_000;

/** Milliseconds for which a loss counts: a watch that lags for longer is given up. */
const memory = 120_000;

/** The losses of one controller. */
export class LostChildren {
  /** When the last one was, in monotonic milliseconds; by uid. */
  readonly #last = new BoundedMap<string, number>(remembered);

  /** Notes that a custom resource has lost a child at a monotonic instant; returns whether it had lost one shortly before. */
  isAgain(uid: string, now: number): boolean {
    const last = this.#last.get(uid);
    this.#last.set(uid, now);
    return last !== undefined && now - last < memory;
  }
}
