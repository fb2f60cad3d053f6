// What a machine has come to at its end, as far as the status has room for it. A new life begins without it.
import { isAtEnd } from "./choose-move.ts";
import type { CycleInput } from "./cycle-plan.ts";
import { sizeOf } from "./values/json-size.ts";
import type { Outcome, Settled } from "./settle.ts";
import type { LifecycleStatus } from "./stored/snapshot.ts";

/** Bytes that it may take. */
const outputBudget = 1_024;

/** The output of the move that ended the machine, or the one recorded then; too large a one is reported as a problem. */
export function outputOf(
  input: CycleInput,
  { restored, choice, problems }: Outcome,
  { position }: Settled,
): LifecycleStatus["output"] {
  if (!isAtEnd(input.lifecycle, position.leaves)) return undefined;
  const output = choice.move === undefined ? restored.output : choice.move.step.output;
  const size = sizeOf(output);
  if (output === undefined || size <= outputBudget) return output;
  problems.push({
    code: "OUTPUT_TOO_LARGE",
    severity: "warning",
    message: `the output takes ${size} bytes and is left out of the status, which has room for ${outputBudget}`,
    remedy: "Return less, for instance the name of an object that holds the rest.",
  });
  return undefined;
}
