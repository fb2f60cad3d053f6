// What an author may say about fights over fields, and what is true unless they do.
import { toMilliseconds, type Duration } from "../../ports/duration.ts";
import { OperatorError } from "../../ports/operator-error.ts";
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

/** The options, checked and complete. Errors: `CONTROLLER_INVALID`, `DURATION_INVALID`. */
export function compileFieldFightOptions(options: FieldFightOptions = {}): FieldFightLimits {
  const { repairs, within, longestDelay } = { ...fieldFightDefaults, ...options };
  const limits = { repairs, within: toMilliseconds(within), longestDelay: toMilliseconds(longestDelay) };
  if (!Number.isInteger(repairs) || repairs < 2 || limits.within <= 0) {
    throw new OperatorError(
      "CONTROLLER_INVALID",
      `fieldFights cannot be ${repairs} repairs within ${within}`,
      {
        remedy:
          "Give a whole number of repairs, at least 2, and a time above 0; or fieldFights: false to repair at once always.",
      },
    );
  }
  return limits;
}
