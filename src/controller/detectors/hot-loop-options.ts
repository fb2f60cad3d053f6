// What an author may say about the detection of circles, and what is true unless they do.
import { duration, optionsOf, whole } from "../../options/option-schemas.ts";
import { toMilliseconds, type Duration } from "../../ports/duration.ts";
import type { HotLoopLimits } from "./hot-loop-detector.ts";

/** What `ControllerOptions` describes as `hotLoop`. */
interface HotLoopOptions {
  readonly runs?: number;
  readonly within?: Duration;
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
