// What CEL has for optional values and the evaluator lacks: optMap, optFlatMap, ofNonZeroValue, and elements of lists and maps that
// may be left out, as in `[?a.?b]` and `{?"k": a.?b}`.
// https://pkg.go.dev/github.com/google/cel-go/cel#OptionalTypes
import {
  Optional,
  ParseError,
  TypeError as CelTypeError,
  type ASTNode,
  type Environment,
} from "@marcbachmann/cel-js";
import { placeOf } from "./expression-tree.ts";
import { isSpace, tokensOf } from "./cel-tokens.ts";
import {
  standFor,
  variableName,
  type Macro,
  type MacroCall,
  type MacroChecker,
  type MacroContext,
  type MacroType,
} from "./macro.ts";

/** Adds optMap, optFlatMap, ofNonZeroValue, and first and last of lists. */
export function registerOptionalMacros(environment: Environment): void {
  environment.registerFunction("optional.optMap(ast, ast): dyn", (call: MacroCall) => mapped(call, false));
  environment.registerFunction("optional.optFlatMap(ast, ast): dyn", (call: MacroCall) => mapped(call, true));
  environment.registerFunction(
    "OptionalNamespace.ofNonZeroValue(A): optional<A>",
    (_: unknown, value: unknown) => (isZero(value) ? Optional.none() : Optional.of(value)),
  );
}

function mapped({ ast, receiver, args }: MacroCall, isFlat: boolean): Macro {
  const [variable, expression = ast] = args;
  const name = variableName(variable);
  if (name === undefined) {
    const message = `${isFlat ? "optFlatMap" : "optMap"}() variable name must be a simple identifier`;
    throw new ParseError({ code: "invalid_macro_argument", message, range: (variable ?? ast).range });
  }
  let inner: MacroContext | undefined;
  return {
    async: false,
    typeCheck(checker, _, context) {
      const source = checker.check(receiver, context);
      inner = context.forkWithVariable(name, contentOf(checker, source, receiver));
      const made = checker.check(expression, inner);
      if (!isFlat) return checker.registry.getOptionalType(made);
      contentOf(checker, made, expression);
      return made;
    },
    evaluate(evaluator, _, context) {
      const source = evaluator.run(receiver, context) as Optional;
      if (!source.hasValue() || inner === undefined) return Optional.none();
      const made = evaluator.run(expression, inner.reuse(context).setIterValue(source.value(), evaluator));
      return isFlat ? made : Optional.of(made);
    },
  };
}

function contentOf(checker: MacroChecker, type: MacroType, node: ASTNode): MacroType {
  if (type.kind === "dyn") return type;
  if (type.kind === "optional") return type.valueType ?? checker.getType("dyn");
  const found = checker.formatType(type);
  const start = placeOf(node);
  const message = `expected type 'optional_type(${found})' but found '${found}'`;
  throw new CelTypeError({ code: "optional_expected", message, range: { start, end: start } });
}

function isZero(value: unknown): boolean {
  if (value === null || value === "" || value === 0 || value === 0n || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map ? value.size === 0 : false;
}

/**
 * The text in a form that the evaluator parses: a `?` before an element of a list or a map is a minus. Each character stays where
 * it is. {@link restoreOptionalElements} takes the minus away again.
 */
export function hideOptionalElements(text: string): string {
  if (!/[[{,]\s*\?/.test(text)) return text;
  let result = "";
  /** The brackets around; whether elements stand between them. */
  const open: boolean[] = [];
  let before = "";
  for (const token of tokensOf(text)) {
    if (isSpace(token)) {
      result += token;
      continue;
    }
    if (token === "[") open.push(!/[\w)\]}"'`]$/.test(before));
    else if (token === "{") open.push(true);
    else if (token === "(") open.push(false);
    else if (/^[)\]}]$/.test(token)) open.pop();
    const startsElement = ["[", "{", ","].includes(before) && open.at(-1) === true;
    result += token === "?" && startsElement ? "-" : token;
    before = token;
  }
  return result;
}

/** Marks what {@link hideOptionalElements} has hidden; `text` is the text as it was written. */
export function restoreOptionalElements(node: ASTNode, text: string): void {
  if (node.op === "list") {
    const isOptional = node.args.map((_, index) => takeMark(node.args, index, text));
    if (isOptional.includes(true)) standFor(node, optionalList(node.args, isOptional));
  } else if (node.op === "map") {
    const isOptional = node.args.map((entry) => takeMark(entry, 0, text));
    if (isOptional.includes(true)) standFor(node, optionalMap(node.args, isOptional));
  }
}

/** Takes the mark from the first operand of an expression, which is where the parser has put it. */
function takeMark(holder: unknown[], index: number, text: string): boolean {
  const node = holder[index] as ASTNode;
  if (node.op === "-_" && text[node.range.start] === "?") {
    holder[index] = node.args;
    return true;
  }
  const isPrefixed =
    Array.isArray(node.args) && !["list", "map", "call", "rcall", ".", ".?", "[]", "[?]"].includes(node.op);
  return isPrefixed && takeMark(node.args as unknown[], 0, text);
}

function optionalList(items: readonly ASTNode[], isOptional: readonly boolean[]): Macro {
  return {
    async: false,
    typeCheck(checker, _, context) {
      const types = items.map((item, index) => elementType(checker, item, isOptional[index], context));
      return checker.registry.getListType(unified(checker, types));
    },
    evaluate: (evaluator, _, context) =>
      items.flatMap((item, index) => present(evaluator.run(item, context), isOptional[index])),
  };
}

function optionalMap(
  entries: readonly (readonly [ASTNode, ASTNode])[],
  isOptional: readonly boolean[],
): Macro {
  return {
    async: false,
    typeCheck(checker, _, context) {
      const keys = entries.map(([key]) => checker.check(key, context));
      const values = entries.map(([, value], index) =>
        elementType(checker, value, isOptional[index], context),
      );
      return checker.registry.getMapType(unified(checker, keys), unified(checker, values));
    },
    evaluate: (evaluator, _, context) =>
      new Map(
        entries.flatMap(([key, value], index) =>
          present(evaluator.run(value, context), isOptional[index]).map((each): [unknown, unknown] => [
            evaluator.run(key, context),
            each,
          ]),
        ),
      ),
  };
}

function elementType(
  checker: MacroChecker,
  node: ASTNode,
  isOptional: boolean | undefined,
  context: MacroContext,
): MacroType {
  const type = checker.check(node, context);
  return isOptional === true ? contentOf(checker, type, node) : type;
}

function unified(checker: MacroChecker, types: readonly MacroType[]): MacroType {
  const dyn = checker.getType("dyn");
  return types.reduce((left, right) => left.unify(checker.registry, right) ?? dyn);
}

function present(value: unknown, isOptional: boolean | undefined): readonly unknown[] {
  if (isOptional !== true || !(value instanceof Optional)) return [value];
  return value.hasValue() ? [value.value()] : [];
}
