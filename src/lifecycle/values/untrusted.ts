// Reading of values that anyone with access to a status may have written: each reader returns the value in its type, or
// undefined, and never throws. Above it nobody looks into an unknown.
import type { Json } from "../../meta/object.ts";

/** The fields of a plain object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A plain object, not a list. */
export function readFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The entries of a plain object; none when it is something else. */
export function readEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(readFields(value) ?? {});
}

/** An own field, never one that every object inherits. */
export function readField(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** A text of at most 1,024 characters, not empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= 1_024 ? value : undefined;
}

/** A whole number from 0. */
export function readCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A list of texts; undefined when one of them is none. */
export function readTexts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(readText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** An instant in milliseconds, from RFC 3339. */
export function readInstant(value: unknown): number | undefined {
  const instant = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}

/** The text of an instant, as it was written. */
export function readInstantText(value: unknown): string | undefined {
  return readInstant(value) === undefined ? undefined : (value as string);
}

/** The last instant that a date can hold. */
const latestInstant = 8.64e15;

/** RFC 3339 with milliseconds; the inverse of {@link readInstant}. */
export function formatInstant(instant: number): string {
  return new Date(Math.min(Math.max(Math.round(instant), 0), latestInstant)).toISOString();
}

/** A JSON value without the marker by which XState revives references to actors; undefined for anything else. */
export function readJson(value: unknown, depth = 32): Json | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || depth === 0) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => readJson(item, depth - 1));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (Object.hasOwn(value, "xstate$$type") || Object.hasOwn(value, "__proto__")) return undefined;
  const entries: [string, Json][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const json = readJson(inner, depth - 1);
    if (json === undefined) return undefined;
    entries.push([name, json]);
  }
  return Object.fromEntries(entries);
}
