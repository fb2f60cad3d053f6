// A value that may be null. The server compares null with no listed value, so a list of values needs another form.
import type { StructuralSchema } from "./builtin/json-of.ts";
import { refuseSchema } from "./unsupported-schema.ts";

/** The schema, or null. Listed strings become a pattern, which null does not concern. */
export function nullableSchema(schema: StructuralSchema, path: string): StructuralSchema {
  const { enum: values, ...rest } = schema;
  if (values === undefined) return { ...schema, nullable: true };
  if (schema.type !== "string") {
    return refuseSchema(path, {
      what: "the server cannot check listed values that may be null and are not strings",
      remedy: "Make the field optional instead of nullable.",
    });
  }
  return {
    ...rest,
    nullable: true,
    pattern: patternOf(values.filter((value) => value !== null) as string[]),
  };
}

/** A pattern that exactly these texts match. */
export function patternOf(texts: readonly string[]): string {
  return `^(${texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join("|")})$`;
}
