// Durations as people write them: "90s", "10m", "2h", "1d", or a number of milliseconds.
import { OperatorError } from "./operator-error.ts";

/** A number of milliseconds, or a number with a unit: `ms`, `s`, `m`, `h`, `d`; several may follow each other (`1h30m`). */
export type Duration = number | string;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration. Errors: `DURATION_INVALID`. */
export function toMilliseconds(duration: Duration): number {
  if (typeof duration === "number" && Number.isFinite(duration) && duration >= 0) return duration;
  const text = String(duration).trim();
  if (typeof duration === "string" && /^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) {
    let total = 0;
    for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
      total += Number(amount) * (units[unit as string] as number);
    }
    return total;
  }
  throw new OperatorError("DURATION_INVALID", `"${text}" is not a duration`, {
    remedy:
      'Write a number of milliseconds, or a number with a unit, for instance "90s", "10m", "2h" or "1h30m".',
  });
}
