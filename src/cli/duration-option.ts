// Durations as options: `90s`, `10m`.
import { InvalidArgumentError } from "commander";
import { toMilliseconds } from "../ports/duration.ts";

/** Milliseconds, from what was typed. Errors: commander's own. */
export function durationOption(text: string): number {
  try {
    return toMilliseconds(text);
  } catch {
    throw new InvalidArgumentError("Write a duration, for example 90s or 10m.");
  }
}
