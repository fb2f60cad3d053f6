// Machines that are data: a file of JSON, as XState and its editors write it, or the same in YAML. What its names stand for
// is given in code, and what is wrong is reported with file, line and column.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { DrawnLifecycle, LifecycleNames, Named } from "../../machines/lifecycle-names.ts";
import { checkWritten } from "../lifecycle/checks/check-lifecycle.ts";
import { isOperatorError, messageOf, OperatorError } from "../ports/operator-error.ts";
import { refuseErrors, type Problem } from "../ports/problem.ts";
import { checkForm, withoutNothing } from "./machine-form.ts";
import { keyPath, offsetOfProblem } from "./place-of-problem.ts";
import { readPlacedText } from "./placed-text.ts";

/** Makes a machine of a configuration; what a setup does. */
export type MakeMachine = (config: object) => LifecycleMachine;

/** The configuration in a text, as far as it can be read, and where its parts are. */
export interface WrittenMachine {
  /** Undefined when the text or its form is wrong. */
  readonly config: object | undefined;
  /** What is wrong with the text and its form, each with its place. */
  readonly problems: readonly Problem[];
  /** Where its keys begin, by path. */
  readonly offsets: ReadonlyMap<string, number>;
  /** A finding about the machine with its place. */
  readonly placed: (problem: Problem) => Problem;
}

/** Reads a text; of the file only the name is used. Never throws. */
export function readMachineText(text: string, file: string): WrittenMachine {
  const { value, problems, offsets, placeAt } = readPlacedText(text, file);
  const misfits = problems.length > 0 ? [] : checkForm(value);
  const placed = (problem: Problem): Problem =>
    problem.where === undefined
      ? { ...problem, where: placeAt(offsetOfProblem(offsets, problem) ?? 0) }
      : problem;
  const found = [
    ...problems,
    ...misfits.map(({ path, problem }) => ({ ...problem, where: placeAt(nearest(offsets, path)) })),
  ];
  return {
    config: found.length > 0 ? undefined : (withoutNothing(value) as object),
    problems: found,
    offsets,
    placed,
  };
}

/** Whether a text is meant to be a machine, rather than an object of Kubernetes. */
export function isMachineText(text: string, file: string): boolean {
  const { value, problems } = readPlacedText(text, file);
  if (problems.length > 0) return /^[\s{]*["']?states["']?\s*:/m.test(text) && !/\bapiVersion\b/.test(text);
  return typeof value === "object" && value !== null && "states" in value && !("apiVersion" in value);
}

/** What `setupLifecycle` returns, as far as a file needs it. */
export interface MachineSetup<TNames extends LifecycleNames> extends Named<TNames> {
  /** Makes the machine of a configuration. */
  readonly createMachine: (config: never) => unknown;
}

/**
 * The machine of a file, drawn with a setup: `setup.createMachine` of what is in the file.
 *
 * **Guarantees**: every name in it is one that the setup has; what is wrong is reported at once, each with file, line and column.
 * **Caveats**: reads the file each time, synchronously, so that modules can export the machine. A path is relative to the current folder:
 * give `new URL("./database.yaml", import.meta.url)`. The names of its states are not typed: import JSON as a module for that.
 * **Errors**: `MACHINE_FILE_MISSING`; `MACHINE_FILE_INVALID` with the findings in the field `problems`.
 *
 * @example
 * const setup = setupLifecycle<Database>().extend({ guards: { isBig: ({ event }) => event.spec.size > 9 } });
 * export const databaseLifecycle = readMachine(new URL("./database-lifecycle.yaml", import.meta.url), setup);
 */
export function readMachine<TNames extends LifecycleNames = LifecycleNames>(
  file: string | URL,
  setup: MachineSetup<TNames> = setupLifecycle() as unknown as MachineSetup<TNames>,
): DrawnLifecycle<TNames> {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  const written = readMachineText(textOf(path), path);
  const { machine, problems } = machineOf(
    written,
    (config) => setup.createMachine(config as never) as LifecycleMachine,
  );
  const { id } = (written.config ?? {}) as { readonly id?: unknown };
  refuseErrors(problems, {
    code: "MACHINE_FILE_INVALID",
    subject: `the machine in ${path}`,
    fields: typeof id === "string" ? { machine: id } : {},
    remedy: "Correct each line.",
  });
  return machine as DrawnLifecycle<TNames>;
}

/** The machine of a text, and everything that is wrong with it so far. */
export function machineOf(
  { config, problems, placed }: WrittenMachine,
  make: MakeMachine,
): { readonly machine?: LifecycleMachine; readonly problems: readonly Problem[] } {
  if (config === undefined) return { problems };
  try {
    const machine = make(config);
    return { machine, problems: checkWritten(machine).map(placed) };
  } catch (error: unknown) {
    if (!isOperatorError(error)) throw error;
    const { problems: found } = error.fields as { readonly problems?: readonly Problem[] };
    const { message, remedy = "Correct the machine." } = error;
    return { problems: (found ?? [{ code: error.code, severity: "error", message, remedy }]).map(placed) };
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error: unknown) {
    throw new OperatorError(
      "MACHINE_FILE_MISSING",
      `the machine's file ${path} cannot be read: ${messageOf(error)}`,
      {
        cause: error,
        remedy: 'Check the path; beside the module it is new URL("./machine.yaml", import.meta.url).',
      },
    );
  }
}

/** Of a path, or of what is around it. */
function nearest(offsets: ReadonlyMap<string, number>, path: readonly string[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const found = offsets.get(keyPath(...path.slice(0, length)));
    if (found !== undefined) return found;
  }
  return 0;
}
