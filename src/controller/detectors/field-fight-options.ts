// What an author may say about fights over fields, and what is true unless they do.
import { duration, optionsOf, whole } from "../../options/option-schemas.ts";
import { toMilliseconds, type Duration } from "../../ports/duration.ts";
import { fieldFightDefaults, type FieldFightLimits } from "../../reconcile/comparison/field-fights.ts";

/** What `ControllerOptions` describes as `fieldFights`. */
interface FieldFightOptions {
  readonly repairs?: number;
  readonly within?: Duration;
  readonly longestDelay?: Duration;
}

/** The form of each option. */
export const fieldFightOptions = optionsOf<FieldFightOptions>()({
  repairs: whole(2).optional(),
  within: duration.optional(),
  longestDelay: duration.optional(),
});

/** The options with every default filled in. Errors: `DURATION_INVALID`. */
export function compileFieldFightOptions(options: FieldFightOptions = {}): FieldFightLimits {
  const { repairs, within, longestDelay } = { ...fieldFightDefaults, ...options };
  return { repairs, within: toMilliseconds(within), longestDelay: toMilliseconds(longestDelay) };
}
