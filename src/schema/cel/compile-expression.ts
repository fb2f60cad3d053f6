// One CEL expression, parsed and checked in the words of kube-apiserver.
// Fed by the rules of schemas and by the expressions of admission.
import { EvaluationError, type ASTNode, type Environment, type ParseResult } from "@marcbachmann/cel-js";
import { messageOf } from "../../ports/operator-error.ts";
import { describeCompileError, faultOf, type CelFault } from "./compile-error.ts";
import { depthOf, findUndeclaredPresence, renameCalls } from "./expression-tree.ts";
import { linearMatches } from "./string-functions.ts";

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
): CompiledExpression | FailedExpression {
  const fail = (error: unknown): FailedExpression => {
    const functions = functionsOf(environment);
    const { at, text: said } = faultOf(error, text, functions);
    return {
      error: `compilation failed: ${describeCompileError(error, text, functions).replaceAll(linearMatches, "matches")}`,
      fault: { at, text: said.replaceAll(linearMatches, "matches") },
    };
  };
  let program: ParseResult;
  try {
    program = environment.parse(text);
  } catch (error) {
    return fail(error);
  }
  if (depthOf(program.ast) > deepest) {
    return fail(
      new Error(`the expression is too deep: more than ${deepest} operations stand one inside the other`),
    );
  }
  renameCalls(program.ast, "matches", linearMatches);
  const { valid, type, error } = program.check();
  if (!valid) return fail(error);
  const missing = findUndeclaredPresence(environment, program.ast, text);
  if (missing !== undefined) return fail(missing);
  return {
    ast: program.ast,
    type: type ?? "dyn",
    evaluate: (variables) => program(variables) as unknown,
  };
}

/** Why an expression could not be evaluated, in the words of cel-go. */
export function evaluationFailure(error: unknown): string {
  const text = error instanceof EvaluationError ? error.summary : messageOf(error);
  return text.replace(/^No such key: /, "no such key: ");
}

/** The names of its functions. */
export function functionsOf(environment: Environment): ReadonlySet<string> {
  return new Set(environment.getDefinitions().functions.map(({ name }) => name));
}
