// The faults of one sort that are there, in the order they were added: which of them strikes a request, and how often.
import type { Fault, FaultLimit, RequestMatch } from "../../cluster-faults.ts";
import { matchesRequest, type RequestSeen } from "./request-match.ts";

interface Entry<TEffect> {
  readonly match: RequestMatch;
  readonly effect: TEffect;
  readonly onEnd: () => void;
  left: number;
  strikes: number;
}

/** Faults with their effects. */
export class FaultList<TEffect> {
  readonly #entries = new Set<Entry<TEffect>>();

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Adds a fault; `onEnd` is called once, when it is ended and not when it has struck often enough. */
  add(
    match: RequestMatch,
    effect: TEffect,
    limit: FaultLimit = {},
    onEnd: () => void = () => undefined,
  ): Fault {
    const entry: Entry<TEffect> = { match, effect, onEnd, left: limit.times ?? Infinity, strikes: 0 };
    this.#entries.add(entry);
    return {
      get strikes() {
        return entry.strikes;
      },
      end: () => this.#end(entry),
    };
  }

  /** The effect of the first fault that concerns the request, which is counted; undefined when none does. */
  strike(seen: RequestSeen): TEffect | undefined {
    for (const entry of this.#entries) {
      if (!matchesRequest(entry.match, seen)) continue;
      entry.strikes += 1;
      entry.left -= 1;
      if (entry.left <= 0) this.#entries.delete(entry);
      return entry.effect;
    }
    return undefined;
  }

  /** Ends all. */
  clear(): void {
    for (const entry of this.#entries) this.#end(entry);
  }

  #end(entry: Entry<TEffect>): void {
    if (this.#entries.delete(entry)) entry.onEnd();
  }
}
