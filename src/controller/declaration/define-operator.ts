// The declaration of an operator: its name and its controllers. A module that default-exports one can be run.
import { isKind } from "../../kinds/is-kind.ts";
import { optionProblems } from "../../options/option-problems.ts";
import { listOf, optionsOf, required, text, valueOf } from "../../options/option-schemas.ts";
import { refuseErrors } from "../../ports/problem.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { ControllerDefinition } from "./define-controller.ts";

/** A declared operator. */
export interface OperatorDefinition {
  /** Used as field manager and as reporting controller; a DNS label of at most 63 characters. */
  readonly name: string;
  /**
   * Names that it had before. The name is the field manager: what objects hold under a former one is taken over with the next run, so
   * that fields which are no longer declared go; and with leader election the Leases of those names are held besides, so that no
   * replica of an earlier version works at the same time. Default none.
   */
  readonly formerNames?: readonly string[];
  /** One for each kind. */
  readonly controllers: readonly ControllerDefinition[];
  /** Tells it from other exports of a module. */
  readonly isOperator: true;
}

/** Options of {@link defineOperator}. */
type OperatorOptions = Omit<OperatorDefinition, "isOperator">;

const controller = valueOf((value) => isKind((value as { readonly kind?: unknown } | null)?.kind), {
  expected: "a controller",
  remedy: "Make it by defineController.",
});

const operatorOptions = optionsOf<OperatorOptions & Partial<OperatorDefinition>>()({
  name: required(text, 'Write a name, for instance "database-operator".'),
  formerNames: listOf(text).optional(),
  controllers: required(
    listOf(controller),
    "Give it one controller for each kind, made by defineController.",
  ),
  // What was defined before may be spread into a new definition.
  isOperator: valueOf((value) => value === true, { expected: "true", remedy: "Leave it out." }).optional(),
});

/**
 * Declares an operator.
 *
 * **Errors**: `OPERATOR_INVALID` for a bad name, no controller, two of one kind, or options that are unknown.
 */
export function defineOperator(options: OperatorOptions): OperatorDefinition {
  refuseErrors(optionProblems(operatorOptions, options ?? {}, "defineOperator"), {
    code: "OPERATOR_INVALID",
    subject: "the operator",
    fields: { operator: (options as OperatorOptions | undefined)?.name },
    remedy: "Correct each line.",
  });
  for (const name of [options.name, ...(options.formerNames ?? [])]) {
    if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) continue;
    throw new OperatorError("OPERATOR_INVALID", `"${name}" cannot be the name of an operator`, {
      remedy: "Use lowercase letters, digits and dashes, at most 63 characters.",
    });
  }
  const kinds = options.controllers.map(({ kind }) => `${kind.plural}.${kind.group}`);
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (kinds.length === 0 || twice !== undefined) {
    throw new OperatorError(
      "OPERATOR_INVALID",
      twice === undefined
        ? `the operator "${options.name}" has no controller`
        : `the operator "${options.name}" has two controllers of ${twice}`,
      { remedy: "Give it one controller for each kind, made by defineController." },
    );
  }
  return { ...options, isOperator: true };
}

/** Whether a module's default export is an operator. */
export function isOperator(value: unknown): value is OperatorDefinition {
  return (
    typeof value === "object" && value !== null && (value as { isOperator?: unknown }).isOperator === true
  );
}
