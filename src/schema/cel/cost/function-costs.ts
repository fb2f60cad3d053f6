// What a call of a function costs by the sizes of what it is called with, and how large its result may be.
// https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apiserver/pkg/cel/library/cost.go
import { exactly, largest, plus, scaled, times, type Range } from "./range.ts";

/** What is known of a receiver or an argument. */
export interface Operand {
  /** CEL's name of its type; `dyn` where that depends on the values. */
  readonly type: string;
  readonly size: Range;
  /** Of an item or of the value of an entry; only of lists and maps. */
  readonly element: Range;
  /** The number that it is, if it is written out. */
  readonly literal: bigint | undefined;
}

/** What a call costs beside its arguments. */
export interface CallCost {
  readonly cost: Range;
  readonly size?: Range;
}

/** How much of a unit reading a character costs. */
const perCharacter = 0.1;
const perPatternCharacter = 0.25;
/** The largest pattern among those of the named formats. */
const longestFormatPattern = 128;
const address: Range = { min: 4, max: 16 };

const traverse = ({ size }: Operand, factor = 1): Range => scaled(size, factor * perCharacter);

type Cost = (receiver: Operand, args: readonly Operand[]) => CallCost | undefined;

const perText: Cost = (receiver) => ({ cost: traverse(receiver), size: receiver.size });
const readsFirst: Cost = (receiver, [first]) => ({ cost: traverse(first ?? receiver) });
const isListOfText = (type: string): boolean => /^list<(?:string|bytes)>$/.test(type);
const perElement: Cost = (receiver) => {
  if (receiver.type === "string") return { cost: traverse(receiver) };
  const each = isListOfText(receiver.type)
    ? plus(exactly(1), scaled(receiver.element, perCharacter))
    : exactly(1);
  return { cost: times(receiver.size, each) };
};
const prefix: Cost = (_, [first]) => (first === undefined ? undefined : { cost: traverse(first) });
const pattern: Cost = (receiver, [first]) => {
  if (first === undefined) return undefined;
  const read = scaled(plus(receiver.size, exactly(1)), perCharacter);
  return { cost: times(read, scaled(first.size, perPatternCharacter)) };
};
const pairs: Cost = (_, [first, second]) =>
  first === undefined || second === undefined ? undefined : { cost: times(first.size, second.size) };

const costs: Readonly<Record<string, Cost>> = {
  isSorted: perElement,
  sum: perElement,
  max: perElement,
  min: perElement,
  indexOf: perElement,
  lastIndexOf: perElement,
  lowerAscii: perText,
  upperAscii: perText,
  substring: perText,
  trim: perText,
  url: readsFirst,
  isURL: readsFirst,
  quantity: readsFirst,
  isQuantity: readsFirst,
  semver: readsFirst,
  isSemver: readsFirst,
  cidr: readsFirst,
  isCIDR: readsFirst,
  isIP: readsFirst,
  isCanonical: (receiver, [first]) => ({ cost: traverse(first ?? receiver, 2) }),
  startsWith: prefix,
  endsWith: prefix,
  matches: pattern,
  find: (receiver, args) => withSize(pattern(receiver, args), receiver),
  findAll: (receiver, args) => withSize(pattern(receiver, args), receiver),
  contains: (receiver, args) => {
    const [first] = args;
    if (first === undefined) return undefined;
    return args.length > 1 ? pairs(receiver, args) : { cost: times(traverse(receiver), traverse(first)) };
  },
  equivalent: pairs,
  intersects: pairs,
  replace: replacing,
  split: (receiver, [, limit]) => ({
    cost: traverse(receiver, 2),
    size: { min: 0, max: limit?.literal === undefined ? receiver.size.max : unsigned(limit.literal) },
  }),
  join: (receiver, [separator]) => {
    const between = { min: Math.max(0, receiver.size.min - 1), max: Math.max(0, receiver.size.max - 1) };
    const size = plus(
      times(receiver.size, receiver.element),
      separator === undefined ? exactly(0) : times(separator.size, between),
    );
    return { cost: scaled(size, perCharacter), size };
  },
  slice: (receiver, [start, end]) => {
    const [from, to] = [atLeastNone(start) ?? 0, atLeastNone(end) ?? receiver.size.max];
    return allocating(exactly(to < from ? largest : to - from));
  },
  range: (_, [end]) => allocating(exactly(atLeastNone(end) ?? largest)),
  reverse: (receiver) => allocating(receiver.size),
  distinct: ({ size }) => comparingAll(size, false),
  sort: ({ type, size }) => comparingAll(size, isListOfText(type)),
  ip: (receiver, [first]) => ({ cost: first === undefined ? exactly(1) : traverse(first ?? receiver) }),
  containsIP: (_, [first]) => ({ cost: plus(comparedAddresses, parsed(first)) }),
  containsCIDR: (_, [first]) => ({
    cost: plus(comparedAddresses, scaled(address, perCharacter), exactly(1), parsed(first)),
  }),
  validate: (_, [first]) =>
    first === undefined
      ? undefined
      : { cost: scaled(traverse(first), longestFormatPattern * perPatternCharacter) },
  bytes: (receiver, [first]) => {
    const { size, type } = first ?? receiver;
    if (type === "bytes") return undefined;
    return { cost: scaled(size, perCharacter), size: { min: size.min, max: size.max * 4 } };
  },
  format: (receiver) => ({ cost: traverse(receiver) }),
  quote: (receiver, [first]) => {
    const { size } = first ?? receiver;
    return { cost: scaled(size, perCharacter), size: plus(exactly(2), { min: size.min, max: size.max * 2 }) };
  },
  string: (receiver, [first]) => {
    const operand = first ?? receiver;
    if (operand.type !== "bytes") return undefined;
    return {
      cost: traverse(operand),
      size: { min: Math.floor(operand.size.min / 4), max: operand.size.max },
    };
  },
};

