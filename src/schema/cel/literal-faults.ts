// What Kubernetes finds wrong with what is written out: numbers that are too large, times and durations that are none, patterns.
import { parse, type ASTNode } from "@marcbachmann/cel-js";
import { readDuration } from "./time-arithmetic.ts";
import { regularExpression } from "../regular-expression.ts";

const largestInt = 2n ** 63n - 1n;

/** What is wrong with a literal, or with a call whose argument is one; undefined: nothing. */
export function literalFault(node: ASTNode): { readonly message: string; readonly at: ASTNode } | undefined {
  if (node.op === "-_" && node.args.op === "value") return undefined;
  if (node.op === "value" && typeof node.args === "bigint" && node.args > largestInt) {
    const isNegated = /-\s*$/.test(node.input.slice(0, node.range.start)) && node.args === largestInt + 1n;
    return isNegated ? undefined : { message: "invalid int literal", at: node };
  }
  const args = node.op === "call" ? node.args[1] : node.op === "rcall" ? node.args[2] : [];
  const name = node.op === "call" || node.op === "rcall" ? node.args[0] : "";
  const last = args.at(-1);
  const number = node.op === "call" && last !== undefined && args.length === 1 ? integerOf(last) : undefined;
  if (last !== undefined && number !== undefined && (name === "timestamp" || name === "duration")) {
    const isTime = name === "timestamp" && succeeds(() => toTime({ seconds: number }) as unknown);
    return isTime ? undefined : { message: `invalid ${name} argument`, at: last };
  }
  if (last?.op !== "value" || typeof last.args !== "string") return undefined;
  if (!(name in wrong) || (name !== "matches" && node.op === "rcall")) return undefined;
  return wrong[name as keyof typeof wrong](last.args)
    ? { message: `invalid ${name} argument`, at: last }
    : undefined;
}

/** An integer that is written out. */
function integerOf(node: ASTNode): bigint | undefined {
  if (node.op === "-_" && node.args.op === "value") {
    const amount = integerOf(node.args);
    return amount === undefined ? undefined : -amount;
  }
  return node.op === "value" && typeof node.args === "bigint" ? node.args : undefined;
}

const wrong = {
  timestamp: (text: string) => !succeeds(() => toTimestamp({ text }) as unknown),
  duration: (text: string) => !succeeds(() => readDuration(text)),
  matches: (text: string) => !succeeds(() => regularExpression(text)),
};
const toTimestamp = parse("timestamp(text)");
const toTime = parse("timestamp(seconds)");

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

const conversions: ReadonlySet<string> = new Set(["bool", "bytes", "double", "int", "string", "uint"]);

/** Why a conversion of a literal cannot be done, which Kubernetes finds out before it has any value; undefined: it can be done. */
export function failedConversion(
  node: ASTNode,
  evaluate: (text: string) => unknown,
): { readonly error: unknown } | undefined {
  if (node.op !== "call" || !conversions.has(node.args[0]) || node.args[1].length !== 1) return undefined;
  const [given] = node.args[1];
  const isLiteral = given?.op === "value" || (given?.op === "-_" && given.args.op === "value");
  if (!isLiteral) return undefined;
  try {
    const value = evaluate(node.input.slice(node.range.start, node.range.end));
    const isTooLarge = typeof value === "bigint" && (value > largestInt || value < -largestInt - 1n);
    return isTooLarge ? { error: new Error("integer overflow") } : undefined;
  } catch (error) {
    const isNumber = node.args[0] === "uint" && !(given.op === "value" && typeof given.args === "string");
    return { error: isNumber ? new Error("unsigned integer overflow") : error };
  }
}
