// Durations as people write them: "90s", "10m", "2h", "1d", or a number of milliseconds.
import { OperatorError } from "./operator-error.ts";

/** A number of milliseconds, or a number with a unit: `ms`, `s`, `m`, `h`, `d`; several may follow each other (`1h30m`). */
export type Duration = number | string;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration; undefined for anything else. */
export function durationOf(duration: unknown): number | undefined {
  if (typeof duration === "number") return Number.isFinite(duration) && duration >= 0 ? duration : undefined;
  if (typeof duration !== "string" || !/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(duration.trim())) return undefined;
  let total = 0;
  for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (units[unit as string] as number);
  }
  return total;
}

/** Milliseconds of a duration. Errors: `DURATION_INVALID`. */
export function toMilliseconds(duration: Duration): number {
  const length = durationOf(duration);
  if (length !== undefined) return length;
  throw new OperatorError("DURATION_INVALID", `"${String(duration).trim()}" is not a duration`, {
    remedy:
      'Write a number of milliseconds, or a number with a unit, for instance "90s", "10m", "2h" or "1h30m".',
  });
}
