// Reads a stored record as its schema says, without what is damaged: of each damaged place, the smallest part around it that
// may be missing is left out, and nothing else.
import type { z } from "zod";

/** Where something is within a value. */
type Path = readonly PropertyKey[];

/** What of a value is whole. */
export interface Whole<T> {
  /** Undefined when nothing is. */
  readonly value: T | undefined;
  /** The places of what was left out. */
  readonly damaged: readonly Path[];
}

/**
 * What of a value is whole: without its optional fields, and the records of its maps, that the schema does not accept. Never
 * throws.
 */
export function readWhole<T>(schema: z.ZodType<T>, stored: unknown): Whole<T> {
  const { data: value, error } = schema.safeParse(stored);
  if (error === undefined) return { value, damaged: [] };
  const places = new Map(
    error.issues.map(({ path }) => {
      const place = partAround(schema, path);
      return [place.join("."), place] as const;
    }),
  );
  const damaged = [...places.values()];
  const rest = damaged.reduce<unknown>(without, stored);
  return { value: schema.safeParse(rest).data, damaged };
}

/** The smallest part around a place that may be missing; the empty path when there is none. */
function partAround(schema: z.core.$ZodType, path: Path): Path {
  let part: Path = [];
  let inner: z.core.$ZodType | undefined = schema;
  for (const [depth, name] of path.entries()) {
    const def: z.core.$ZodTypes["_zod"]["def"] = definitionOf(inner);
    if (def.type === "array") inner = def.element;
    else if (def.type === "record") inner = def.valueType;
    else inner = def.type === "object" ? def.shape[String(name)] : undefined;
    if (inner === undefined) break;
    // Values that are no records, as in a map of hashes, are reported as a whole only.
    const mayBeMissing =
      def.type === "object"
        ? inner._zod.def.type === "optional"
        : def.type === "record" && inner._zod.def.type === "object";
    if (mayBeMissing) part = path.slice(0, depth + 1);
  }
  return part;
}

/** What a schema is made of, without what makes it optional. */
function definitionOf(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "optional" ? definitionOf(def.innerType) : def;
}

/** A copy of a value without what is at a path. */
function without(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined || typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value.map((item, index) => (index === name ? without(item, rest) : item));
  const entries = Object.entries(value);
  return Object.fromEntries(
    rest.length === 0
      ? entries.filter(([each]) => each !== name)
      : entries.map(([each, inner]) => [each, each === name ? without(inner, rest) : inner]),
  );
}
