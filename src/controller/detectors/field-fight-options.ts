// What an author may say about fights over fields, and what is true unless they do.
import { duration, optionsOf, whole } from "../../options/option-schemas.ts";
import { toMilliseconds, type Duration } from "../../ports/duration.ts";
import { fieldFightDefaults, type FieldFightLimits } from "../../reconcile/comparison/field-fights.ts";

/** When repairs of one field are taken for a fight with somebody else, and how far they are then slowed down. */
export interface FieldFightOptions {
  /** Repairs of one field within the time; default 5. */
  readonly repairs?: number;
  /** Default 10 minutes. */
  readonly within?: Duration;
  /** Longest delay between two repairs of a field that is fought about; default 5 minutes. */
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
