// What a controller remembers between two runs. All of it may be lost: the next run then costs a little more, no less right.
import { IntentHashes } from "./intent-hash.ts";
import { SettledDifferences } from "./settled-differences.ts";
import { SettledStatuses } from "./settled-statuses.ts";
import { Throttle } from "./throttle.ts";

/** What survives from one run to the next; one for each controller. */
export interface ReconcileMemory {
  readonly throttle: Throttle;
  readonly hashes: IntentHashes;
  readonly settled: SettledDifferences;
  readonly statuses: SettledStatuses;
}

/** An empty memory. */
export function createReconcileMemory(): ReconcileMemory {
  return {
    throttle: new Throttle(),
    hashes: new IntentHashes(),
    settled: new SettledDifferences(),
    statuses: new SettledStatuses(),
  };
}
