// Sums and differences of times and durations, within what Kubernetes can hold: times of the years 1 to 9999, durations of 64 bits of
// nanoseconds. The evaluator's own have no limits, and carry the nanoseconds of durations below zero wrongly.
import { parse, type ASTNode } from "@marcbachmann/cel-js";
import { typeOfNode } from "./cost/checked-node.ts";
import { checkAlso } from "./macro.ts";

/** A duration of the evaluator: both parts have its sign. */
export interface CelDuration {
  readonly seconds: bigint;
  readonly nanos: number;
}

const second = 1_000_000_000n;
const millisecond = 1_000_000n;
const longest = 2n ** 63n - 1n;
const earliest = -62_135_596_800n * second;
const afterLatest = 253_402_300_800n * second;

const parsed = parse("duration(text)");
/** The evaluator's class of durations, which it does not export. */
const durationClass = (parsed({ text: "1s" }) as CelDuration).constructor as new (
  seconds: bigint,
  nanos: number,
) => CelDuration;

/** Whether a value is a duration. */
export function isDuration(value: unknown): value is CelDuration {
  return value instanceof durationClass;
}

/** A text such as `1h30m` as a duration. Errors: it is none, or is longer than Kubernetes can hold. */
export function readDuration(text: string): CelDuration {
  try {
    return durationOf(nanosecondsOf(parsed({ text }) as CelDuration));
  } catch {
    throw new Error("type conversion error from 'string' to 'google.protobuf.Duration'");
  }
}

/** The length of a duration. */
export function nanosecondsOf({ seconds, nanos }: CelDuration): bigint {
  return seconds * second + BigInt(nanos);
}

/** The sum of durations. Errors: it is longer than Kubernetes can hold. */
export function sumOf(durations: readonly CelDuration[]): CelDuration {
  return durations.reduce(
    (sum, each) => durationOf(nanosecondsOf(sum) + nanosecondsOf(each)),
    durationOf(0n),
  );
}

function durationOf(nanoseconds: bigint): CelDuration {
  if (nanoseconds > longest || nanoseconds < -longest - 1n) throw new Error("integer overflow");
  return new durationClass(nanoseconds / second, Number(nanoseconds % second));
}

function timeOf(nanoseconds: bigint): Date {
  if (nanoseconds < earliest || nanoseconds >= afterLatest) throw new Error("timestamp overflow");
  const part = nanoseconds % millisecond;
  return new Date(Number((nanoseconds - (part < 0n ? part + millisecond : part)) / millisecond));
}

const instantOf = (time: Date): bigint => BigInt(time.getTime()) * millisecond;

/** What is computed of times and durations; undefined where a value is neither. */
function computed(operator: "+" | "-", left: unknown, right: unknown): unknown {
  const sign = operator === "-" ? -1n : 1n;
  if (left instanceof Date) {
    if (isDuration(right)) return timeOf(instantOf(left) + sign * nanosecondsOf(right));
    if (right instanceof Date && operator === "-") return durationOf(instantOf(left) - instantOf(right));
    return undefined;
  }
  if (!isDuration(left)) return undefined;
  if (isDuration(right)) return durationOf(nanosecondsOf(left) + sign * nanosecondsOf(right));
  if (!(right instanceof Date) || operator === "-") return undefined;
  return timeOf(instantOf(right) + nanosecondsOf(left));
}

const timely: ReadonlySet<string> = new Set(["dyn", "google.protobuf.Duration", "google.protobuf.Timestamp"]);

/** Lets a sum or a difference be computed here where it is one of times or durations. */
export function computeTimes(node: ASTNode & { readonly op: "+" | "-" }): void {
  checkAlso(node, {
    after(checker) {
      const [leftType, rightType] = node.args.map((each) => typeOfNode(each)?.name ?? "dyn");
      if (!timely.has(leftType ?? "dyn") || !timely.has(rightType ?? "dyn")) return undefined;
      type Handle = (left: unknown, right: unknown, ...rest: readonly unknown[]) => unknown;
      const target = node as unknown as { handle: Handle };
      const { handle } = target;
      target.handle = (left, right, ...rest) =>
        computed(node.op, left, right) ?? handle(left, right, ...rest);
      const isTime = node.op === "+" && rightType === "google.protobuf.Timestamp";
      return isTime && leftType !== "dyn" ? checker.getType(rightType) : undefined;
    },
  });
}