/** A list is made, item by item. */
function allocating(size: Range, factor = 1): CallCost {
  return { cost: plus(scaled(size, factor), exactly(11)), size };
}

/** A list is made by comparing each item with each: the estimator takes all these pairs for its items. */
export function comparingAll(size: Range, isText: boolean): CallCost {
  return allocating(times(size, size), isText ? 2 + perCharacter : 2);
}

/** A number as the estimator of `split` reads it: below zero it becomes one of the largest. */
function unsigned(literal: bigint): number {
  return literal < 0n ? largest : Number(literal);
}

/** A number that is written out; one below zero counts as none. */
function atLeastNone(operand: Operand | undefined): number | undefined {
  return operand?.literal === undefined ? undefined : Math.max(0, Number(operand.literal));
}

const comparedAddresses = scaled(plus(address, address), perCharacter);

function parsed(operand: Operand | undefined): Range {
  return operand?.type === "string" || operand?.type === "dyn" ? traverse(operand) : exactly(0);
}

function withSize(cost: CallCost | undefined, { size }: Operand): CallCost | undefined {
  return cost === undefined ? undefined : { ...cost, size: { min: 0, max: size.max } };
}

/** The longest result comes of the longest replacements for the shortest finds, the shortest the other way round. */
function replacing(receiver: Operand, [from, to]: readonly Operand[]): CallCost | undefined {
  if (from === undefined || to === undefined) return undefined;
  const { size } = receiver;
  const most =
    from.size.min === 0
      ? (size.max + 1) * to.size.max + size.max
      : to.size.max <= from.size.min
        ? size.max
        : Math.ceil(size.max / from.size.min) * to.size.max;
  const least =
    from.size.max === 0
      ? (size.min + 1) * to.size.min + size.min
      : from.size.max <= to.size.min
        ? size.min
        : Math.ceil(size.min / from.size.max) * to.size.min;
  return { cost: traverse(receiver, 2), size: { min: least, max: most } };
}

/** What a call costs: a unit, where nothing else is known of the function. */
export function callCost(name: string, receiver: Operand | undefined, args: readonly Operand[]): CallCost {
  const [first] = args;
  const cost = Object.hasOwn(costs, name) ? costs[name] : undefined;
  const subject = receiver ?? first;
  return (subject === undefined ? undefined : cost?.(subject, args)) ?? { cost: exactly(1) };
}
