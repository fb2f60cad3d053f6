// A type's schema as field ownership reads it: with apiVersion, kind and metadata; made once per type.
import { emptyObjectOf } from "../patch/empty-object.ts";
import { resourceSchema } from "../patch/resource-schema.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import { metadataSchema, presenceOf } from "./builtin/builtin-schemas.ts";
import type { ServedType } from "./served-type.ts";

/** The schema, and what a new object of a built-in type has before anything is set. */
export interface TypedSchema {
  readonly schema: StructuralSchema;
  readonly emptyObject: JsonObject | undefined;
}

const isAlwaysWritten = (schema: StructuralSchema, field: string): boolean =>
  presenceOf(schema, field) === "always";

const made = new WeakMap<ServedType, TypedSchema>();

/** The complete schema of a type. */
export function typedSchemaOf(type: ServedType): TypedSchema {
  let typed = made.get(type);
  if (typed === undefined) {
    typed = type.custom
      ? { schema: resourceSchema(type.schema, metadataSchema), emptyObject: undefined }
      : { schema: type.schema, emptyObject: emptyObjectOf(type.schema, isAlwaysWritten) };
    made.set(type, typed);
  }
  return typed;
}
