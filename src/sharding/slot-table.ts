// What one member has of the slots: which it claims, holds and serves, and what is under way in each. All rules of a
// hand-over are here; when to look and to publish is the member's business. No I/O.

/** How long a write whose answer is missing may still take effect, and the time it is measured by. */
export interface SlotTableOptions {
  /** Local monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds. */
  readonly margin: number;
  /** Called when a slot that was withdrawn has drained: there is something to publish. */
  readonly onDrained: () => void;
}

/** One hold of a slot: a slot that is lost and regained is a new hold. */
interface Hold {
  serving: boolean;
  /** What it is not to be used for any more, because it belongs to another member. */
  withdrawn: boolean;
  uses: number;
  /** When the last write ended without an answer. */
  unanswered: number | undefined;
}

/** A run in a slot. */
export interface SlotUse {
  /** Whether the run goes on, and so the slot is held. */
  readonly isOpen: boolean;
  /** Begins a write: the slot stays held until it has ended, even if the run has ended before. */
  writeBegins(): void;
  writeEnds(outcome: "answered" | "unanswered"): void;
  /** Ends the run. Idempotent. */
  leave(): void;
}

/**
 * The table of one member; at first nothing is claimed.
 *
 * **Guarantees**: a slot is held only after it was claimed in the Lease and then nobody else was seen to claim it; it stays
 * claimed as long as it is held, and held as long as a run uses it or a write in it may still take effect.
 */
export class SlotTable {
  readonly #options: SlotTableOptions;
  readonly #holds = new Map<number, Hold>();
  /** Of the last renewal that was sent; a superset of what is held. */
  #claims: ReadonlySet<number> = new Set();

  constructor(options: SlotTableOptions) {
    this.#options = options;
  }

  get held(): number {
    return this.#holds.size;
  }

  get serving(): number {
    let count = 0;
    for (const { serving } of this.#holds.values()) if (serving) count += 1;
    return count;
  }

  /** Whether its keys are handed out. */
  serves(slot: number): boolean {
    return this.#holds.get(slot)?.serving === true;
  }

  /** Takes in what is this member's to have: what it holds beyond that is served no more, and drains. */
  assign(target: ReadonlySet<number>): void {
    for (const [slot, hold] of this.#holds) {
      if (target.has(slot)) continue;
      hold.withdrawn = true;
      hold.serving = false;
    }
  }

  /**
   * What to claim next, and the slots that are let go of by it: those are held no more from now on, whether the renewal
   * that says so succeeds or not.
   */
  claim(
    target: ReadonlySet<number>,
    isClaimedByOthers: (slot: number) => boolean,
  ): { readonly claims: ReadonlySet<number>; readonly released: readonly number[] } {
    const released: number[] = [];
    for (const [slot, hold] of this.#holds) {
      if (!hold.withdrawn || !this.#isDrained(hold)) continue;
      this.#holds.delete(slot);
      released.push(slot);
    }
    const claims = new Set(this.#holds.keys());
    for (const slot of target) {
      // A claim that waits for another's is kept: one of the two views will change.
      if (this.#claims.has(slot) || !isClaimedByOthers(slot)) claims.add(slot);
    }
    this.#claims = claims;
    return { claims, released };
  }

  /**
   * Holds what is claimed in the Lease as others can read it, and by nobody else; returns what is held newly. Call it
   * after a look that showed the claims of the last renewal.
   */
  confirm(target: ReadonlySet<number>, isClaimedByOthers: (slot: number) => boolean): readonly number[] {
    const gained: number[] = [];
    for (const slot of this.#claims) {
      if (this.#holds.has(slot) || !target.has(slot) || isClaimedByOthers(slot)) continue;
      this.#holds.set(slot, { serving: false, withdrawn: false, uses: 0, unanswered: undefined });
      gained.push(slot);
    }
    return gained;
  }

  /** Remembers the holds of these slots; the returned function serves those that are still the same. */
  preparing(slots: readonly number[]): () => ReadonlySet<number> {
    const holds = slots.map((slot) => [slot, this.#holds.get(slot)] as const);
    return () => {
      const served = new Set<number>();
      for (const [slot, hold] of holds) {
        if (hold === undefined || this.#holds.get(slot) !== hold || hold.withdrawn) continue;
        hold.serving = true;
        served.add(slot);
      }
      return served;
    };
  }

  /** Begins a run in a slot; undefined when it is not served. */
  enter(slot: number): SlotUse | undefined {
    const hold = this.#holds.get(slot);
    if (hold?.serving !== true) return undefined;
    hold.uses += 1;
    const end = (): void => {
      hold.uses -= 1;
      if (hold.withdrawn && hold.uses === 0) this.#options.onDrained();
    };
    let left = false;
    return {
      get isOpen() {
        return !left;
      },
      writeBegins: () => {
        hold.uses += 1;
      },
      writeEnds: (outcome) => {
        if (outcome === "unanswered") hold.unanswered = this.#options.now();
        end();
      },
      leave: () => {
        if (left) return;
        left = true;
        end();
      },
    };
  }

  #isDrained({ uses, unanswered }: Hold): boolean {
    if (uses > 0) return false;
    return unanswered === undefined || this.#options.now() - unanswered >= this.#options.margin;
  }
}
