// The expressions in a machine's configuration, each by a name: of guards and delays the expression's own text. What XState reads has
// names alone.
import { durationOf } from "../../ports/duration.ts";
import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import type { Path } from "../file/file-reader.ts";

/** An expression, or a value with expressions, and where in the configuration it is written. */
export interface NamedExpression {
  readonly value: unknown;
  readonly path: Path;
}

/** A configuration with names in place of expressions, and what they stand for. */
export interface NamedExpressions {
  readonly config: unknown;
  readonly guards: Readonly<Record<string, NamedExpression>>;
  readonly delays: Readonly<Record<string, NamedExpression>>;
  readonly inputs: Readonly<Record<string, NamedExpression>>;
  /** Guards and delays that can be no names, and are not written as expressions. */
  readonly bare: readonly BareText[];
  /** Times that are numbers of few milliseconds. */
  readonly short: readonly BareText[];
}

/** A text, what it is not, and where it is written. */
interface BareText {
  readonly what: string;
  readonly text: string;
  readonly path: Path;
}

/** Names the expressions of a configuration. */
export function nameExpressions(config: unknown): NamedExpressions {
  const guards: Record<string, NamedExpression> = {};
  const delays: Record<string, NamedExpression> = {};
  const inputs: Record<string, NamedExpression> = {};
  const bareTexts: BareText[] = [];
  const short: BareText[] = [];
  const visit = (value: unknown, path: Path): unknown => {
    if (isJsonArray(value)) return value.map((each, index) => visit(each, [...path, String(index)]));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        const here = [...path, name];
        if (name === "guard" && isExpression(each)) {
          guards[bare(each)] = { value: each, path: here };
          return [name, bare(each)];
        }
        if (name === "guard" && typeof each === "string" && !/^[\w-]+$/.test(each)) {
          bareTexts.push({ what: "the name of a guard", text: each, path: here });
        }
        if (name === "after" && isJsonObject(each)) return [name, withDelays(each, here)];
        if (name === "input" && path.includes("invoke")) {
          const known = `input ${Object.keys(inputs).length + 1}`;
          inputs[known] = { value: each, path: here };
          return [name, known];
        }
        return [name, visit(each, here)];
      }),
    );
  };
  const withDelays = (after: Readonly<Record<string, unknown>>, path: Path): object =>
    Object.fromEntries(
      Object.entries(after).map(([delay, edges]) => {
        const here = [...path, delay];
        if (isExpression(delay)) delays[bare(delay)] = { value: delay, path: here };
        else if (/^\d{1,3}$/.test(delay)) short.push({ what: "seconds", text: delay, path: here });
        else if (/[.{}()?]/.test(delay) && durationOf(delay) === undefined) {
          bareTexts.push({ what: "a time", text: delay, path: here });
        }
        return [isExpression(delay) ? bare(delay) : delay, visit(edges, here)];
      }),
    );
  return { config: withIds(visit(config, [])), guards, delays, inputs, bare: bareTexts, short };
}

/** A task that is invoked at one place only needs no id: its records go by its name. */
function withIds(config: unknown): unknown {
  const invoked: string[] = [];
  const visit = (value: unknown, change: (invoke: Readonly<Record<string, unknown>>) => unknown): unknown => {
    if (isJsonArray(value)) return value.map((each) => visit(each, change));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        if (name !== "invoke") return [name, visit(each, change)];
        const invokes = isJsonArray(each) ? each : [each];
        return [name, invokes.map((invoke) => (isJsonObject(invoke) ? change(invoke) : invoke))];
      }),
    );
  };
  visit(config, (invoke) => invoked.push(String(invoke["src"])));
  return visit(config, (invoke) => {
    const isOnly = invoked.filter((src) => src === invoke["src"]).length === 1;
    return isOnly ? { id: invoke["src"], ...invoke } : invoke;
  });
}

function isExpression(value: unknown): value is string {
  return typeof value === "string" && value.trimStart().startsWith("${");
}

/** What is between the braces. */
function bare(text: string): string {
  return text.trim().slice(2, -1).trim();
}
