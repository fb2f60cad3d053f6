// What every resource embedded in another one must have: an API version and a kind.
// Called with the other validations of a custom resource.
import { fieldOf, isJsonArray, isJsonObject } from "./json-value.ts";
import { invalidValue, requiredValue } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import { additionalSchema, propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";

const kindPattern = /^[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const kindRule =
  "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric " +
  "characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  " +
  "or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** What is wrong with the `apiVersion` and `kind` of resources embedded in an object. */
export function validateEmbedded(
  schema: StructuralSchema,
  value: unknown,
  path = "",
): readonly StatusCause[] {
  const { items } = schema;
  if (isJsonArray(value)) {
    if (items === undefined) return [];
    return value.flatMap((item, index) => validateEmbedded(items, item, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const own =
    schema["x-kubernetes-embedded-resource"] === true
      ? [
          ...checkApiVersion(fieldOf(value, "apiVersion"), `${path}.apiVersion`),
          ...checkKind(fieldOf(value, "kind"), `${path}.kind`),
        ]
      : [];
  const inside = Object.keys(value).flatMap((name) => {
    const declared = propertySchema(schema, name);
    const child = declared ?? additionalSchema(schema);
    if (child === undefined) return [];
    const step = declared === undefined ? `[${name}]` : path === "" ? name : `.${name}`;
    return validateEmbedded(child, fieldOf(value, name), `${path}${step}`);
  });
  return [...own, ...inside];
}

function checkApiVersion(apiVersion: unknown, field: string): StatusCause[] {
  if (typeof apiVersion !== "string" || apiVersion === "") return [requiredValue(field)];
  if (apiVersion.split("/").length <= 2) return [];
  return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}

function checkKind(kind: unknown, field: string): StatusCause[] {
  if (typeof kind !== "string" || kind === "") return [requiredValue(field)];
  return kindPattern.test(kind) ? [] : [invalidValue(field, kind, kindRule)];
}
