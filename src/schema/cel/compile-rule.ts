// The rules of a schema node, ready to be evaluated: compiled once per node and remembered as long as the schema lives.
// Read by checkRules (objects against rules) and by checkRuleDeclarations (rules themselves).
import { Optional } from "@marcbachmann/cel-js";
import type { Environment } from "@marcbachmann/cel-js";
import type { ValidationRule } from "../../kinds/builtin/json-of.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { createCelEnvironment } from "./cel-environment.ts";
import { declareType } from "./cel-type.ts";
import type { CelType } from "./cel-type.ts";
import type { CelFault } from "./compile-error.ts";
import { compileExpression } from "./compile-expression.ts";
import { declaredSize, type DeclaredSize } from "./cost/declared-size.ts";
import { estimateCost } from "./cost/estimate-cost.ts";
import { meter, mostOfCall } from "./cost/meter.ts";
import { mentions } from "./expression-tree.ts";

/** An expression, or why it does not compile. */
export type Expression =
  | {
      readonly evaluate: (self: unknown, oldSelf: unknown) => unknown;
      /** The most that it may cost on a value that its schema allows, in the units of cel-go. */
      readonly mostCost: number;
    }
  | {
      readonly error: string;
      /** Where in the expression; absent where it compiles to something of another type. */
      readonly fault?: CelFault;
    };

/** One rule, compiled. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly expression: Expression;
  /** Whether it speaks of the value before the update. */
  readonly usesOldSelf: boolean;
  /** Absent when the rule has none. */
  readonly messageExpression?: Expression;
}

const compiled = new WeakMap<StructuralSchema, readonly CompiledRule[]>();
const dynamic: CelType = { name: "dyn", toCel: (value) => value };

/** The rules of a node, without those below it. */
export function compileRules(schema: StructuralSchema): readonly CompiledRule[] {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  // What is null is as good as absent, and as empty.
  const declared = (schema["x-kubernetes-validations"] ?? []).map((rule: Partial<ValidationRule>) => ({
    ...rule,
    rule: rule.rule ?? "",
  }));
  const rules = declared.length === 0 ? [] : compileAll(schema, declared);
  compiled.set(schema, rules);
  return rules;
}

function compileAll(schema: StructuralSchema, rules: readonly ValidationRule[]): readonly CompiledRule[] {
  const environment = createCelEnvironment();
  const type = declareType(environment, schema, "object") ?? dynamic;
  environment.registerVariable("self", type.name);
  return rules.map((rule) => {
    const scope = environment.clone();
    scope.registerVariable("oldSelf", rule.optionalOldSelf === true ? `optional<${type.name}>` : type.name);
    const size = declaredSize(schema);
    const toSelf = (value: unknown): unknown => type.toCel(value);
    const toOldSelf = (old: unknown): unknown => {
      if (rule.optionalOldSelf !== true) return type.toCel(old);
      return old === undefined ? Optional.none() : Optional.of(type.toCel(old));
    };
    const compile = (text: string, wanted: string, complaint: string): Compilation =>
      compileSource(scope, { text, wanted, complaint, size, toSelf, toOldSelf });
    const { expression, usesOldSelf } = compile(rule.rule, "bool", "cel expression must evaluate to a bool");
    const message = rule.messageExpression;
    return {
      rule,
      expression,
      usesOldSelf,
      ...(message === undefined || message === ""
        ? {}
        : {
            messageExpression: compile(message, "string", "messageExpression must evaluate to a string")
              .expression,
          }),
    };
  });
}

interface Source {
  readonly text: string;
  readonly wanted: string;
  readonly complaint: string;
  /** How large the values of the schema can become. */
  readonly size: DeclaredSize | undefined;
  readonly toSelf: (value: unknown) => unknown;
  readonly toOldSelf: (value: unknown) => unknown;
}

interface Compilation {
  readonly expression: Expression;
  readonly usesOldSelf: boolean;
}

function compileSource(environment: Environment, source: Source): Compilation {
  const { text, wanted, complaint, size, toSelf, toOldSelf } = source;
  const compiled = compileExpression(environment, text);
  if ("error" in compiled) return { expression: compiled, usesOldSelf: /\boldSelf\b/.test(text) };
  const usesOldSelf = mentions(compiled.ast, "oldSelf");
  if (compiled.type !== wanted) return { expression: { error: complaint }, usesOldSelf };
  const mostCost = estimateCost(compiled.ast, { self: size, oldSelf: size }).max;
  const begin = mostCost > mostOfCall ? meter(compiled.ast) : undefined;
  const evaluate = (self: unknown, oldSelf: unknown): unknown => {
    begin?.();
    return compiled.evaluate(
      usesOldSelf ? { self: toSelf(self), oldSelf: toOldSelf(oldSelf) } : { self: toSelf(self) },
    );
  };
  return { expression: { evaluate, mostCost }, usesOldSelf };
}
