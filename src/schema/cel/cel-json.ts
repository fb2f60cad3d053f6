// What an expression comes to, as JSON: a time as RFC 3339, a duration as `90s`, bytes in base64.
import { Optional } from "@marcbachmann/cel-js";
import { isJsonArray } from "../json-value.ts";
import { fieldOfCelName } from "./field-names.ts";
import { isDuration } from "./time-arithmetic.ts";

/** A value of CEL as JSON; undefined for an optional that is not there. */
export function toJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Optional) return value.hasValue() ? toJson(value.value()) : undefined;
  if (isJsonArray(value)) return value.map(toJson);
  if (value instanceof Date) return value.toISOString();
  if (isDuration(value)) {
    const { seconds, nanos } = value;
    return `${Number(seconds) + nanos / 1e9}s`;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, each]) => [String(key), toJson(each)]));
  }
  const isMessage =
    Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [isMessage ? fieldOfCelName(key) : key, toJson(each)]),
  );
}
