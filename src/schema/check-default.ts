// Whether the defaults of a schema are values that the schema itself accepts.
// A part of checkStructural, after the schema is known to be structural.
import { checkRules } from "./cel-rules.ts";
import { prune } from "./prune.ts";
import { invalidValue } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import { additionalSchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { validateEmbedded } from "./validate-embedded.ts";
import { validateLists } from "./validate-lists.ts";
import { validate } from "./validate.ts";

/** What is wrong with the defaults of a schema, at any depth. */
export function checkDefault(schema: StructuralSchema, field: string, isRoot = true): readonly StatusCause[] {
  const additional = additionalSchema(schema);
  return [
    ...checkOwnDefault(schema, `${field}.default`, isRoot),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      checkDefault(child, `${field}.properties[${name}]`, false),
    ),
    ...(additional === undefined ? [] : checkDefault(additional, `${field}.additionalProperties`, false)),
    ...(schema.items === undefined ? [] : checkDefault(schema.items, `${field}.items`, false)),
  ];
}

function checkOwnDefault(schema: StructuralSchema, field: string, isRoot: boolean): readonly StatusCause[] {
  const value = schema.default;
  // The server reads a null default as none.
  if (value === undefined || value === null) return [];
  if (prune(schema, value).pruned.length > 0) {
    return [invalidValue(field, value, "must not have unknown fields")];
  }
  const resource = isRoot ? { ...schema, "x-kubernetes-embedded-resource": true } : schema;
  const causes = [
    ...validate(schema, value, { field }),
    ...validateEmbedded(resource, value, field),
    ...validateLists(schema, value, field),
  ];
  return causes.length > 0 ? causes : checkRules(schema, value, { field });
}
