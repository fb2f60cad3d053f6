// Random CEL: expressions near to valid ones, with every variable, function and macro that Kubernetes has, and some that are garbled.
import { below, garbled, pick, type RandomNumber } from "./random-json.ts";

const roots = [
  "self",
  "oldSelf",
  "object",
  "oldObject",
  "request",
  "params",
  "namespaceObject",
  "authorizer",
  "variables.v",
  "x",
];
const members = [
  "spec",
  "size",
  "tags",
  "parts",
  "metadata",
  "name",
  "labels",
  "constructor",
  "toString",
  "status",
  "__proto__",
  "a",
];
const literals = [
  "1",
  "-9223372036854775808",
  "9223372036854775808",
  "18446744073709551615u",
  "1.5",
  "1e400",
  "0x1F",
  "'a'",
  '"\\u00e9"',
  "r'\\d'",
  "b'a'",
  "'''x'''",
  "'(a+)+$'",
  "'%s %d'",
  "true",
  "null",
  "[]",
  "{}",
  "[1, 'a', 2.0]",
  "{'a': 1, 'a': 2}",
  "type(1)",
  "int",
];
const operators = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "in"];
const functions = [
  "size",
  "string",
  "int",
  "uint",
  "double",
  "bytes",
  "bool",
  "duration",
  "timestamp",
  "type",
  "dyn",
  "has",
  "quantity",
  "isQuantity",
  "url",
  "isURL",
  "ip",
  "cidr",
  "isIP",
  "semver",
  "isSemver",
  "optional.of",
  "optional.none",
  "optional.ofNonZeroValue",
  "sets.contains",
  "sets.intersects",
  "lists.range",
  "format.named",
  "cel.bind",
  "JSONPatch",
  "Object",
  "nothing",
];
const methods = [
  "size",
  "contains",
  "startsWith",
  "matches",
  "find",
  "findAll",
  "split",
  "replace",
  "substring",
  "lowerAscii",
  "join",
  "format",
  "charAt",
  "indexOf",
  "sum",
  "min",
  "isSorted",
  "sort",
  "distinct",
  "flatten",
  "slice",
  "reverse",
  "first",
  "getHost",
  "add",
  "compareTo",
  "isGreaterThan",
  "asInteger",
  "getFullYear",
  "orValue",
  "hasValue",
  "value",
  "or",
  "group",
  "check",
  "allowed",
  "constructor",
  "toString",
];
const macros = [
  "all",
  "exists",
  "exists_one",
  "map",
  "filter",
  "sortBy",
  "transformList",
  "transformMap",
  "existsOne",
  "optMap",
  "optFlatMap",
];

/** An expression that may be wrong. */
export function randomExpression(random: RandomNumber, depth = 4): string {
  const text = expression(random, depth);
  return random() < 0.05 ? garbled(random, text) : text;
}

function expression(random: RandomNumber, depth: number): string {
  if (depth === 0 || random() < 0.15) return random() < 0.5 ? pick(random, literals) : path(random);
  const next = (): string => expression(random, depth - 1);
  const list = (): string => Array.from({ length: below(random, 3) }, next).join(", ");
  return pick<() => string>(random, [
    () => path(random),
    () => `${next()} ${pick(random, operators)} ${next()}`,
    () => `(${next()} ${pick(random, operators)} ${next()})`,
    () => `${pick(random, functions)}(${list()})`,
    () => `${next()}.${pick(random, methods)}(${list()})`,
    () => `${next()}.${pick(random, macros)}(x, ${next()})`,
    () => `${next()}.${pick(random, macros)}(x, y, ${next()})`,
    () => `has(${path(random)})`,
    () => `${next()} ? ${next()} : ${next()}`,
    () => `!${next()}`,
    () => `-${next()}`,
    () => `[${list()}]`,
    () => `{${next()}: ${next()}}`,
    () => `${next()}[${next()}]`,
    () => `${next()}[?${next()}]`,
    () => `${pick(random, ["Object", "Object.spec", "JSONPatch", "X"])}{${pick(random, members)}: ${next()}}`,
    () => nested(random),
  ])();
}

function path(random: RandomNumber): string {
  let text = pick(random, roots);
  while (random() < 0.6) text += `${pick(random, [".", ".", ".?"])}${pick(random, members)}`;
  return text;
}

/** What is deep, or long. */
function nested(random: RandomNumber): string {
  const times = 1 + below(random, 60);
  return pick<() => string>(random, [
    () => `${"(".repeat(times)}1${")".repeat(times)}`,
    () => `${"[".repeat(times)}${"]".repeat(times)}`,
    () => `self${".spec".repeat(times)}`,
    () => Array.from({ length: times }, () => "self.spec.size").join(" + "),
    () => `${"!".repeat(times)}true`,
    () => `'${"a".repeat(times * 50)}'.matches('(a*)*b')`,
    () => "self.spec.tags.all(a, self.spec.tags.all(b, self.spec.tags.all(c, a + b != c)))",
  ])();
}
