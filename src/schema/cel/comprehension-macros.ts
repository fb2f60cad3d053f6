// The macros of CEL that the evaluator lacks: those with two variables, which stand for key or index and value.
// https://pkg.go.dev/github.com/google/cel-go/ext#TwoVarComprehensions
import { ParseError, type ASTNode, type Environment } from "@marcbachmann/cel-js";
import {
  variableName,
  type Macro,
  type MacroCall,
  type MacroChecker,
  type MacroContext,
  type MacroEvaluator,
  type MacroType,
} from "./macro.ts";

/** What a macro makes of the values of its expressions. */
interface Comprehension {
  /** What it is called with: `v` a variable, `f` a filter, `e` an expression. */
  readonly form: string;
  /** What it comes to, by the type of its expression. */
  readonly type: (
    checker: MacroChecker,
    expression: MacroType,
    source: MacroType,
    node: ASTNode,
  ) => MacroType;
  /** The value; `entries` says of each entry what the expression is for it, and skips what the filter leaves out. */
  readonly evaluate: (entries: Iterable<Visited>, node: ASTNode, evaluator: MacroEvaluator) => unknown;
}

interface Visited {
  readonly key: unknown;
  /** Evaluates the expression. */
  readonly value: () => unknown;
}

const toBool = (checker: MacroChecker, expression: MacroType, _: MacroType, node: ASTNode): MacroType => {
  if (expression.name === "bool" || expression.kind === "dyn") return checker.getType("bool");
  const found = checker.formatType(expression);
  throw checker.createError("unexpected_type", `expected type 'bool' but found '${found}'`, node);
};

const all: Comprehension = { form: "vve", type: toBool, evaluate: (entries) => quantified(entries, false) };
const exists: Comprehension = { form: "vve", type: toBool, evaluate: (entries) => quantified(entries, true) };
const existsOne: Comprehension = {
  form: "vve",
  type: toBool,
  evaluate(entries) {
    let found = 0;
    for (const { value } of entries) if (value() === true) found += 1;
    return found === 1;
  },
};
const transformList: Comprehension = {
  form: "vve",
  type: ({ registry }, expression) => registry.getListType(expression),
  evaluate: (entries) => Array.from(entries, ({ value }) => value()),
};
const transformMap: Comprehension = {
  form: "vve",
  type: ({ registry }, expression, source) =>
    registry.getMapType(keyTypeOf(registry.getType("int"), source), expression),
  evaluate: (entries) => new Map(Array.from(entries, ({ key, value }) => [key, value()])),
};
const transformMapEntry: Comprehension = {
  form: "vve",
  type: (checker, expression, _, node) => {
    if (expression.kind === "map" || expression.kind === "dyn") return expression;
    const found = checker.formatType(expression);
    throw checker.createError("invalid_entry", `expected type 'map(dyn, dyn)' but found '${found}'`, node);
  },
  evaluate(entries, node, evaluator) {
    const made = new Map<unknown, unknown>();
    for (const { value } of entries) {
      const entry = value();
      const pairs = entry instanceof Map ? [...entry] : Object.entries(entry ?? {});
      for (const [key, each] of pairs) {
        if (made.has(key)) {
          throw evaluator.createError(
            "duplicate_key",
            `insert failed: key ${String(key)} already exists`,
            node,
          );
        }
        made.set(key, each);
      }
    }
    return made;
  },
};

const macros: readonly (readonly [string, Comprehension])[] = [
  ["all", all],
  ["exists", exists],
  ["existsOne", existsOne],
  ["exists_one", existsOne],
  ["transformList", transformList],
  ["transformList", { ...transformList, form: "vvfe" }],
  ["transformMap", transformMap],
  ["transformMap", { ...transformMap, form: "vvfe" }],
  ["transformMapEntry", transformMapEntry],
  ["transformMapEntry", { ...transformMapEntry, form: "vvfe" }],
];

/** Adds the macros. */
export function registerComprehensionMacros(environment: Environment): void {
  for (const [name, comprehension] of macros) {
    const parameters = Array.from(comprehension.form, () => "ast").join(", ");
    environment.registerFunction(`list.${name}(${parameters}): dyn`, (call: MacroCall) =>
      macroOf(comprehension, call),
    );
  }
}

function macroOf({ form, type, evaluate }: Comprehension, { ast, receiver, args }: MacroCall): Macro {
  const count = form.lastIndexOf("v") + 1;
  const names = args.slice(0, count).map((each) => {
    const name = variableName(each);
    if (name !== undefined) return name;
    const summary = "argument must be a simple name";
    throw new ParseError({ code: "invalid_macro_argument", message: summary, range: each.range });
  });
  const filter = form.includes("f") ? args[count] : undefined;
  const expression = args.at(-1) ?? ast;
  let scopes: readonly MacroContext[] = [];
  return {
    async: false,
    typeCheck(checker, _, context) {
      const source = checker.check(receiver, context);
      const types = variableTypes(checker, source, receiver);
      let inner = context;
      scopes = names.map((name, index) => {
        inner = inner.forkWithVariable(name, types[index] ?? checker.getType("dyn"));
        return inner;
      });
      if (filter !== undefined) toBool(checker, checker.check(filter, inner), source, filter);
      return type(checker, checker.check(expression, inner), source, expression);
    },
    evaluate(evaluator, _, context) {
      const source = evaluator.run(receiver, context);
      let parent = context;
      const live = scopes.map((scope) => {
        parent = scope.reuse(parent);
        return parent;
      });
      const visited = function* (): Generator<Visited> {
        for (const entry of entriesOf(source)) {
          const enter = (): void =>
            live.forEach((scope, index) => void scope.setIterValue(entry[index], evaluator));
          enter();
          if (filter !== undefined && evaluator.run(filter, parent) !== true) continue;
          const value = (): unknown => {
            enter();
            return evaluator.run(expression, parent);
          };
          yield { key: entry[0], value };
        }
      };
      return evaluate(visited(), ast, evaluator);
    },
  };
}

function variableTypes(checker: MacroChecker, source: MacroType, node: ASTNode): readonly MacroType[] {
  const dyn = checker.getType("dyn");
  if (source.kind === "dyn") return [dyn, dyn];
  if (source.kind === "list") return [checker.getType("int"), source.valueType ?? dyn];
  if (source.kind === "map") return [source.keyType ?? dyn, source.valueType ?? dyn];
  const found = checker.formatType(source);
  const message = `expression of type '${found}' cannot be range of a comprehension (must be list, map, or dynamic)`;
  throw checker.createError("invalid_comprehension_range", message, node);
}

function keyTypeOf(index: MacroType, source: MacroType): MacroType {
  if (source.kind === "list") return index;
  return source.kind === "map" ? (source.keyType ?? source) : source;
}

function* entriesOf(source: unknown): Generator<readonly [unknown, unknown]> {
  if (Array.isArray(source)) {
    for (const [index, item] of (source as readonly unknown[]).entries()) yield [BigInt(index), item];
  } else if (source instanceof Map) yield* source as ReadonlyMap<unknown, unknown>;
  else yield* Object.entries(source ?? {});
}

/** One entry that decides counts whatever others fail with; else the first failure does. */
function quantified(entries: Iterable<Visited>, decisive: boolean): boolean {
  let failure: { readonly error: unknown } | undefined;
  for (const { value } of entries) {
    try {
      if (value() === decisive) return decisive;
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
  return !decisive;
}
