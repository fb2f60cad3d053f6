// The most that a rule may cost, by cel-go's estimation over the sizes that its schema allows.
// Kubernetes refuses rules by it; any difference decides which definitions are taken.
// https://github.com/google/cel-go/blob/master/checker/cost.go
import type { ASTNode } from "@marcbachmann/cel-js";
import { isBinary } from "../expression-tree.ts";
import { withoutReplaced } from "../string-functions.ts";
import { isComprehension, typeOfNode } from "./checked-node.ts";
import type { DeclaredSize } from "./declared-size.ts";
import { callCost, comparingAll, type Operand } from "./function-costs.ts";
import { exactly, largest, plus, scaled, times, union, unknown, type Range } from "./range.ts";

/** What is known of the value of a node. */
interface Estimate {
  readonly cost: Range;
  readonly size: Range | undefined;
  /** Sizes of its entries, where it is made by the expression. */
  readonly entry: Entry | undefined;
  /** Where in the schema it comes from; undefined for what the expression makes. */
  readonly place: DeclaredSize | undefined;
}

interface Entry {
  readonly key: Range;
  readonly value: Range;
}

type Scope = ReadonlyMap<string, Omit<Estimate, "cost">>;

const listCost = exactly(10);
const mapCost = exactly(30);
const one = exactly(1);
const none = exactly(0);

/** The cost of an expression over variables whose values come from these places of a schema. */
export function estimateCost(
  node: ASTNode,
  variables: Readonly<Record<string, DeclaredSize | undefined>>,
): Range {
  const scope = new Map(
    Object.entries(variables).map(([name, place]) => [name, { size: undefined, entry: undefined, place }]),
  );
  return estimate(node, scope).cost;
}

function estimate(node: ASTNode, scope: Scope): Estimate {
  if (isBinary(node)) return binary(node.op, node.args[0], node.args[1], node, scope);
  switch (node.op) {
    case "value":
      return made(none, sizeOfLiteral(node.args));
    case "id": {
      // What is no variable counts as the value that the rule is about.
      const local = scope.get(node.args) ?? scope.get("self");
      return { cost: one, size: sizeIn(node, local), entry: local?.entry, place: local?.place };
    }
    case ".":
      return select(node, node.args[0], node.args[1], scope);
    case "[]":
      return index(node, node.args[0], node.args[1], scope);
    case ".?": {
      const { cost } = estimate(node.args[0], scope);
      return ofType(node, plus(cost, one));
    }
    case "[?]": {
      const [range, key] = node.args;
      return ofType(node, plus(estimate(range, scope).cost, estimate(key, scope).cost, one));
    }
    case "list":
      return list(node.args, scope);
    case "map":
      return map(node.args, scope);
    case "?:":
      return conditional(node.args, scope);
    case "||":
    case "&&": {
      const [left, right] = node.args.map((each) => estimate(each, scope).cost);
      const cost = { min: left?.min ?? 0, max: plus(left ?? none, right ?? none).max };
      return made(cost, one);
    }
    case "!_":
    case "-_":
      return ofType(node, plus(estimate(node.args, scope).cost, one));
    case "call":
      return call(node, node.args[0], undefined, node.args[1], scope);
    case "rcall":
      return isComprehension(node)
        ? comprehension(node, scope)
        : call(node, node.args[0], node.args[1], node.args[2], scope);
    default:
      return node satisfies never;
  }
}

function made(cost: Range, size: Range | undefined, entry?: Entry): Estimate {
  return { cost, size, entry, place: undefined };
}

/** Of what only the type is known. */
function ofType(node: ASTNode, cost: Range, size = sizeOfType(node)): Estimate {
  return made(cost, size);
}

function sizeOfLiteral(value: unknown): Range {
  if (typeof value === "string") return exactly(Array.from(value).length);
  return exactly(value instanceof Uint8Array ? value.length : 1);
}

function sizeIn(node: ASTNode, local: Omit<Estimate, "cost"> | undefined): Range | undefined {
  return sizeAt(local?.place) ?? sizeOfType(node) ?? local?.size;
}

