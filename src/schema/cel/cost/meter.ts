// Counts what an expression costs while it is evaluated, and gives up when it becomes too much.
// Only expressions that their schema allows to become expensive are counted.
import type { ASTNode } from "@marcbachmann/cel-js";
import { partsOf } from "../expression-tree.ts";
import { isComprehension } from "./checked-node.ts";
import { stepCostOf } from "./estimate-cost.ts";

/** The most that one evaluation of a rule may cost. */
export const mostOfCall = 1_000_000;

/** An evaluation that costs more. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** Lets an expression count its evaluations; the returned function begins a new one. */
export function meter(expression: ASTNode): () => void {
  let spent = 0;
  const spend = (cost: number): void => {
    spent += cost;
    if (spent > mostOfCall) throw new CostExceeded();
  };
  count(expression, 0, spend);
  return () => {
    spent = 0;
  };
}

type Evaluate = (this: unknown, ...given: unknown[]) => unknown;

/** The evaluator replaces a node's function when it first calls it. */
function count(node: ASTNode, extra: number, spend: (cost: number) => void): void {
  const cost = baseCost(node) + extra;
  let evaluate = (node as unknown as { readonly evaluate: Evaluate }).evaluate;
  const counted: Evaluate = function counted(...given) {
    spend(cost);
    return evaluate.apply(this, given);
  };
  Object.defineProperty(node, "evaluate", {
    get: () => counted,
    set: (next: Evaluate) => {
      evaluate = next;
    },
  });
  const body = isComprehension(node) && node.op === "rcall" ? node.args[2].at(-1) : undefined;
  for (const part of partsOf(node)) {
    count(part, part === body && node.op === "rcall" ? stepCostOf(node.args[0]) : 0, spend);
  }
}

function baseCost(node: ASTNode): number {
  if (node.op === "value" || node.op === "&&" || node.op === "||" || node.op === "?:") return 0;
  if (node.op === "list") return 10;
  return node.op === "map" ? 30 : 1;
}
