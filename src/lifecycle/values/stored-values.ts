// What the schemas of stored records are made of. Anyone may have written what they read: a refinement says what else the
// reader refuses, and is no part of the CRD, so that no update of a status fails because of it.
import { z } from "zod";
import type { Json } from "../../meta/object.ts";
import { readFields, readInstant, readJson, readText } from "./untrusted.ts";

/** The values that a schema reads; nobody changes them. */
export type Stored<TSchema extends z.ZodType> = Immutable<z.output<TSchema>>;

type Immutable<T> = [Json] extends [T]
  ? T
  : T extends readonly (infer TItem)[]
    ? readonly Immutable<TItem>[]
    : T extends object
      ? { readonly [TName in keyof T]: Immutable<T[TName]> }
      : T;

/** A text of at most 1,024 characters, not empty. */
export const text = z.string().refine((value) => readText(value) !== undefined);

/** Texts. */
export const texts = z.array(text);

/** True or false. */
export const flag = z.boolean();

/** A whole number from 0. */
export const count = z.int().min(0).meta({ format: "int64" });

/** The highest number of a move that a task's key can name. */
const highestEntry = 999_999_999_999_998;

/** The number of a move; a higher one than a key can name was forged, and the keys that would follow could not be read. */
export const entryNumber = count.refine((entry) => entry <= highestEntry);

/** RFC 3339, UTC. */
export const instant = z
  .string()
  .refine((value) => readInstant(value) !== undefined)
  .meta({ format: "date-time" });

/** Any JSON without the marker by which XState revives references to actors. */
export const json = z
  .unknown()
  .transform((value, context): Json => orRefuse(readJson(value), context))
  .meta({ "x-kubernetes-preserve-unknown-fields": true, nullable: true });

/** An object of any JSON. */
export const jsonFields = z
  .unknown()
  .transform((value, context) => {
    const fields = readFields(value) === undefined ? undefined : readJson(value);
    return orRefuse(fields as Readonly<Record<string, Json>> | undefined, context);
  })
  .meta({ type: "object", "x-kubernetes-preserve-unknown-fields": true });

/** An object whose names are not known before. */
export function recordOf<TSchema extends z.ZodType>(schema: TSchema): z.ZodRecord<z.ZodString, TSchema> {
  return z.record(z.string(), schema);
}

function orRefuse<T>(value: T | undefined, context: z.RefinementCtx): T {
  if (value !== undefined) return value;
  context.issues.push({ code: "custom", input: undefined });
  return z.NEVER;
}
