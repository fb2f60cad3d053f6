// The states of a machine as its author wrote them, before XState has read them.
import type { LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { readEntries, readFields, type Fields } from "../values/untrusted.ts";

/** One state. */
export interface WrittenState {
  /** Empty for the machine itself. */
  readonly path: string;
  readonly state: Fields;
}

/** The machine itself and every state in it, in document order. */
export function writtenStates(machine: LifecycleMachine): readonly WrittenState[] {
  return statesOf(machine.config as Fields);
}

function statesOf(state: Fields, path = ""): readonly WrittenState[] {
  const inner = readEntries(state["states"]).flatMap(([name, each]) =>
    statesOf(readFields(each) ?? {}, path === "" ? name : `${path}:${name}`),
  );
  return [{ path, state }, ...inner];
}
