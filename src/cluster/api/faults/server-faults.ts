// All faults of one API server: the public knobs over requests, reads and watches.
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterFaults, RequestMatch } from "../../cluster-faults.ts";
import { controllersUser } from "../requests/users.ts";
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
  /** Called before a fault that the built-in controllers are to meet; any number of times. */
  readonly onControllersStruck: () => void;
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
export function toClusterFaults(server: FaultyServer): ClusterFaults {
  const { store, pause, resume, onControllersStruck } = server;
  const { requests, reads, watches } = server.faults;
  const noted = (match: RequestMatch): RequestMatch => {
    if (match.user === controllersUser.name) onControllersStruck();
    return match;
  };
  return {
    refuse: (match, refusal, limit) => requests.refusals.add(noted(match), refusal, limit),
    reset: (match, limit) => requests.resets.add(noted(match), true, limit),
    loseAnswers: (match, limit) => requests.losses.add(noted(match), true, limit),
    delay: (match, milliseconds, limit) => {
      const abort = new AbortController();
      const hold = { milliseconds, ended: abort.signal };
      return requests.holds.add(noted(match), hold, limit, () => abort.abort());
    },
    staleReads: (match = {}) => reads.pin(noted(match)),
    compactHistory: () => store.compact(),
    dropWatches: (match = {}, how = "reset") => watches.drop(noted(match), how),
    silenceWatches: (match = {}, limit) => watches.silence(noted(match), limit),
    delayWatches: (match, milliseconds) => watches.delay(noted(match), milliseconds),
    slowWatches: (match, bytesPerSecond) => watches.slow(noted(match), bytesPerSecond),
    withholdBookmarks: (match = {}, which = "all") => watches.withhold(noted(match), which),
    spoilLines: (match, how, limit) => watches.spoil(noted(match), how, limit),
    repeatLines: (match = {}) => watches.repeat(noted(match)),
    stopServer: () => {
      onControllersStruck();
      return pause();
    },
    startServer: resume,
    clear: () => {
      requests.clear();
      reads.clear();
      watches.clear();
    },
  };
}
