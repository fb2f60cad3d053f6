// A node of a checked expression with what the evaluator knows of it and its types do not say.
import type { ASTNode } from "@marcbachmann/cel-js";

/** The type that the checker has found for a node. */
export interface FoundType {
  /** Such as `list`, `map`, `optional`, `message`, `primitive` or `dyn`. */
  readonly kind: string;
  readonly name: string;
  readonly keyType?: FoundType;
  readonly valueType?: FoundType;
}

/** The type of a node; undefined for nodes that were not looked at, such as the names of variables. */
export function typeOfNode(node: ASTNode): FoundType | undefined {
  return (node as { readonly checkedType?: FoundType }).checkedType;
}

/** Whether a macro of this name goes through a list or a map. */
export function isComprehensionName(name: string): boolean {
  return comprehensions.has(name);
}

/** Whether a call is one of the macros that go through a list or a map. */
export function isComprehension(node: ASTNode): boolean {
  return node.op === "rcall" && (comprehensions.has(node.args[0]) || node.args[0] === "existsOne");
}

const comprehensions: ReadonlySet<string> = new Set([
  "all",
  "exists",
  "exists_one",
  "map",
  "filter",
  "transformList",
  "transformMap",
  "transformMapEntry",
]);
