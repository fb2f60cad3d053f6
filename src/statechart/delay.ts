// How long an `after` edge waits.
import { isOperatorError } from "../ports/operator-error.ts";
import { toMilliseconds, type Duration } from "../ports/duration.ts";

/** Milliseconds of a delay as written: a number, a registered name, or a duration; undefined for anything else. */
export function resolveDelay(
  delays: Readonly<Record<string, unknown>>,
  delay: string,
  given: { readonly context: object; readonly event: object },
): number | undefined {
  if (/^\d+(\.\d+)?$/.test(delay)) return Number(delay);
  const known: unknown = Object.hasOwn(delays, delay) ? delays[delay] : delay;
  const value: unknown = typeof known === "function" ? (known as (given: object) => unknown)(given) : known;
  try {
    return toMilliseconds(value as Duration);
  } catch (error: unknown) {
    if (isOperatorError(error, "DURATION_INVALID") && value === delay) return undefined;
    throw error;
  }
}
