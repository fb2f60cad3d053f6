// The static checks of everything that a module declares: its machines, its kinds, and the options of its controllers.
// What refuses its options has thrown while the module was loaded; what it found is taken from the error.
import { checkControllerOptions } from "../../controller/declaration/check-controller-options.ts";
import { isOperator } from "../../controller/declaration/define-operator.ts";
import { isController, type ControllerDefinition } from "../../controller/declaration/define-controller.ts";
import { checkLifecycle } from "../../lifecycle/checks/check-lifecycle.ts";
import type { LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { roleReportOf, type RoleReport } from "../../lifecycle/checks/role-report.ts";
import { compileLifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import { checkMachineText } from "../../machine-file/machine-alone.ts";
import type { Problem } from "../../ports/problem.ts";
import { checkSchemas, type CheckedBeside } from "../../kinds/check-schemas.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { isKind } from "../../kinds/is-kind.ts";
import { isMachine } from "../../statechart/is-machine.ts";
import type { LoadedModule } from "../load-module.ts";
import { refusalCodeOf } from "../refusal-code.ts";
import { sourceLineOf } from "../source-line.ts";
import type { ProblemSubject } from "./problem-places.ts";

/** One declaration and what is wrong with it. */
export interface CheckedDeclaration {
  /** What it is listed as: the machine's id, else the kind, else the operator. */
  readonly id: string;
  /** Where its findings are to be looked for. */
  readonly subject: ProblemSubject;
  readonly problems: readonly Problem[];
  /** What is known of its states; absent for what has none, and for a machine that cannot be compiled. */
  readonly roles?: RoleReport;
  /** Where in the author's code it was refused: for findings whose own place is not written out. */
  readonly refusedAt?: string;
}

/** Checks every machine, kind and controller of a module, once each. Errors: `MACHINE_MISSING` when it declares none. */
export async function checkModule({ file, exports }: LoadedModule): Promise<readonly CheckedDeclaration[]> {
  const checked = new Map<string, CheckedDeclaration>();
  const nameOf = ({ machine, kind }: ProblemSubject): string =>
    kind === undefined ? `machine ${machine}` : `kind ${kind}`;
  const add = (declaration: CheckedDeclaration): void => {
    const name = nameOf(declaration.subject);
    const known = checked.get(name);
    if (known === undefined || known.problems.length <= declaration.problems.length)
      checked.set(name, declaration);
  };
  const values = Object.values(exports);
  for (const value of values) {
    if (isOperator(value)) (await Promise.all(value.controllers.map(checkController))).forEach(add);
    else if (isController(value)) add(await checkController(value));
  }
  const withController = new Set(checked.keys());
  for (const value of values) {
    if (isKind(value)) {
      // What its controller does, webhooks for instance, belongs to what is wrong with it.
      if (!withController.has(nameOf({ kind: value.kind }))) add(await checkKind(value));
    } else if (isMachine(value)) {
      const problems = checkLifecycle(value);
      add({ id: value.id, subject: { machine: value.id }, problems, ...rolesOfMachine(value, problems) });
    }
  }
  if (checked.size > 0) return namedApart([...checked.values()]);
  throw new OperatorError("MACHINE_MISSING", `${file} has no machine, kind, controller or operator`, {
    remedy:
      "Name a module that exports a machine (createMachine), a kind (defineKind), a controller (defineController), or an operator (defineOperator).",
  });
}

/** Without machines that a kind has; with their kinds where several have a machine of one id. */
function namedApart(all: readonly CheckedDeclaration[]): readonly CheckedDeclaration[] {
  const isOfKind = (id: string): boolean =>
    all.some((each) => each.id === id && each.subject.kind !== undefined);
  const distinct = all.filter(({ id, subject }) => subject.kind !== undefined || !isOfKind(id));
  return distinct.map((each) => {
    const { id, subject, roles } = each;
    const isShared = distinct.some((other) => other !== each && other.id === id);
    if (!isShared || subject.kind === undefined) return each;
    const name = `${id} of ${subject.kind}`;
    return { ...each, id: name, ...(roles === undefined ? {} : { roles: { ...roles, machine: name } }) };
  });
}

/** Checks a machine that is data. */
export function checkMachineFile(text: string, file: string): CheckedDeclaration {
  const { id, machine, problems } = checkMachineText(text, file);
  return { id, subject: {}, problems, ...(machine === undefined ? {} : rolesOfMachine(machine, problems)) };
}

/** What a declaration has found before it threw: from the error of a module that could not be loaded. */
export function refusedDeclaration(error: unknown): CheckedDeclaration | undefined {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error; each = each.cause) chain.push(each);
  const refusal =
    chain.find((each) => Array.isArray(fieldsOf(each)["problems"])) ??
    chain.findLast((each) => refusalCodeOf(each) !== undefined);
  if (refusal === undefined) return undefined;
  const fields = fieldsOf(refusal);
  const text = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === "string" ? value : undefined;
  };
  const [machine, kind, operator, by] = [text("machine"), text("kind"), text("operator"), text("by")];
  const refusedAt = sourceLineOf(refusal);
  return {
    ...(refusedAt === undefined ? {} : { refusedAt }),
    id: machine ?? kind ?? operator ?? by ?? "the module",
    subject: {
      ...(machine === undefined ? {} : { machine }),
      ...(kind === undefined ? {} : { kind }),
      ...(operator === undefined ? {} : { operator }),
      ...(by === undefined ? {} : { by }),
    },
    problems: (fields["problems"] as readonly Problem[] | undefined) ?? [problemOf(refusal)],
  };
}

