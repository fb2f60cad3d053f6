// How many children of a custom resource may be created at a time: at most so many in any window, whatever causes the runs. What
// was refused creates nothing, so it does not count, and whose turn has failed has the next one after all others.
import { mayHaveHappened } from "../../client/api-error.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";

/** Milliseconds after the last creation until the next ones may follow. */
export const creationWindow = 4_000;

/** Custom resources whose creations are remembered. */
const remembered = 10_000;

interface Creations {
  count: number;
  /** Of the last one; monotonic milliseconds. */
  last: number;
  /** Indexes of what failed and was not created since. */
  readonly failed: Set<string>;
}

/** The creations of one controller. **Memory**: a few numbers for each custom resource, and the names of what fails. */
export class CreationPace {
  readonly #creations = new BoundedMap<string, Creations>(remembered);

  /** Milliseconds until the next creation may be tried; undefined when it may be now. `owner` is the uid of the custom resource. */
  waitOf(owner: string, limit: number, now: number): number | undefined {
    const creations = this.#of(owner);
    if (now - creations.last >= creationWindow) creations.count = 0;
    return creations.count < limit ? undefined : creations.last + creationWindow - now;
  }

  /** Counts a creation that is about to be tried. */
  begin(owner: string, now: number): void {
    const creations = this.#of(owner);
    creations.count += 1;
    creations.last = now;
  }

  /** Notes that a creation that was begun has succeeded, some time later. */
  succeeded(owner: string, index: string, now: number): void {
    const creations = this.#of(owner);
    creations.last = now;
    creations.failed.delete(index);
  }

  /** Notes that a creation that was begun has failed; one that was refused does not count. */
  failed(owner: string, index: string, error: unknown): void {
    const creations = this.#of(owner);
    creations.failed.add(index);
    if (!mayHaveHappened(error)) creations.count = Math.max(0, creations.count - 1);
  }

  /** Whether the last try to create something has failed. */
  hasFailed(owner: string, index: string): boolean {
    return this.#creations.get(owner)?.failed.has(index) === true;
  }

  #of(owner: string): Creations {
    const known = this.#creations.get(owner);
    if (known !== undefined) return known;
    const creations = { count: 0, last: -Infinity, failed: new Set<string>() };
    this.#creations.set(owner, creations);
    return creations;
  }
}
