// Where Kubernetes' CEL is stricter or wider than the evaluator's: done to the parsed expression before it is checked.
import { TypeError as CelTypeError, type ASTNode } from "@marcbachmann/cel-js";
import { goType } from "./compile-error.ts";
import { typeOfNode, isComprehensionName, type FoundType } from "./cost/checked-node.ts";
import { partsOf, placeOf, renameCalls } from "./expression-tree.ts";
import { isMessageMaker } from "./message-literals.ts";
import { literalFault } from "./literal-faults.ts";
import { checkAlso, isMacro, type MacroChecker, type MacroType } from "./macro.ts";
import { restoreOptionalElements } from "./optional-macros.ts";
import { askAnyPresence, undeclaredField } from "./presence-macro.ts";
import { replaced } from "./string-functions.ts";
import { formatFault } from "./text-format.ts";
import { computeTimes } from "./time-arithmetic.ts";

/** Where other users of the language differ from Kubernetes. */
export interface DialectOptions {
  /** Whether literals of lists and maps may have values of several types; default false. */
  readonly mixedLiterals?: boolean;
}

/** Prepares a parsed expression; `text` is what was written. Errors: the evaluator's, for what Kubernetes does not have at all. */
export function adaptToKubernetes(node: ASTNode, text: string, options: DialectOptions): void {
  adapt(node, { text, isMixed: options.mixedLiterals === true }, undefined);
  renameCalls(node, replaced);
}

interface Written {
  readonly text: string;
  readonly isMixed: boolean;
}

function adapt(node: ASTNode, written: Written, parent: ASTNode | undefined): void {
  restoreOptionalElements(node, written.text);
  askAnyPresence(node);
  const isFormatted = parent?.op === "rcall" && parent.args[0] === "format";
  const isPlainLiteral = !written.isMixed && !isMacro(node);
  if (node.op === "list" && !isFormatted && isPlainLiteral)
    checkAlso(node, { after: () => refuseMixed(node.args) });
  const isMessage = parent?.op === "call" && isMessageMaker(parent.args[0]);
  if (node.op === "map" && isPlainLiteral && !isMessage) {
    checkAlso(node, {
      after: () => {
        refuseMixed(node.args.map(([key]) => key));
        refuseMixed(node.args.map(([, value]) => value));
      },
    });
  }
  if (node.op === ".?" || node.op === ".")
    checkAlso(node, { after: (checker) => refuseUndeclared(node, checker) });
  if (node.op === "[]") checkAlso(node, { after: () => refuseOtherKey(node) });
  if (node.op === "[?]") checkAlso(node, { after: (checker) => elementOfAny(node, checker) });
  if (node.op === "rcall" && /^or(Value)?$/.test(node.args[0]))
    checkAlso(node, { after: () => fallbackType(node) });
  if (node.op === "&&" || node.op === "||") requireBooleans(node);
  if (node.op === "?:") requireCondition(node);
  if (node.op === "+" || node.op === "-") computeTimes(node);
  if (node.op === "rcall") refuseForeign(node);
  const isReceiver = parent?.op === "rcall" && parent.args[1] === node;
  if (node.op === "id" && namespaces.has(node.args) && !isReceiver) {
    throw fault("unknown_variable", `Unknown variable: ${node.args}`, node);
  }
  const wrong = literalFault(node);
  if (wrong !== undefined) throw fault("wrong_literal", wrong.message, wrong.at);
  for (const part of partsOf(node)) adapt(part, written, node);
}

/** What only stands before functions. */
const namespaces: ReadonlySet<string> = new Set(["optional", "lists", "sets", "strings", "format", "cel"]);

function fault(code: string, message: string, node: ASTNode): CelTypeError {
  const start = placeOf(node);
  return new CelTypeError({ code, message, range: { start, end: Math.max(start, node.range.end) } });
}

/** Literals of lists and maps have values of one type. */
function refuseMixed(nodes: readonly ASTNode[]): void {
  let expected: FoundType | undefined;
  for (const node of nodes) {
    const found = typeOfNode(node);
    if (found === undefined || isUndecided(found)) continue;
    if (expected !== undefined && found.name !== expected.name) {
      throw fault("mixed_literal", `expected type '${expected.name}' but found '${found.name}'`, node);
    }
    expected ??= found;
  }
}

