// Kubernetes' CEL functions on lists, and cel-go's on sets.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library
import { celEqual } from "./cel-equality.ts";
import { Optional, ParseError, type Environment } from "@marcbachmann/cel-js";
import { variableName, type Macro, type MacroCall, type MacroContext } from "./macro.ts";
import { replaced } from "./string-functions.ts";
import { sumOf, type CelDuration } from "./time-arithmetic.ts";

type Comparable = string | number | bigint | boolean | Date;

/** The namespace `sets`. */
class Sets {
  contains(list: readonly unknown[], items: readonly unknown[]): boolean {
    return items.every((item) => list.some((each) => celEqual(each, item)));
  }
  equivalent(left: readonly unknown[], right: readonly unknown[]): boolean {
    return this.contains(left, right) && this.contains(right, left);
  }
  intersects(left: readonly unknown[], right: readonly unknown[]): boolean {
    return left.some((each) => right.some((other) => celEqual(each, other)));
  }
}

/** The namespace `lists`. */
class Lists {
  range(end: bigint): readonly bigint[] {
    return Array.from({ length: Number(end) }, (_, index) => BigInt(index));
  }
}

const comparables = [
  "int",
  "double",
  "string",
  "bool",
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
];

/** Adds sum, min, max, isSorted, indexOf, lastIndexOf, sort, sortBy, distinct, reverse, slice, flatten, first, last, `lists.range` and the functions of `sets`. */
export function registerListFunctions(environment: Environment): void {
  environment.registerFunction("list<int>.sum(): int", (list: bigint[]) =>
    list.reduce((sum, each) => {
      if (BigInt.asIntN(64, sum + each) !== sum + each) throw new Error("integer overflow");
      return sum + each;
    }, 0n),
  );
  environment.registerFunction(
    "list<google.protobuf.Duration>.sum(): google.protobuf.Duration",
    (list: CelDuration[]) => sumOf(list),
  );
  environment.registerFunction("list<double>.sum(): double", (list: number[]) =>
    list.reduce((sum, each) => sum + each, 0),
  );
  for (const type of comparables) {
    environment.registerFunction(`list<${type}>.min(): ${type}`, (list: Comparable[]) =>
      extreme("min", list),
    );
    environment.registerFunction(`list<${type}>.max(): ${type}`, (list: Comparable[]) =>
      extreme("max", list),
    );
    environment.registerFunction(`list<${type}>.isSorted(): bool`, isSorted);
    environment.registerFunction(`list<${type}>.sort(): list<${type}>`, sorted);
  }
  environment.registerFunction(`list<A>.${replaced("indexOf")}(A): int`, (list: unknown[], item: unknown) =>
    BigInt(list.findIndex((each) => celEqual(each, item))),
  );
  environment.registerFunction(
    `list<A>.${replaced("lastIndexOf")}(A): int`,
    (list: unknown[], item: unknown) => BigInt(list.findLastIndex((each) => celEqual(each, item))),
  );
  environment.registerFunction("list<A>.distinct(): list<A>", (list: unknown[]) =>
    list.filter((item, index) => list.findIndex((each) => celEqual(each, item)) === index),
  );
  environment.registerFunction("list<A>.reverse(): list<A>", (list: unknown[]) => list.toReversed());
  environment.registerFunction("list<A>.slice(int, int): list<A>", slice);
  environment.registerFunction("list<A>.first(): optional<A>", (list: unknown[]) => Optional.of(list[0]));
  environment.registerFunction("list<A>.last(): optional<A>", (list: unknown[]) => Optional.of(list.at(-1)));
  environment.registerFunction("list<list<A>>.flatten(): list<A>", (list: unknown[]) => list.flat());
  environment.registerFunction("list<dyn>.flatten(int): list<dyn>", (list: unknown[], depth: bigint) => {
    if (depth < 0n) throw new Error("level must be non-negative");
    return list.flat(Number(depth));
  });
  environment.registerFunction("list.sortBy(ast, ast): dyn", sortedBy);
  environment.registerType("kubernetes.Lists", Lists);
  environment.registerConstant("lists", "kubernetes.Lists", new Lists());
  environment.registerFunction("kubernetes.Lists.range(int): list<int>", (lists: Lists, end: bigint) =>
    lists.range(end),
  );
  environment.registerType("kubernetes.Sets", Sets);
  environment.registerConstant("sets", "kubernetes.Sets", new Sets());
  for (const name of ["contains", "equivalent", "intersects"] as const) {
    environment.registerFunction(
      `kubernetes.Sets.${name}(list<A>, list<A>): bool`,
      (sets: Sets, left: unknown[], right: unknown[]) => sets[name](left, right),
    );
  }
}

/** `list.sortBy(item, key)`: in the order of what the expression is for each item. */
function sortedBy({ ast, receiver, args }: MacroCall): Macro {
  const [variable, expression = ast] = args;
  const name = variableName(variable);
  if (name === undefined) {
    const message = "sortBy() variable name must be a simple identifier";
    throw new ParseError({ code: "invalid_macro_argument", message, range: (variable ?? ast).range });
  }
  let inner: MacroContext | undefined;
  return {
    async: false,
    typeCheck(checker, _, context) {
      const source = checker.check(receiver, context);
      inner = context.forkWithVariable(name, source.valueType ?? checker.getType("dyn"));
      checker.check(expression, inner);
      return source;
    },
    evaluate(evaluator, _, context) {
      const list = evaluator.run(receiver, context) as readonly unknown[];
      const scope = inner?.reuse(context);
      const keyed = list.map((item) => ({
        item,
        key:
          scope === undefined
            ? item
            : (evaluator.run(expression, scope.setIterValue(item, evaluator)) as Comparable),
      }));
      return keyed
        .toSorted(({ key: a }, { key: b }) => ((a as Comparable) < (b as Comparable) ? -1 : a === b ? 0 : 1))
        .map(({ item }) => item);
    },
  };
}

function extreme(which: "min" | "max", list: readonly Comparable[]): Comparable {
  const [first] = list;
  if (first === undefined) throw new Error(`${which} called on empty list`);
  return list.reduce((best, each) => ((which === "min" ? each < best : each > best) ? each : best), first);
}

function isSorted(list: readonly Comparable[]): boolean {
  return list.every((each, index) => {
    const before = list[index - 1];
    return before === undefined || before <= each;
  });
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  const [first] = list;
  const isComparable = (value: unknown): value is Comparable =>
    ["string", "number", "bigint", "boolean"].includes(typeof value) || value instanceof Date;
  if (!list.every((each) => isComparable(each) && typeof each === typeof first)) {
    throw new Error("list elements must have the same type");
  }
  return (list as readonly Comparable[]).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function slice(list: readonly unknown[], start: bigint, end: bigint): readonly unknown[] {
  if (start < 0n || end < 0n)
    throw new Error(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new Error(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > BigInt(list.length))
    throw new Error(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}
