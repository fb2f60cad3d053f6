// What the watch shows of children while the run of their resource is under way: nearly always what that run has written itself. It is
// held back until the run has ended, and asks for another one only if that has not seen it. No other run of the key begins before that, so
// nothing waits longer than it would in the queue; there each echo would be noted, taken by a worker, and found to say nothing.
import type { Change } from "../../cache/informer.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { OwnWrites } from "./own-writes.ts";

/** Options of {@link Echoes}. */
export interface EchoesOptions {
  readonly ownWrites: Pick<OwnWrites, "hasSeen">;
  /** Whether a run of the key is under way. */
  readonly isUnderWay: (key: string) => boolean;
}

interface HeldChange {
  readonly uid: string;
  readonly version: string;
  readonly ask: () => void;
}

/** Changes held back for one key; a run that takes very long may have many, and each keeps the object as it was before. */
const mostHeld = 16;

/** The echoes of one controller's runs. */
export class Echoes {
  readonly #options: EchoesOptions;
  readonly #held = new Map<string, HeldChange[]>();

  constructor(options: EchoesOptions) {
    this.#options = options;
  }

  /**
   * Whether a change of a child asks for no run of this key now: a run has seen it already, or one is under way that may have.
   * In the latter case `ask` is called once that has ended, unless it has seen it.
   */
  covers(key: string, { type, object }: Change<KubeObject>, ask: () => void): boolean {
    if (type === "deleted") return false;
    const { uid, resourceVersion: version } = object.metadata;
    const { ownWrites, isUnderWay } = this.#options;
    if (ownWrites.hasSeen(key, uid, version)) return true;
    if (!isUnderWay(key)) return false;
    const held = this.#held.get(key);
    if (held === undefined) this.#held.set(key, [{ uid, version, ask }]);
    else if (held.length < mostHeld) held.push({ uid, version, ask });
    else return false;
    return true;
  }

  /** Says that the run of a key has ended, and that what it has seen is known. */
  ended(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    for (const { uid, version, ask } of held) {
      if (!this.#options.ownWrites.hasSeen(key, uid, version)) ask();
    }
  }
}