/** The place of what the schema says nothing of, and of everything in it. */
const nowhere: DeclaredSize = {
  smallest: 0,
  most: 0,
  fields: new Map(),
  element: undefined,
  key: undefined,
};

/**
 * The place of a part of a value. The parts of what the expression makes, such as a conditional, count as if they were the value
 * that the rule is about: the estimator of Kubernetes leaves out the first step of each path, which for others is `self`.
 */
function below(
  from: DeclaredSize | undefined,
  step: (place: DeclaredSize) => DeclaredSize | undefined,
  scope: Scope,
): DeclaredSize | undefined {
  return from === undefined ? scope.get("self")?.place : (step(from) ?? nowhere);
}

function sizeAt(place: DeclaredSize | undefined): Range | undefined {
  return place === undefined || place === nowhere ? undefined : { min: 0, max: place.most };
}

const scalars: ReadonlySet<string> = new Set([
  "bool",
  "double",
  "int",
  "uint",
  "google.protobuf.Duration",
  "google.protobuf.Timestamp",
]);

function sizeOfType(node: ASTNode): Range | undefined {
  const type = typeOfNode(node);
  const name = type?.kind === "optional" ? type.valueType?.name : type?.name;
  return name !== undefined && scalars.has(name) ? one : undefined;
}

function select(node: ASTNode, operand: ASTNode, name: string, scope: Scope): Estimate {
  // The name of a type, as google.protobuf.Duration, is one word.
  if (typeOfNode(node)?.name === "type") return made(one, none);
  const from = estimate(operand, scope);
  const kind = typeOfNode(operand)?.kind;
  const place = below(from.place, ({ fields }) => fields.get(name), scope);
  return {
    cost: kind === "map" || kind === "message" ? plus(from.cost, one) : from.cost,
    size: sizeAt(place) ?? sizeOfType(node),
    entry: undefined,
    place,
  };
}

function index(node: ASTNode, range: ASTNode, key: ASTNode, scope: Scope): Estimate {
  const from = estimate(range, scope);
  const place = below(from.place, ({ element }) => element, scope);
  return {
    cost: plus(from.cost, estimate(key, scope).cost, one),
    size: from.entry?.value ?? sizeAt(place) ?? sizeOfType(node),
    entry: undefined,
    place,
  };
}

function list(items: readonly ASTNode[], scope: Scope): Estimate {
  const estimates = items.map((item) => estimate(item, scope));
  const entry = { key: one, value: hull(estimates) };
  return made(plus(listCost, ...estimates.map(({ cost }) => cost)), exactly(items.length), entry);
}

function map(entries: readonly (readonly [ASTNode, ASTNode])[], scope: Scope): Estimate {
  const keys = entries.map(([key]) => estimate(key, scope));
  const values = entries.map(([, value]) => estimate(value, scope));
  const entry = { key: hull(keys), value: hull(values) };
  const costs = [...keys, ...values].map(({ cost }) => cost);
  return made(plus(mapCost, ...costs), exactly(entries.length), entry);
}

function hull(estimates: readonly Estimate[]): Range {
  if (estimates.length === 0) return none;
  return estimates.map(({ size }) => size ?? unknown).reduce(union);
}

function conditional(args: readonly [ASTNode, ASTNode, ASTNode], scope: Scope): Estimate {
  const [condition, yes, no] = args.map((each) => estimate(each, scope)) as [Estimate, Estimate, Estimate];
  return made(
    plus(condition.cost, union(yes.cost, no.cost)),
    union(yes.size ?? unknown, no.size ?? unknown),
    unionOfEntries(yes.entry, no.entry),
  );
}

function unionOfEntries(left: Entry | undefined, right: Entry | undefined): Entry | undefined {
  if (left === undefined || right === undefined) return undefined;
  return { key: union(left.key, right.key), value: union(left.value, right.value) };
}

const perCharacter = 0.1;
const comparisons: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

