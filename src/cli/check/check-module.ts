// The static checks of everything that a module declares: its machines, its kinds, and the tasks and actions of its
// operator. A kind that refused its machine has thrown; what it found is taken from the error.
import { isOperator } from "../../controller/define-operator.ts";
import type { ControllerDefinition } from "../../controller/define-controller.ts";
import { checkLifecycle } from "../../lifecycle/check-lifecycle.ts";
import { checkNames } from "../../lifecycle/check-names.ts";
import type { Problem } from "../../lifecycle/problem.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { isKind } from "../declared-kinds.ts";
import { isMachine } from "../graph/declared-machines.ts";
import type { LoadedModule } from "../load-module.ts";

/** One machine and what is wrong with it. */
export interface CheckedMachine {
  /** The machine's id. */
  readonly id: string;
  /** Kind or export name. */
  readonly name: string;
  readonly problems: readonly Problem[];
}

/** Checks every machine of a module, once each. Errors: `MACHINE_MISSING` when it declares none. */
export function checkModule({ file, exports }: LoadedModule): readonly CheckedMachine[] {
  const machines = new Map<string, CheckedMachine>();
  const add = (machine: CheckedMachine): void => {
    const known = machines.get(machine.id);
    if (known === undefined || known.problems.length < machine.problems.length)
      machines.set(machine.id, machine);
  };
  for (const [name, value] of Object.entries(exports)) {
    if (isOperator(value)) value.controllers.flatMap(checkController).forEach(add);
    else if (isKind(value)) checkKind(value).forEach(add);
    else if (isMachine(value)) {
      add({ id: value.id, name, problems: checkLifecycle(value) });
    }
  }
  if (machines.size > 0) return [...machines.values()];
  throw new OperatorError("MACHINE_MISSING", `${file} has no machine, and no kind with a lifecycle`, {
    remedy: "Name a module that exports a machine (createMachine), a kind with a lifecycle, or an operator.",
  });
}

/** What a declaration has found before it threw: from the error of a module that could not be loaded. */
export function refusedMachine(error: unknown): CheckedMachine | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    // By shape, not by class: the module may bring its own copy of this package.
    const { machine, problems } =
      (each as { readonly fields?: Readonly<Record<string, unknown>> }).fields ?? {};
    if (typeof machine === "string" && Array.isArray(problems)) {
      return { id: machine, name: machine, problems: problems as readonly Problem[] };
    }
  }
  return undefined;
}

function checkKind({ kind, lifecycle }: Kind<KubeObject>): readonly CheckedMachine[] {
  return lifecycle === undefined
    ? []
    : [{ id: lifecycle.id, name: kind, problems: lifecycle.warnings ?? [] }];
}

function checkController({ kind, options }: ControllerDefinition): readonly CheckedMachine[] {
  const { lifecycle } = kind;
  if (lifecycle === undefined) return [];
  const { tasks = {}, actions = {} } = options.application ?? {};
  const found = checkNames(lifecycle, { tasks: Object.keys(tasks), actions: Object.keys(actions) });
  const missing = found.filter(({ severity }) => severity === "error");
  return checkKind(kind).map((checked) => ({ ...checked, problems: [...checked.problems, ...missing] }));
}
