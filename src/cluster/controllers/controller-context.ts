// What every built-in controller works with.
import type { SharedCache } from "../../cache/informer.ts";
import type { ControllerEvents } from "./controller-events.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";

/** Passed to every controller. */
export interface ControllerContext {
  /** Its writes are recorded in the cache at once, so that the next reconcile sees them. */
  readonly client: KubeClient;
  readonly cache: SharedCache;
  readonly events: ControllerEvents;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Aborted when the controllers stop. */
  readonly signal: AbortSignal;
}
