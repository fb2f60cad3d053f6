// Conversions and comparisons of CEL that the evaluator lacks.
import type { Environment, Optional } from "@marcbachmann/cel-js";
import { celEqual } from "./cel-equality.ts";
import { toJson } from "./cel-json.ts";
import { replaced } from "./string-functions.ts";
import { printTime } from "./text-format.ts";
import { nanosecondsOf, readDuration } from "./time-arithmetic.ts";

/** Adds the texts and numbers of times and durations, the order of bytes, and the equality of optional values. */
export function registerConversions(environment: Environment): void {
  environment.registerFunction("string(google.protobuf.Timestamp): string", printTime);
  environment.registerFunction("string(google.protobuf.Duration): string", (duration: unknown) =>
    String(toJson(duration)),
  );
  environment.registerFunction("int(google.protobuf.Timestamp): int", (time: Date) =>
    BigInt(Math.floor(time.getTime() / 1_000)),
  );
  environment.registerFunction("int(google.protobuf.Duration): int", nanosecondsOf);
  environment.registerFunction(`${replaced("duration")}(string): google.protobuf.Duration`, readDuration);
  environment.registerFunction(`${replaced("duration")}(int): google.protobuf.Duration`, () => {
    throw new Error("type conversion error from 'int' to 'google.protobuf.Duration'");
  });
  for (const [name, type] of [
    ["timestamp", "google.protobuf.Timestamp"],
    [replaced("duration"), "google.protobuf.Duration"],
  ] as const) {
    environment.registerFunction(`${name}(${type}): ${type}`, (given: unknown) => given);
    environment.registerOperator(`${type} == null`, (given: unknown) => given === null);
  }
  const order = (left: Uint8Array, right: Uint8Array): number => Buffer.compare(left, right);
  environment.registerOperator(
    "bytes < bytes",
    (left: Uint8Array, right: Uint8Array) => order(left, right) < 0,
  );
  environment.registerOperator(
    "bytes <= bytes",
    (left: Uint8Array, right: Uint8Array) => order(left, right) <= 0,
  );
  environment.registerOperator(
    "bytes > bytes",
    (left: Uint8Array, right: Uint8Array) => order(left, right) > 0,
  );
  environment.registerOperator(
    "bytes >= bytes",
    (left: Uint8Array, right: Uint8Array) => order(left, right) >= 0,
  );
  environment.registerOperator(
    "optional<A> == optional<A>",
    (left: Optional, right: Optional) =>
      left.hasValue() === right.hasValue() && (!left.hasValue() || celEqual(left.value(), right.value())),
  );
}
