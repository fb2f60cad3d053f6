// Checks of where a machine begins, as it was written, before it is compiled: what is wrong here makes every later finding a
// consequence.
import { humanIntervention, type LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { meantBy } from "../../ports/misspelling.ts";
import type { Problem } from "../../ports/problem.ts";
import { readEntries, readField, readFields, type Fields } from "../values/untrusted.ts";
import { writtenStates } from "../graph/written-states.ts";

/** What is wrong with where a machine and its compound states begin. */
export function checkInitial(machine: LifecycleMachine): readonly Problem[] {
  const config = machine.config as Fields;
  if (readEntries(config["states"]).every(([name]) => name === humanIntervention)) {
    return [
      {
        code: "LIFECYCLE_EMPTY",
        severity: "error",
        message: `"${machine.id}" has no states`,
        remedy:
          'Write the states: states: { Start: { on: { "observed.Running": "Running" } }, Running: {} }.',
      },
    ];
  }
  return writtenStates(machine).flatMap(({ path, state }) => {
    const names = readEntries(state["states"]).map(([name]) => name);
    if (names.length === 0 || state["type"] === "parallel") return [];
    const { initial } = state;
    const given = typeof initial === "string" ? initial : readField(readFields(initial) ?? {}, "target");
    const name = typeof given === "string" ? given.replace(/^\./, "") : undefined;
    // XState itself refuses a state that does not say where it begins.
    if (name === undefined || names.includes(name)) return [];
    const others = names.filter((each) => each !== humanIntervention);
    const meant = meantBy(name, others);
    return [
      {
        code: "INITIAL_UNKNOWN",
        severity: "error",
        ...(path === "" ? {} : { state: path }),
        message: `${path === "" ? `"${machine.id}"` : path} begins in "${name}", and has no state of that name`,
        remedy: `${meant === undefined ? "Name" : `Did you mean ${meant}? Name`} one of ${others.join(", ")}.`,
      },
    ];
  });
}
