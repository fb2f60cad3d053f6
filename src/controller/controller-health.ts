// How a controller is, from its parts: its queue, the runs under way, what is held back and what failed. Asked for by
// src/manager, and worked out only then.
import type { ControllerHealth, HeldKey } from "../ports/operator-health.ts";
import { monotonicNow, type Clock } from "../ports/clock.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import type { Runs } from "../reconcile/runs.ts";
import type { RecentFailures } from "./run/recent-failures.ts";

/** What {@link controllerHealth} looks at. */
export interface ControllerHealthParts {
  readonly kind: string;
  readonly workers: number;
  readonly queue: Pick<WorkQueue, "depth" | "delayed" | "processing">;
  readonly runs: Runs;
  readonly held: readonly HeldKey[];
  readonly failures: RecentFailures;
  readonly clock: Clock;
}

/** Held keys that are named. */
const heldNamed = 10;

/** How it is now. */
export function controllerHealth(parts: ControllerHealthParts): ControllerHealth {
  const { kind, workers, queue, runs, held, failures, clock } = parts;
  const now = clock.now();
  const [longest] = runs.list(monotonicNow(clock));
  const { count, last } = failures.within(now);
  return {
    kind,
    workers,
    busy: queue.processing,
    queued: queue.depth,
    delayed: queue.delayed,
    ...(longest === undefined
      ? {}
      : {
          longest: {
            key: longest.key,
            ...(longest.stage === undefined ? {} : { stage: longest.stage }),
            since: Math.round(now - longest.took),
          },
        }),
    heldCount: held.length,
    held: held.slice(0, heldNamed),
    failureCount: count,
    failures: last,
  };
}
