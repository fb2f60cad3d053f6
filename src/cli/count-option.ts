// A whole number from 1 on as the value of an option.
import { InvalidArgumentError } from "commander";

/** The number. **Errors**: commander's `InvalidArgumentError`. */
export function countOption(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError("Write a whole number from 1 on.");
}
