// A type's schema as field ownership reads it: with apiVersion, kind and metadata; made once per type.
import { emptyObjectOf } from "../patch/empty-object.ts";
import { resourceSchema } from "../patch/resource-schema.ts";
import type { JsonObject } from "../../schema/json-value.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import { metadataSchema, presenceOf } from "./builtin/builtin-schemas.ts";
import { apiVersionOf } from "../../meta/resource-type.ts";
import { fieldsOf, isFields, type ApiMeta, type ApiObject, type Fields } from "./api-object.ts";
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

/** An object of a type of which nothing is known but this metadata, as in bookmarks: with what is written where nobody has set anything. */
export function unsetObject(
  type: ServedType,
  { annotations = {}, ...metadata }: Partial<ApiMeta> = {},
): ApiObject {
  const known = { ...type.behaviour.unsetAnnotations, ...annotations };
  const all = { ...metadata, ...(Object.keys(known).length === 0 ? {} : { annotations: known }) };
  const isWritten = !type.custom || Object.keys(all).length > 0;
  return {
    kind: type.kind,
    apiVersion: apiVersionOf(type),
    ...(isWritten ? { metadata: all as ApiMeta } : {}),
    ...unsetContentOf(type),
  } as ApiObject;
}

/** What an object of a type is written with besides its metadata; nothing for a custom type. */
function unsetContentOf(type: ServedType): Fields {
  const { metadata: _, ...content } = withNulls(type.schema, { ...typedSchemaOf(type).emptyObject });
  // Their replicas are a number before they are read in a version.
  const isCounted = type.scale !== undefined && type.kind !== "ReplicationController";
  if (!type.custom && isCounted) content["spec"] = { replicas: 0, ...fieldsOf(content["spec"]) };
  return content;
}

/** With null for what has to be there, and may be nothing. */
function withNulls({ properties = {}, required = [], ...rest }: StructuralSchema, empty: Fields): Fields {
  const schema = { properties, required, ...rest };
  const filled = Object.entries(empty).map(([name, value]) => [
    name,
    isFields(value) ? withNulls(properties[name] ?? {}, value) : value,
  ]);
  const missing = required.filter((name) => presenceOf(schema, name) === "set");
  // Of what may be anything, something is written.
  const open = Object.keys(properties).filter(
    (name) => properties[name]?.["x-kubernetes-preserve-unknown-fields"] === true,
  );
  const nulls = [...missing, ...open]
    .filter((name) => !Object.hasOwn(empty, name))
    .map((name) => [name, null]);
  return Object.fromEntries([...filled, ...nulls]) as Fields;
}
