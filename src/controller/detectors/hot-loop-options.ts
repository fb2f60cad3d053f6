// What an author may say about the detection of circles, and what is true unless they do.
import { duration, optionsOf, whole } from "../../options/option-schemas.ts";
import { toMilliseconds, type Duration } from "../../ports/duration.ts";
import type { HotLoopLimits } from "./hot-loop-detector.ts";

/** When a resource is taken to be in a reconcile loop, and how far it is slowed down. */
export interface HotLoopOptions {
  /**
   * Runs that writes of one object (our own), or of one field (somebody else's), have to cause within the time, without a
   * new generation; or runs that the creation of a child of ours has caused and that make another child of that kind,
   * whatever its name. Default 30: one every other second for a minute is more than any autoscaler, any person and any
   * roll-out step of ours writes, and a true circle, at ten runs a second or more, is found within three seconds.
   */
  readonly runs?: number;
  /** Default 1 minute; a circle that has stopped is also over after this time. */
  readonly within?: Duration;
  /** Longest delay between two runs of a resource that is slowed down; default 1 minute. */
  readonly longestDelay?: Duration;
}

/** The form of each option. */
export const hotLoopOptions = optionsOf<HotLoopOptions>()({
  runs: whole(2).optional(),
  within: duration.optional(),
  longestDelay: duration.optional(),
});

/** The options with every default filled in. Errors: `DURATION_INVALID`. */
export function compileHotLoopOptions(options: HotLoopOptions = {}): HotLoopLimits {
  const { runs = 30, within = "1m", longestDelay = "1m" } = options;
  return { runs, within: toMilliseconds(within), longestDelay: toMilliseconds(longestDelay) };
}
