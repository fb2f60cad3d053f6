// How large the values of a schema can become in a request, and how small: what the cost of rules is estimated from.
// https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apiserver/pkg/cel/common/schemas.go
import { additionalSchema, type StructuralSchema } from "../../structural-schema.ts";
import { celFieldName } from "../field-names.ts";

/** The largest request in bytes. */
export const largestRequest = 3 * 1024 * 1024;

/** The sizes of a schema's values. */
export interface DeclaredSize {
  /** The fewest bytes that a value takes. */
  readonly smallest: number;
  /** The most elements, entries or bytes that a value has; 0 for numbers and the like. */
  readonly most: number;
  /** By their names in CEL. */
  readonly fields: ReadonlyMap<string, DeclaredSize>;
  /** Of an item or of the value of an entry. */
  readonly element: DeclaredSize | undefined;
  /** Of the key of an entry. */
  readonly key: DeclaredSize | undefined;
}

const noFields: ReadonlyMap<string, DeclaredSize> = new Map();
const scalar = (smallest: number, most = 0): DeclaredSize => ({
  smallest,
  most,
  fields: noFields,
  element: undefined,
  key: undefined,
});
/** A text of which nothing is said: what fits into a request, without its quotes. */
const anyText = scalar(2, largestRequest - 2);
const key = scalar(2);
const known = new WeakMap<StructuralSchema, DeclaredSize | { readonly none: true }>();

/** The sizes of a schema; undefined where rules cannot reach its values. */
export function declaredSize(schema: StructuralSchema): DeclaredSize | undefined {
  const found = known.get(schema) ?? sizeOf(schema) ?? { none: true };
  known.set(schema, found);
  return "none" in found ? undefined : found;
}

function sizeOf(schema: StructuralSchema): DeclaredSize | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    return scalar(1, schema.maxLength === undefined ? largestRequest - 2 : atLeastNone(schema.maxLength) * 4);
  }
  switch (schema.type) {
    case "array":
      return arraySize(schema);
    case "object":
      return objectSize(schema);
    case "string":
      return textSize(schema);
    case "boolean":
      return scalar(4);
    case "number":
    case "integer":
      return scalar(1);
    case undefined:
    default:
      return undefined;
  }
}

function arraySize({ items, maxItems }: StructuralSchema): DeclaredSize | undefined {
  const element = items === undefined ? undefined : declaredSize(items);
  if (element === undefined) return undefined;
  const most =
    maxItems === undefined
      ? Math.floor((largestRequest - 2) / (element.smallest + 1))
      : atLeastNone(maxItems);
  return { smallest: 2, most, fields: noFields, element, key: undefined };
}

function objectSize(schema: StructuralSchema): DeclaredSize | undefined {
  const additional = additionalSchema(schema);
  if (schema.properties === undefined && additional !== undefined) {
    const element = declaredSize(additional);
    if (element === undefined) return undefined;
    const { maxProperties } = schema;
    const most =
      maxProperties === undefined
        ? Math.floor((largestRequest - 2) / (element.smallest + 6))
        : atLeastNone(maxProperties);
    return { smallest: 2, most, fields: noFields, element, key };
  }
  const fields = new Map<string, DeclaredSize>();
  let smallest = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const size = declaredSize(property);
    if (size === undefined) continue;
    const celName = celFieldName(name);
    if (celName !== undefined) fields.set(celName, size);
    if (schema.required?.includes(name) === true && property.default === undefined) {
      smallest += name.length + size.smallest + 4;
    }
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    fields.set("apiVersion", anyText).set("kind", anyText);
    const metadata = new Map([
      ["name", anyText],
      ["generateName", anyText],
    ]);
    fields.set("metadata", { ...scalar(2), fields: metadata });
  }
  return { smallest, most: 0, fields, element: undefined, key: undefined };
}

function textSize({ format, maxLength, enum: choices }: StructuralSchema): DeclaredSize {
  switch (format) {
    case "byte":
      return scalar(2, maxLength === undefined ? largestRequest - 2 : atLeastNone(maxLength));
    case "duration":
      return scalar(3, 32);
    case "date":
      return scalar(12, 12);
    case "date-time":
      return scalar(21, 32);
    case undefined:
    default:
  }
  // A character takes up to four bytes.
  if (maxLength !== undefined) return scalar(2, atLeastNone(maxLength) * 4);
  if (choices === undefined || choices.length === 0) return anyText;
  const lengths = choices.map((choice) => (typeof choice === "string" ? Buffer.byteLength(choice) : 0));
  return scalar(2, Math.max(...lengths));
}

function atLeastNone(limit: number): number {
  return Math.max(0, limit);
}