/** By shape, not by class: the module may bring its own copy of this package. */
function fieldsOf(error: Error): Readonly<Record<string, unknown>> {
  return (error as { readonly fields?: Readonly<Record<string, unknown>> }).fields ?? {};
}

/** A refusal that lists nothing is one finding itself. */
function problemOf(refusal: Error): Problem {
  const { message, remedy = "Correct the declaration." } = refusal as Error & { readonly remedy?: string };
  return { code: refusalCodeOf(refusal) ?? "", severity: "error", message, remedy };
}

/** Nothing can be said of a machine with an error in its shape. */
function rolesOfMachine(
  machine: LifecycleMachine,
  problems: readonly Problem[],
): Pick<CheckedDeclaration, "roles"> {
  return problems.some(({ severity }) => severity === "error")
    ? {}
    : { roles: roleReportOf(compileLifecycle(machine)) };
}

async function checkKind(checked: Kind<KubeObject>, beside: CheckedBeside = {}): Promise<CheckedDeclaration> {
  const { kind, lifecycle } = checked;
  const problems = await checkDeclaration(checked, beside);
  if (lifecycle === undefined) return { id: kind, subject: { kind }, problems };
  return {
    id: lifecycle.id,
    subject: { machine: lifecycle.id, kind },
    problems: [...problems, ...(lifecycle.warnings ?? [])],
    roles: roleReportOf(lifecycle),
  };
}

/** What is wrong with the schemas of a kind; if nothing is, with the conversion between its versions. */
async function checkDeclaration(kind: Kind<KubeObject>, beside: CheckedBeside): Promise<readonly Problem[]> {
  const problems = checkSchemas(kind, beside);
  if (kind.versions.length < 2 || problems.some(({ severity }) => severity === "error")) return problems;
  // Trying conversions takes a library that nothing else here needs.
  const { versionProblems } = await import("../../round-trips/round-trips.ts");
  return [...problems, ...versionProblems(kind, { runs: 200, seed: 1 })];
}

async function checkController({ kind, options }: ControllerDefinition): Promise<CheckedDeclaration> {
  const { validate } = options.webhooks ?? {};
  const checked = await checkKind(kind, { validated: validate !== undefined });
  return { ...checked, problems: [...checked.problems, ...checkControllerOptions(kind, options)] };
}
