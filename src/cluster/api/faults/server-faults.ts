// All faults of one API server: the public knobs over requests, reads and watches.
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterFaults } from "../../cluster-faults.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { RequestFaults } from "./request-faults.ts";
import { StaleReads } from "./stale-reads.ts";
import { WatchFaults } from "./watch-faults.ts";

/** What the API server asks on the way of each request. */
export interface ServerFaults {
  readonly requests: RequestFaults;
  readonly reads: StaleReads;
  readonly watches: WatchFaults;
}

/** What {@link toClusterFaults} needs. */
export interface FaultyServer {
  readonly faults: ServerFaults;
  readonly store: Pick<ObjectStore, "compact">;
  /** Ends all connections and listens no more. */
  readonly pause: () => Promise<void>;
  /** Listens again. */
  readonly resume: () => Promise<void>;
}

/** No faults yet. */
export function createServerFaults(store: ObjectStore, clock: Clock): ServerFaults {
  return {
    requests: new RequestFaults(clock),
    reads: new StaleReads(store),
    watches: new WatchFaults(clock),
  };
}

/** The knobs of a server's faults. */
export function toClusterFaults({ faults, store, pause, resume }: FaultyServer): ClusterFaults {
  const { requests, reads, watches } = faults;
  return {
    refuse: (match, refusal, limit) => requests.refusals.add(match, refusal, limit),
    reset: (match, limit) => requests.resets.add(match, true, limit),
    loseAnswers: (match, limit) => requests.losses.add(match, true, limit),
    delay: (match, milliseconds, limit) => {
      const abort = new AbortController();
      return requests.holds.add(match, { milliseconds, ended: abort.signal }, limit, () => abort.abort());
    },
    staleReads: (match = {}) => reads.pin(match),
    compactHistory: () => store.compact(),
    dropWatches: (match = {}, how = "reset") => watches.drop(match, how),
    silenceWatches: (match = {}, limit) => watches.silence(match, limit),
    delayWatches: (match, milliseconds) => watches.delay(match, milliseconds),
    slowWatches: (match, bytesPerSecond) => watches.slow(match, bytesPerSecond),
    withholdBookmarks: (match = {}, which = "all") => watches.withhold(match, which),
    spoilLines: (match, how, limit) => watches.spoil(match, how, limit),
    repeatLines: (match = {}) => watches.repeat(match),
    stopServer: pause,
    startServer: resume,
    clear: () => {
      requests.clear();
      reads.clear();
      watches.clear();
    },
  };
}