function binary(op: string, leftNode: ASTNode, rightNode: ASTNode, node: ASTNode, scope: Scope): Estimate {
  const [left, right] = [estimate(leftNode, scope), estimate(rightNode, scope)];
  const args = plus(left.cost, right.cost);
  const sizes = [left.size ?? unknown, right.size ?? unknown] as const;
  const isText = [leftNode, rightNode].every((each) => mayBeText(typeOfNode(each)?.name ?? "dyn"));
  if (op === "in") {
    const isList = typeOfNode(rightNode)?.kind !== "map";
    return made(plus(args, isList ? sizes[1] : one), one);
  }
  if ([leftNode, rightNode].some((each) => isOpaque(typeOfNode(each)?.name)))
    return made(plus(args, one), one);
  if (op === "==" || op === "!=" || (comparisons.has(op) && isText)) {
    const max = Math.min(sizes[0].max, sizes[1].max);
    return made(plus(args, scaled({ min: max > 0 ? 1 : 0, max }, perCharacter)), one);
  }
  if (op === "+") {
    const size = plus(...sizes);
    if (typeOfNode(leftNode)?.kind === "list") {
      return made(plus(args, one), size, unionOfEntries(left.entry, right.entry));
    }
    if (isText) return made(plus(args, union(scaled(size, perCharacter), one)), size);
  }
  return ofType(node, plus(args, one));
}

/** Addresses, quantities, versions and the like are compared at once. */
function isOpaque(type: string | undefined): boolean {
  return type !== undefined && /^(?:kubernetes|net)\./.test(type);
}

function mayBeText(type: string): boolean {
  return type === "string" || type === "bytes" || type === "dyn";
}

function call(
  node: ASTNode,
  name: string,
  receiver: ASTNode | undefined,
  args: readonly ASTNode[],
  scope: Scope,
): Estimate {
  if (receiver === undefined && name === "has") return made(presence(args[0], scope), one);
  const [first] = args;
  if (receiver === undefined && name === "dyn" && first !== undefined) {
    const from = estimate(first, scope);
    return made(plus(from.cost, one), from.size, from.entry);
  }
  if (receiver !== undefined && (name === "optMap" || name === "optFlatMap")) {
    return optional(node, receiver, args, scope);
  }
  if (receiver !== undefined && name === "sortBy") return sortedBy(receiver, args, scope);
  const isNamespace = receiver?.op === "id" && !scope.has(receiver.args);
  const on = receiver === undefined || isNamespace ? undefined : estimate(receiver, scope);
  const operands = args.map((arg) => ({ arg, from: estimate(arg, scope) }));
  const { cost, size } = callCost(
    withoutReplaced(name),
    on === undefined || receiver === undefined ? undefined : operandOf(receiver, on),
    operands.map(({ arg, from }) => operandOf(arg, from)),
  );
  const costs = [...operands.map(({ from }) => from.cost), ...(on === undefined ? [] : [on.cost])];
  return ofType(node, plus(cost, ...costs), size ?? sizeOfType(node));
}

/** A test of presence costs what reaching the holder of the field does. */
function presence(asked: ASTNode | undefined, scope: Scope): Range {
  if (asked === undefined) return none;
  return estimate(asked.op === "." ? asked.args[0] : asked, scope).cost;
}

function operandOf(node: ASTNode, { size, place }: Estimate): Operand {
  const element = place?.element;
  return {
    type: typeOfNode(node)?.name ?? "dyn",
    size: size ?? unknown,
    element: element === undefined ? unknown : { min: 0, max: element.most },
    literal: literalOf(node),
  };
}

/** A number that is written out. */
function literalOf(node: ASTNode): bigint | undefined {
  if (node.op === "-_") {
    const amount = literalOf(node.args);
    return amount === undefined ? undefined : -amount;
  }
  return node.op === "value" && typeof node.args === "bigint" ? node.args : undefined;
}

/** `x.optMap(v, e)` is `x.hasValue() ? optional.of(e with v as x.value()) : optional.none()`. */
function optional(node: ASTNode, receiver: ASTNode, args: readonly ASTNode[], scope: Scope): Estimate {
  const [variable, body] = args;
  const from = estimate(receiver, scope);
  const inner =
    variable?.op === "id" && body !== undefined
      ? estimate(body, scopeWith(scope, variable.args, { ...from, entry: undefined })).cost
      : none;
  const present = plus(from.cost, one, listCost, inner, one);
  return ofType(node, plus(from.cost, one, union(present, one)));
}

