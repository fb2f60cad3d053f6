// Work that is done for a key when something has changed, again after some time, and again after growing delays where it fails.
import type { ApiCore } from "../api-core.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import { createWorkQueue } from "../../../queue/keyed-work-queue.ts";
import type { WorkQueue } from "../../../queue/work-queue.ts";

/** What is done, and how often. */
export interface KeyedRefresh {
  /** For the log. */
  readonly name: string;
  /** Milliseconds: the first delay after a failure, and the longest. */
  readonly backoff: { readonly base: number; readonly max: number };
  /** Keys worked on at once. */
  readonly workers: number;
  /** Does it; the milliseconds after which to do it again, undefined: when something has changed. What it throws is a failure. */
  readonly refresh: (key: string) => Promise<number | undefined>;
}

/** Refreshes that run. */
export interface RunningRefresh {
  /** Something has changed. */
  readonly add: (key: string) => void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** Starts it; nothing is done before a key is added. */
export function runRefresh(
  { clock, random, log }: Pick<ApiCore, "clock" | "random" | "log">,
  { name, backoff, workers, refresh }: KeyedRefresh,
): RunningRefresh {
  const queue = createWorkQueue({ clock, random, backoff });
  const work = async (): Promise<void> => {
    for (let item = await queue.take(); item !== undefined; item = await queue.take()) {
      await workOn(item.key, queue);
    }
  };
  const workOn = async (key: string, of: WorkQueue): Promise<void> => {
    try {
      const again = await refresh(key);
      of.forget(key);
      if (again !== undefined) of.addAfter(key, again);
    } catch (error) {
      log.debug({ key, error: messageOf(error) }, `${name} failed`);
      of.addRateLimited(key);
    } finally {
      of.done(key);
    }
  };
  const working = Promise.all(Array.from({ length: workers }, work));
  return {
    add: (key) => queue.add(key),
    async stop() {
      await queue.shutDown();
      await working;
    },
  };
}
