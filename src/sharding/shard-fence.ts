// What lets the writes of one run pass: the run must go on, and the membership's term must last. Made for each run by
// src/manager; asked by the fenced client.
import type { WriteFence } from "../election/fenced-client.ts";
import { isUnanswered, type LeadershipTerm, type WriteBounds } from "../election/leadership-term.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { SlotUse } from "./slot-table.ts";

/**
 * The fence of one run.
 *
 * **Guarantees**: while a write is under way, or may still take effect because its answer is missing, the run's slot is not
 * handed over.
 * **Errors**: `SHARD_LOST` once the run has ended or the membership is over.
 */
export function createShardFence(term: LeadershipTerm, use: SlotUse): WriteFence {
  return {
    async write<T>(
      what: string,
      outer: AbortSignal | undefined,
      send: (bounds: WriteBounds) => Promise<T>,
    ): Promise<T> {
      if (!use.isOpen) {
        throw new OperatorError("SHARD_LOST", `${what} is refused: the reconcile has ended`, {
          remedy: "Await what a hook starts: after it has ended, another replica may own the object.",
        });
      }
      use.writeBegins();
      let outcome: "answered" | "unanswered" = "answered";
      try {
        return await term.write(what, outer, send);
      } catch (error) {
        if (isUnanswered(error)) outcome = "unanswered";
        throw error;
      } finally {
        use.writeEnds(outcome);
      }
    },
  };
}
