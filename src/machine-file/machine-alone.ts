// A machine's file without the code that belongs to it: what can be drawn and checked of it alone. Nothing stands behind its
// names.
import { basename } from "node:path";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import { checkLifecycle } from "../lifecycle/checks/check-lifecycle.ts";
import { durationOf } from "../ports/duration.ts";
import { refuseErrors, type Problem } from "../ports/problem.ts";
import { readGraph } from "../statechart/graph.ts";
import { machineOf, readMachineText } from "./read-machine.ts";

/** What can be said of a machine's file alone. */
export interface CheckedFile {
  /** The machine's id; the name of the file where that is not known. */
  readonly id: string;
  /** Absent when it cannot be made. */
  readonly machine?: LifecycleMachine;
  /** Each with its place. */
  readonly problems: readonly Problem[];
}

/** Checks a machine in a text as if all its names were known. Never throws. */
export function checkMachineText(text: string, file: string): CheckedFile {
  const written = readMachineText(text, file);
  const { machine, problems } = machineOf(written, withStandIns);
  const { id = basename(file) } = (written.config ?? {}) as { readonly id?: string };
  if (machine === undefined) return { id, problems };
  return { id, machine, problems: checkLifecycle(machine).map(written.placed) };
}

/** The machine in a text, to be drawn. Errors: `MACHINE_FILE_INVALID`. */
export function machineOfText(text: string, file: string): LifecycleMachine {
  const { machine, problems } = machineOf(readMachineText(text, file), withStandIns);
  if (machine !== undefined) return machine;
  refuseErrors(problems, {
    code: "MACHINE_FILE_INVALID",
    subject: `the machine in ${file}`,
    fields: {},
    remedy: "Correct each line.",
  });
  throw new Error(`${file} has no machine and no errors`);
}

/** Makes a machine with something behind each of its names. */
function withStandIns(config: object): LifecycleMachine {
  const { nodes, edges } = readGraph(setupLifecycle().createMachine(config));
  const guards = edges.flatMap(({ guard }) => guard ?? []);
  const actions = [
    ...edges.flatMap((edge) => edge.actions),
    ...nodes.flatMap(({ entry, exit }) => [...entry, ...exit]),
  ];
  const delays = edges.flatMap(({ delay, delayLength }) =>
    delay === undefined || delayLength !== undefined || durationOf(delay) !== undefined ? [] : [delay],
  );
  const each = <T>(names: readonly string[], value: T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, value]));
  return setupLifecycle({
    guards: each(guards, () => true),
    effects: [...new Set(actions)],
    delays: each(delays, () => "1h"),
  }).createMachine(config);
}
