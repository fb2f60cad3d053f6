// Why a rule does not compile, in the API server's format: a message, and where in the rule.
// Turns the evaluator's errors into cel-go's texts where they say the same thing.
import { ParseError, TypeError as CelTypeError } from "@marcbachmann/cel-js";
import { messageOf } from "../../ports/operator-error.ts";
import { withoutReplaced } from "./string-functions.ts";

/** What is needed to tell an unknown function from wrong arguments. */
export interface KnownFunctions {
  has(name: string): boolean;
}

/** What is wrong with an expression, and where in it. */
export interface CelFault {
  readonly text: string;
  /** Position in the expression, from 0. */
  readonly at: number;
}

/** A compile error in cel-go's words. */
export function faultOf(error: unknown, rule: string, functions: KnownFunctions): CelFault {
  const isOurs = error instanceof ParseError || error instanceof CelTypeError;
  const summary = isOurs ? error.summary : messageOf(error);
  const range = isOurs ? error.range : undefined;
  const start = range?.start ?? 0;
  const end = range?.end ?? rule.length;
  const code = isOurs ? error.code : "";
  return translate({ code, summary, rule, start, end, functions });
}

/** The text of a compile error, such as `ERROR: <input>:1:5: undefined field 'zz'` with the rule and a pointer below. */
export function describeCompileError(error: unknown, rule: string, functions: KnownFunctions): string {
  const { text, at } = faultOf(error, rule, functions);
  const before = rule.slice(0, at).split("\n");
  const line = before.length;
  const column = before.at(-1)?.length ?? 0;
  const source = rule.split("\n")[line - 1] ?? "";
  return `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${source}\n | ${".".repeat(column)}^`;
}

interface Fault {
  readonly code: string;
  readonly summary: string;
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  readonly functions: KnownFunctions;
}

function translate(fault: Fault): CelFault {
  const { code, summary, rule, start, end } = fault;
  const name = summary.slice(summary.lastIndexOf(":") + 1).trim();
  if (code === "no_such_key") {
    return { text: `undefined field '${name}'`, at: Math.max(0, rule.lastIndexOf(".", start)) };
  }
  if (code === "undeclared_presence") return { text: `undefined field '${name}'`, at: start };
  if (code === "unknown_variable") {
    return { text: `undeclared reference to '${name}' (in container '')`, at: start };
  }
  const binary = /^no such overload: (.+) (==|!=|<=|>=|<|>|\+|-|\*|\/|%|in) (.+)$/.exec(summary);
  if (binary !== null) {
    const [, left = "", operator = "", right = ""] = binary;
    const symbol = operator === "in" ? "@in" : `_${operator}_`;
    return {
      text: `found no matching overload for '${symbol}' applied to '(${goType(left)}, ${goType(right)})'`,
      at: Math.max(start, rule.slice(0, end).indexOf(` ${operator} `, start) + 1),
    };
  }
  const call = /^found no matching overload for '(?:(.+)\.)?(\w+)\((.*)\)'$/.exec(summary);
  if (call !== null) return translateCall(fault, call);
  const selected = /^Cannot index type '(.+)'$/.exec(summary)?.[1];
  if (selected !== undefined) {
    const text = `type '${goType(selected)}' does not support field selection`;
    return { text, at: Math.max(0, rule.lastIndexOf(".", start)) };
  }
  const negated = /^no such overload: (!|-)(.+)$/.exec(summary);
  if (negated !== null) {
    const [, operator = "", type = ""] = negated;
    return {
      text: `found no matching overload for '${operator}_' applied to '(${goType(type)})'`,
      at: start,
    };
  }
  const branches = /^Ternary branches must have the same type, got '(.+)' and '(.+)'$/.exec(summary);
  if (branches !== null) {
    const [, left = "", right = ""] = branches;
    const text = `found no matching overload for '_?_:_' applied to '(bool, ${goType(left)}, ${goType(right)})'`;
    return { text, at: Math.max(start, rule.indexOf("?", start)) };
  }
  const predicate = /predicate must return bool, got '(.+)'$/.exec(summary);
  if (predicate !== null) {
    return { text: `expected type 'bool' but found '${goType(predicate[1] ?? "")}'`, at: start };
  }
  if (summary.endsWith("invalid predicate iteration variable")) {
    const dot = rule.indexOf(".", start);
    return { text: "argument must be a simple name", at: dot > 0 && dot < end ? dot : start };
  }
  const alternative = /^optional\.(\w+)\(.*\) argument must be compatible type, got '(.+)' and '(.+)'$/.exec(
    summary,
  );
  if (alternative !== null) {
    const [, method = "", left = "", right = ""] = alternative;
    const text = `found no matching overload for '${method}' applied to 'optional_type(${goType(left)}).(${goType(right)})'`;
    return { text, at: Math.max(0, rule.lastIndexOf("(", start)) };
  }
  if (code === "unexpected_token") return { text: `Syntax error: ${summary}`, at: start };
  return { text: ownCodes.has(code) ? goType(summary) : summary, at: start };
}

/** Errors that are said in cel-go's words already, but for the names of types. */
const ownCodes: ReadonlySet<string> = new Set([
  "mixed_literal",
  "unexpected_type",
  "optional_expected",
  "invalid_comprehension_range",
  "no_field_selection",
]);

function translateCall(fault: Fault, call: RegExpExecArray): CelFault {
  const [, receiver, called = "", types = ""] = call;
  const name = withoutReplaced(called);
  const at = Math.max(fault.start, fault.rule.indexOf(`${name}(`, fault.start) + name.length);
  if (!fault.functions.has(name)) return { text: `undeclared reference to '${name}' (in container '')`, at };
  const target = receiver === undefined ? "" : `${goType(receiver)}.`;
  return { text: `found no matching overload for '${name}' applied to '${target}(${goType(types)})'`, at };
}

/** A type as cel-go writes it in faults: type parameters in parentheses, times and durations by short names. */
export function goType(name: string): string {
  return parametersInParentheses(name)
    .replaceAll("google.protobuf.Timestamp", "timestamp")
    .replaceAll("google.protobuf.Duration", "duration");
}

/** The same as the type of a whole expression, by its whole name. */
export function wholeType(name: string): string {
  return name === "null" ? "null_type" : parametersInParentheses(name);
}

function parametersInParentheses(name: string): string {
  return (
    name
      .replaceAll("optional<", "optional_type(")
      // What nothing binds, and what nothing is said of, may be anything.
      .replaceAll(/(?<=[(<]|, )[A-Z](?=[,)>])/g, "dyn")
      .replaceAll(/(?<=[(<]|^|, )list(?=$|[,)>])/g, "list(dyn)")
      .replaceAll(/(?<=[(<]|^|, )map(?=$|[,)>])/g, "map(dyn, dyn)")
      .replaceAll("<", "(")
      .replaceAll(">", ")")
  );
}
