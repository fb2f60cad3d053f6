// Checks of a machine's configuration as it was written, before it is compiled: where it begins, and names that XState would
// ignore. What is wrong here makes every later finding a consequence.
import { humanIntervention, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { meantBy } from "../ports/misspelling.ts";
import type { Problem } from "./problem.ts";
import { readEntries, readField, readFields, type Fields } from "./untrusted.ts";

/** What XState knows of a state; what it knows of the whole machine besides. */
const stateKeys =
  "id initial type history states invoke on entry exit onDone after always meta output order tags description target route".split(
    " ",
  );
const machineKeys = [...stateKeys, "context", "version", "options", "schemas", "types"];

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
  return statesOf(config).flatMap(({ path, state }) => {
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

/** Names in the configuration that mean nothing. */
export function checkKeys(machine: LifecycleMachine): readonly Problem[] {
  return statesOf(machine.config as Fields).flatMap(({ path, state }) => {
    const known = path === "" ? machineKeys : stateKeys;
    return Object.keys(state)
      .filter((name) => !known.includes(name))
      .map((name): Problem => {
        const meant = meantBy(name, known);
        return {
          code: "STATE_KEY_UNKNOWN",
          severity: "warning",
          ...(path === "" ? {} : { state: path }),
          option: name,
          message: `${path === "" ? "the machine" : path} has "${name}", which means nothing and is ignored`,
          remedy:
            meant === undefined
              ? "Leave it out; notes of your own go into meta."
              : `Did you mean "${meant}"?`,
        };
      });
  });
}

interface WrittenState {
  /** Empty for the machine itself. */
  readonly path: string;
  readonly state: Fields;
}

function statesOf(state: Fields, path = ""): readonly WrittenState[] {
  const inner = readEntries(state["states"]).flatMap(([name, each]) =>
    statesOf(readFields(each) ?? {}, path === "" ? name : `${path}:${name}`),
  );
  return [{ path, state }, ...inner];
}
