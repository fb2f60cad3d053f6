// What can be read off a parsed CEL expression without running it.
// Used while rules are compiled.
import { TypeError as CelTypeError } from "@marcbachmann/cel-js";
import type { ASTNode, Environment } from "@marcbachmann/cel-js";

/** Whether an expression uses a variable. */
export function mentions(node: ASTNode, variable: string): boolean {
  if (node.op === "id") return node.args === variable;
  return partsOf(node).some((part) => mentions(part, variable));
}

/**
 * A `has(…)` about a field that the schema does not declare: the evaluator's type check lets it pass, the server's does not.
 * Inside comprehensions it goes unnoticed, as their variables have no type outside.
 */
export function findUndeclaredPresence(
  environment: Environment,
  node: ASTNode,
  source: string,
): CelTypeError | undefined {
  if (node.op === "call" && node.args[0] === "has") {
    const asked = node.args[1][0];
    if (asked === undefined) return undefined;
    const { error } = environment.check(source.slice(asked.range.start, asked.range.end));
    if (error?.code !== "no_such_key") return undefined;
    const start = source.indexOf("(", node.range.start);
    return new CelTypeError({
      code: "undeclared_presence",
      message: error.summary,
      range: { start, end: start },
    });
  }
  for (const part of partsOf(node)) {
    const found = findUndeclaredPresence(environment, part, source);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Renames a function wherever an expression calls it. */
export function renameCalls(node: ASTNode, name: string, other: string): void {
  const isCall = node.op === "call" || node.op === "rcall";
  if (isCall && node.args[0] === name) node.args[0] = other;
  for (const part of partsOf(node)) renameCalls(part, name, other);
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

function partsOf(node: ASTNode): readonly ASTNode[] {
  const flat: readonly unknown[] = [node.args].flat(4);
  return flat.filter(isNode);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}
