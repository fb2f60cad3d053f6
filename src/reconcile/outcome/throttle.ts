// How long a recurring identical error waits: as long as it has lasted already, so that the delay doubles.
// Fed by the pipeline's ErrorManager; what it knows comes from the stored condition and, more exactly, from memory.
import { isSameMessage, type Condition } from "../../meta/condition.ts";
import { jittered, type Jitter } from "../../ports/backoff.ts";
import type { Random } from "../../ports/random.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";
import { longestRequeue } from "./results.ts";

/** Shortest delay of a recurring error, in milliseconds. */
const shortestThrottle = 1_000;

/** Longest delay of an error that says nothing about the resource: the API server is back long before its outage has doubled. */
export const longestOutage = 15_000;

/** Errors that began together do not come back together. */
const aTenth: Jitter = [0.9, 1.1];

/** Objects whose errors are remembered; the oldest are forgotten first. */
const remembered = 10_000;

/** An error as it recurs. */
export interface ThrottledError {
  /** The custom resource's uid. */
  readonly uid: string;
  /** What identifies the error: its text, in whichever order it lists what is wrong. */
  readonly message: string;
  readonly generation: number | undefined;
  /** Milliseconds that the error itself asked for. */
  readonly asked: number | undefined;
  /** The API server could not be reached or was in trouble. */
  readonly isOutage: boolean;
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Milliseconds since the epoch; compared with the stored condition. */
  readonly date: number;
  readonly random: Random;
  /** The condition as it is stored: tells how long the error has lasted when the process is new. */
  readonly stored: Condition | undefined;
}

interface Recurrence {
  readonly message: string;
  readonly generation: number | undefined;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/**
 * The delays of recurring errors, one for all custom resources of a controller.
 *
 * **Guarantees**: the first occurrence keeps its own delay; from the second on, the delay is the time the error has
 * lasted, at least what it asked for and one second, jittered by a tenth, at most 6 hours, or 15 s while it is the API
 * server that is in trouble. Success, a different error
 * and a new generation start afresh. A restart does not: the stored condition tells since when.
 * **Memory**: one entry for each failing custom resource, at most 10,000.
 */
export class Throttle {
  readonly #recurrences = new BoundedMap<string, Recurrence>(remembered);

  /** The delay in milliseconds if the error is a recurring one; undefined on its first occurrence. */
  delayOf(error: ThrottledError): number | undefined {
    const { uid, message, generation, now } = error;
    const since = this.#sinceOf(error);
    this.#recurrences.set(uid, { message, generation, since: since ?? now });
    if (since === undefined) return undefined;
    const base = Math.max(now - since, error.asked ?? 0, shortestThrottle);
    const delay = jittered(base, aTenth, error.random);
    return Math.min(Math.round(delay), error.isOutage ? longestOutage : longestRequeue);
  }

  /** Forgets a custom resource's error: it was reconciled, or is gone. */
  forget(uid: string): void {
    this.#recurrences.delete(uid);
  }

  #sinceOf({ uid, message, generation, stored, now, date }: ThrottledError): number | undefined {
    const known = this.#recurrences.get(uid);
    if (known !== undefined) {
      const isSame = isSameMessage(known.message, message) && known.generation === generation;
      return isSame ? known.since : undefined;
    }
    const same =
      stored?.status === "False" &&
      isSameMessage(stored.message, message) &&
      stored.observedGeneration === generation;
    if (!same) return undefined;
    const since = Date.parse(stored.lastTransitionTime);
    return Number.isNaN(since) ? undefined : now - Math.max(date - since, 0);
  }
}
