// What can be read off a parsed CEL expression without running it.
// Used while rules are compiled.
import type { ASTNode } from "@marcbachmann/cel-js";

/** Whether an expression uses a variable. */
export function mentions(node: ASTNode, variable: string): boolean {
  if (node.op === "id") return node.args === variable;
  return partsOf(node).some((part) => mentions(part, variable));
}

/** Renames the functions that an expression calls. */
export function renameCalls(node: ASTNode, rename: (name: string) => string): void {
  if (node.op === "call" || node.op === "rcall") node.args[0] = rename(node.args[0]);
  for (const part of partsOf(node)) renameCalls(part, rename);
}

/** How many operations stand one inside the other at most. Without recursion: it is asked of trees that are too deep for it. */
export function depthOf(node: ASTNode): number {
  let level: readonly ASTNode[] = [node];
  let depth = 0;
  for (; level.length > 0; depth += 1) level = level.flatMap(partsOf);
  return depth;
}

/** Names that lead from a variable to a value inside it, as in `facts.pods`, and where in the text each ends. */
export interface NamePath {
  readonly variable: string;
  readonly names: readonly { readonly name: string; readonly end: number }[];
}

/** The longest paths of names in an expression. */
export function namePathsOf(node: ASTNode): readonly NamePath[] {
  const path = namePathOf(node);
  return path === undefined ? partsOf(node).flatMap(namePathsOf) : [path];
}

function namePathOf(node: ASTNode): NamePath | undefined {
  if (node.op === "id") return { variable: node.args, names: [] };
  const name = nameSelectedBy(node);
  const outer = name === undefined ? undefined : partsOf(node)[0];
  const path = outer === undefined ? undefined : namePathOf(outer);
  if (path === undefined || name === undefined) return undefined;
  return { ...path, names: [...path.names, { name, end: node.range.end }] };
}

/** The name by which a node selects a field of its operand. */
function nameSelectedBy(node: ASTNode): string | undefined {
  if (node.op === "." || node.op === ".?") return node.args[1];
  if (node.op !== "[]" && node.op !== "[?]") return undefined;
  const key = node.args[1];
  return key.op === "value" && typeof key.args === "string" ? key.args : undefined;
}

/** The nodes right below a node. */
export function partsOf(node: ASTNode): readonly ASTNode[] {
  const flat: readonly unknown[] = [node.args].flat(4);
  return flat.filter(isNode);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

const binaryOperators = ["!=", "==", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "in"] as const;

/** An operator between two operands that are both evaluated. */
type BinaryNode = Extract<ASTNode, { readonly op: (typeof binaryOperators)[number] }>;

/** Whether a node is an operator whose operands are both evaluated: not `&&`, `||` or the conditional. */
export function isBinary(node: ASTNode): node is BinaryNode {
  return binaryOperators.some((operator) => operator === node.op);
}

/** Where cel-go says that a node is: at its operator, dot or bracket. */
export function placeOf(node: ASTNode): number {
  const { input, range } = node;
  if (isBinary(node)) return input.indexOf(node.op, node.args[0].range.end);
  switch (node.op) {
    case ".":
    case ".?":
      return input.lastIndexOf(".", range.end - node.args[1].length);
    case "rcall":
      return input.indexOf("(", node.args[1].range.end);
    case "call":
      return input.indexOf("(", range.start);
    case "[]":
    case "[?]":
      return input.indexOf("[", node.args[0].range.end);
    case "?:":
      return input.indexOf("?", node.args[0].range.end);
    case "value":
    case "id":
    case "list":
    case "map":
    case "!_":
    case "-_":
      return range.start;
    case "&&":
    case "||":
      return input.indexOf(node.op, node.args[0].range.end);
    default:
      return node satisfies never;
  }
}