/** Whether a type is that of an empty list or map, which fits others. */
function isUndecided({ kind, valueType }: FoundType): boolean {
  return kind === "param" || (valueType !== undefined && isUndecided(valueType));
}

/** A map is read by keys of its own type. */
function refuseOtherKey(node: ASTNode & { readonly op: "[]" }): void {
  const [map, key] = [typeOfNode(node.args[0]), typeOfNode(node.args[1])];
  const { keyType } = map ?? {};
  if (map?.kind !== "map" || keyType === undefined || key === undefined) return;
  if (keyType.kind !== "primitive" || key.kind !== "primitive" || keyType.name === key.name) return;
  const types = `${goType(map.name)}, ${goType(key.name)}`;
  throw fault("wrong_key", `found no matching overload for '_[_]' applied to '(${types})'`, node);
}

/** `x[?y]` may be anything, not only optional, where nothing is known of what it is an element of. */
function elementOfAny(node: ASTNode & { readonly op: "[?]" }, checker: MacroChecker): MacroType | undefined {
  const found = typeOfNode(node.args[0]);
  const type = found?.kind === "optional" ? found.valueType : found;
  return type?.kind === "dyn" ? checker.getType("dyn") : undefined;
}

/** `x.orValue(y)`, as `x.or(y)`, has the type of `y` where nothing is known of `x`, be it optional or not. */
function fallbackType(node: ASTNode & { readonly op: "rcall" }): MacroType | undefined {
  const [, receiver, [fallback]] = node.args;
  if (fallback === undefined || typeOfNode(receiver)?.kind !== "dyn") return undefined;
  return typeOfNode(fallback) as MacroType | undefined;
}

function requireBooleans(node: ASTNode & { readonly op: "&&" | "||" }): void {
  checkAlso(node, {
    before(checker, context) {
      for (const operand of node.args) requireBoolean(operand, checker.check(operand, context));
    },
  });
}

function requireBoolean(node: ASTNode, { name, kind }: FoundType): void {
  if (name === "bool" || kind === "dyn") return;
  throw fault("unexpected_type", `expected type 'bool' but found '${name}'`, node);
}

function requireCondition(node: ASTNode & { readonly op: "?:" }): void {
  checkAlso(node, {
    before(checker, context) {
      const [condition, yes, no] = node.args.map((each) => checker.check(each, context));
      if (condition === undefined || condition.name === "bool" || condition.kind === "dyn") return;
      const types = [condition, yes, no].map((type) => (type === undefined ? "" : checker.formatType(type)));
      throw fault(
        "no_matching_overload",
        `found no matching overload for '_?_:_' applied to '(${types.join(", ")})'`,
        node,
      );
    },
  });
}

/** Functions that the evaluator has beside those of Kubernetes, by the type that they are called on. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  bytes: ["json", "hex", "string", "base64", "at"],
};

function refuseForeign(node: ASTNode & { readonly op: "rcall" }): void {
  const [name, receiver, args] = node.args;
  if (name === "bind" && receiver.op === "id" && receiver.args === "cel") {
    throw fault("unknown_variable", "Unknown variable: cel", receiver);
  }
  if (isComprehensionName(name) && !isMacro(node)) {
    throw fault("unknown_function", `undeclared reference to '${name}' (in container '')`, node);
  }
  if (name === "optMap" || name === "optFlatMap") return;
  checkAlso(node, {
    after() {
      const type = typeOfNode(receiver)?.name ?? "";
      if (foreign[type]?.includes(name) === true) {
        throw fault("unknown_function", `undeclared reference to '${name}' (in container '')`, node);
      }
      const [items] = args;
      if (name !== "format" || receiver.op !== "value" || items?.op !== "list") return;
      const wrong = formatFault(String(receiver.args), items.args);
      if (wrong !== undefined) throw fault("wrong_format", wrong.message, wrong.at ?? node);
    },
  });
}

/** Optional selections lead to declared fields too. */
function refuseUndeclared(node: ASTNode & { readonly op: "." | ".?" }, { objectTypes }: MacroChecker): void {
  const [operand, field] = node.args;
  const found = typeOfNode(operand);
  const type = found?.kind === "optional" ? found.valueType : found;
  if (type?.kind !== "message") return;
  const fields = objectTypes.get(type.name)?.fields;
  if (fields === undefined || field in fields) return;
  throw undeclaredField(field, placeOf(node));
}
