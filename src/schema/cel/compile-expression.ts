// One CEL expression, parsed and checked in the words of kube-apiserver.
// Fed by the rules of schemas and by the expressions of admission.
import { EvaluationError, type ASTNode, type Environment, type ParseResult } from "@marcbachmann/cel-js";
import { messageOf } from "../../ports/operator-error.ts";
import { describeCompileError, faultOf, type CelFault } from "./compile-error.ts";
import { adaptToKubernetes, type DialectOptions } from "./dialect.ts";
import { depthOf, partsOf } from "./expression-tree.ts";
import { failedConversion } from "./literal-faults.ts";
import { hideOptionalElements } from "./optional-macros.ts";
import { withoutReplaced } from "./string-functions.ts";

/** The functions and variables that an expression may use. */
export type CelEnvironment = Environment;

/** An expression that compiles; `type` is what it comes to, as far as that is known. */
export interface CompiledExpression {
  readonly ast: ASTNode;
  readonly type: string;
  /** Its value. Errors: those of the evaluator. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** An expression that does not compile. */
export interface FailedExpression {
  /** What follows `Invalid value: …: ` in a refusal. */
  readonly error: string;
  /** The same without its form, and where in the expression. */
  readonly fault: CelFault;
}

/** Operations one inside the other at most: whatever walks an expression may recurse. */
const deepest = 500;

/** Compiles an expression. */
export function compileExpression(
  environment: Environment,
  text: string,
  options: DialectOptions = {},
): CompiledExpression | FailedExpression {
  const fail = (error: unknown): FailedExpression => {
    const functions = functionsOf(environment);
    const { at, text: said } = faultOf(error, text, functions);
    return {
      error: withoutReplaced(`compilation failed: ${describeCompileError(error, text, functions)}`),
      fault: { at, text: withoutReplaced(said) },
    };
  };
  let program: ParseResult;
  try {
    program = environment.parse(hideOptionalElements(text));
    if (depthOf(program.ast) > deepest) {
      return fail(
        new Error(`the expression is too deep: more than ${deepest} operations stand one inside the other`),
      );
    }
    adaptToKubernetes(program.ast, text, options);
  } catch (error) {
    return fail(error);
  }
  const { valid, type, error } = program.check();
  if (!valid) return fail(error);
  const failure = findFailedConversion(environment, program.ast);
  if (failure !== undefined) return failure;
  return {
    ast: program.ast,
    // A parameter that nothing binds may be anything.
    type: type === undefined || /^[A-Z]$/.test(type) ? "dyn" : type,
    evaluate: (variables) => program(variables) as unknown,
  };
}

function findFailedConversion(environment: Environment, node: ASTNode): FailedExpression | undefined {
  const failure = failedConversion(node, (text) => environment.evaluate(text, {}) as unknown);
  if (failure !== undefined) {
    const text = `program instantiation failed: ${evaluationFailure(failure.error)}`;
    return { error: text, fault: { at: node.range.start, text } };
  }
  for (const part of partsOf(node)) {
    const found = findFailedConversion(environment, part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why an expression could not be evaluated, in the words of cel-go. */
export function evaluationFailure(error: unknown): string {
  if (!(error instanceof EvaluationError)) return messageOf(error);
  const { code, summary } = error;
  const conversion = /^(\w+)\(\) (?:type|conversion) error/.exec(summary);
  if (conversion !== null && !summary.includes("overflow")) {
    return `type conversion error from 'string' to '${conversion[1] ?? ""}'`;
  }
  if (summary.includes("overflow")) {
    return code === "uint_conversion_error" || summary.includes("nsigned")
      ? "unsigned integer overflow"
      : "integer overflow";
  }
  if (code === "index_out_of_bounds") {
    return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ""}`;
  }
  if (code === "invalid_timestamp") {
    return summary.includes("integer")
      ? "timestamp overflow"
      : "type conversion error from 'string' to 'google.protobuf.Timestamp'";
  }
  if (code === "optional_value_missing") return "optional.none() dereference";
  if (code === "modulo_by_zero") return "modulus by zero";
  if (code === "no_such_overload" || code === "no_matching_overload") return "no such overload";
  return `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
}

/** The names of its functions. */
export function functionsOf(environment: Environment): ReadonlySet<string> {
  return new Set(environment.getDefinitions().functions.map(({ name }) => name));
}