function scopeWith(scope: Scope, name: string, value: Omit<Estimate, "cost">): Scope {
  return new Map([...scope, [name, value]]);
}

/** What each step of a macro costs beside its own expressions, with what its loop asks before each. */
const stepCosts: Readonly<Record<string, number>> = {
  all: 3,
  exists: 4,
  exists_one: 2,
  existsOne: 2,
  map: 12,
  filter: 13,
  transformList: 12,
  transformMap: 3,
  transformMapEntry: 32,
};

/** What each step of a macro costs beside its own expressions. */
export function stepCostOf(name: string): number {
  return stepCosts[name] ?? 1;
}

function comprehension(node: ASTNode & { readonly op: "rcall" }, scope: Scope): Estimate {
  const [name, receiver, args] = node.args;
  const range = estimate(receiver, scope);
  return through(range, { name, args, isMap: typeOfNode(receiver)?.kind === "map" }, scope);
}

/** `list.sortBy(x, key)` sorts `list`, once it has a name of its own, by `list.map(x, key)`. */
function sortedBy(receiver: ASTNode, args: readonly ASTNode[], scope: Scope): Estimate {
  const from = estimate(receiver, scope);
  const keys = through({ ...from, cost: one }, { name: "map", args, isMap: false }, scope);
  const key = args.at(-1);
  const keyType = key === undefined ? undefined : typeOfNode(key)?.name;
  const sorted = comparingAll(keys.size ?? unknown, keyType === "string" || keyType === "bytes");
  return made(plus(from.cost, listCost, one, keys.cost, sorted.cost), sorted.size);
}

interface Loop {
  readonly name: string;
  readonly args: readonly ASTNode[];
  readonly isMap: boolean;
}

/** What a macro does with each item of a range. */
function through(range: Estimate, { name, args, isMap }: Loop, scope: Scope): Estimate {
  const [variables, bodies] = splitArguments(name, args);
  const { place, entry } = range;
  const key = {
    size: entry?.key ?? one,
    entry: undefined,
    place: below(place, (each) => each.key, scope),
  };
  const value = {
    size: entry?.value,
    entry: undefined,
    place: below(place, (each) => each.element, scope),
  };
  let inner = scope;
  variables.forEach((variable, at) => {
    const isKey = variables.length === 2 ? at === 0 : isMap;
    inner = scopeWith(inner, variable, isKey ? key : value);
  });
  const estimates = bodies.map((body) => estimate(body, inner));
  const count = range.size ?? unknown;
  const isFiltered = bodies.length > 1 && name !== "filter";
  const step = plus(exactly(stepCostOf(name) + (isFiltered ? 1 : 0)), ...estimates.map(({ cost }) => cost));
  const loop = times(count, step);
  const makesList = ["map", "filter", "transformList"].includes(name);
  const makesMap = ["transformMap", "transformMapEntry"].includes(name);
  const before = plus(range.cost, makesList ? listCost : makesMap ? mapCost : none);
  const cost = plus(before, loop, name.startsWith("exists") && name !== "exists" ? exactly(2) : one);
  if (!makesList && !makesMap) return made(cost, one);
  const item = name === "filter" ? (sizeAt(value.place) ?? value.size) : estimates.at(-1)?.size;
  return made(
    cost,
    { min: 0, max: Math.min(count.max, largest) },
    { key: one, value: union(none, item ?? unknown) },
  );
}

/** The names of the variables of a macro, and its expressions. */
function splitArguments(
  name: string,
  args: readonly ASTNode[],
): readonly [readonly string[], readonly ASTNode[]] {
  const hasTwo =
    name.startsWith("transform") || (args.length === 3 && name !== "map" && args[1]?.op === "id");
  const count = hasTwo ? 2 : 1;
  const names = args.slice(0, count).map((each) => (each.op === "id" ? each.args : ""));
  return [names, args.slice(count)];
}
