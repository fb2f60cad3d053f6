// The parts of a CustomResourceDefinition's versions: what they may say of columns, of the scale, of fields to select by, and of
// their own deprecation. Each function is called with the place of the part, which is not always the one where it is written.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooMany,
  type StatusCause,
} from "../../../schema/status-cause.ts";
import {
  additionalSchema,
  propertySchema,
  type StructuralSchema,
} from "../../../schema/structural-schema.ts";
import { fieldsList, fieldsOf, isFields, textOf, type Fields } from "../api-object.ts";

const mostSelectableFields = 8;
const longestWarning = 256;
const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** What is wrong with the warning of a version that is deprecated, or is not. */
export function deprecationFaults(
  { deprecated, deprecationWarning: warning }: Fields,
  at: string,
): StatusCause[] {
  const faults = (): readonly string[] => {
    if (warning === undefined || warning === null) return [];
    if (deprecated !== true) return ["can only be set for deprecated versions"];
    const text = textOf(warning);
    const unprintable = /(?! )[\p{C}\p{Z}]/u.exec(text);
    return [
      ...(Buffer.byteLength(text) > longestWarning ? ["must be <= 256 characters long"] : []),
      ...(text === "" ? ["must not be an empty string"] : []),
      ...(unprintable === null
        ? []
        : [
            `must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength(text.slice(0, unprintable.index))}`,
          ]),
    ];
  };
  return faults().map((fault) => invalidValue(`${at}.deprecationWarning`, warning, fault));
}

/** What is wrong with the paths of a scale. */
export function scaleFaults(subresources: unknown, at: string): StatusCause[] {
  const { scale } = fieldsOf(subresources);
  if (!isFields(scale)) return [];
  const path = (name: string, roots: readonly string[], isOptional = false): StatusCause[] => {
    const field = `${at}.scale.${name}`;
    const given = textOf(scale[name]);
    if (given === "") return isOptional ? [] : [requiredValue(field)];
    if (!given.startsWith("."))
      return [invalidValue(field, given, "must be a simple json path starting with .")];
    if (roots.some((root) => given.startsWith(`${root}.`))) return [];
    const where = roots.length === 1 ? String(roots[0]) : `either ${roots.join(" or ")}`;
    return [invalidValue(field, given, `should be a json path under ${where}`)];
  };
  return [
    ...path("specReplicasPath", [".spec"]),
    ...path("statusReplicasPath", [".status"]),
    ...path("labelSelectorPath", [".spec", ".status"], true),
  ];
}

/** What is wrong with the columns of a table. */
export function columnFaults(columns: unknown, at: string): StatusCause[] {
  return fieldsList(columns).flatMap((column, index) => {
    const field = `${at}[${index}]`;
    const [name, type, format, path] = ["name", "type", "format", "jsonPath"].map((each) =>
      textOf(column[each]),
    );
    const oneOf = (texts: readonly string[]): string => `must be one of ${texts.join(",")}`;
    const causes: StatusCause[] = [];
    if (name === "") causes.push(requiredValue(`${field}.name`));
    if (type === "") causes.push(requiredValue(`${field}.type`, oneOf(columnTypes)));
    else if (!columnTypes.includes(type ?? "")) {
      causes.push(invalidValue(`${field}.type`, type, oneOf(columnTypes)));
    }
    if (format !== "" && !columnFormats.includes(format ?? "")) {
      causes.push(invalidValue(`${field}.format`, format, oneOf(columnFormats)));
    }
    // It is called so where the real server checks it.
    if (path === "") causes.push(requiredValue(`${field}.JSONPath`));
    else if (path?.startsWith(".") !== true) {
      causes.push(invalidValue(`${field}.JSONPath`, path, "must be a simple json path starting with ."));
    }
    return causes;
  });
}

/** Fields to select by must be declared, hold plain values, and not be too many. */
export function selectableFaults(selectable: unknown, schema: StructuralSchema, at: string): StatusCause[] {
  const seen = new Set<string>();
  const causes = fieldsList(selectable).flatMap(({ jsonPath }, index): StatusCause[] => {
    const field = `${at}[${index}].jsonPath`;
    const path = textOf(jsonPath);
    if (path === "") return [requiredValue(field)];
    const found = declaredAt(schema, path);
    if ("fault" in found) return [invalidValue(field, path, `is an invalid path: ${found.fault}`)];
    const own: StatusCause[] = [];
    if (/^\.metadata(?:\.|$)/.test(path)) {
      own.push(invalidValue(field, path, "must not point to fields in metadata"));
    }
    if (!["string", "boolean", "integer"].includes(found.type ?? "")) {
      const detail =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      own.push(invalidValue(field, path, detail));
    }
    if (seen.has(path)) own.push(duplicateValue(field, path));
    seen.add(path);
    return own;
  });
  return seen.size > mostSelectableFields
    ? [...causes, tooMany(at, seen.size, mostSelectableFields)]
    : causes;
}

/** The schema at a path of fields like `.spec.host`; or why there is none. */
function declaredAt(schema: StructuralSchema, path: string): StructuralSchema | { readonly fault: string } {
  const [first = "", ...steps] = path.split(/(?=[.[\]])|(?<=[.[\]])/);
  if (first === "[") return { fault: "array notation is not allowed" };
  if (first !== ".") return { fault: `expected [ or . but got: ${first}` };
  const [name, ...rest] = steps;
  if (name === undefined) return { fault: "unexpected end of JSON path" };
  const child = schema.properties === undefined ? additionalSchema(schema) : propertySchema(schema, name);
  if (child === undefined) return { fault: "does not refer to a valid field" };
  return rest.length === 0 ? child : declaredAt(child, rest.join(""));
}

/** What a schema may say at its root beside a status that is validated alone. */
const besideStatus = new Map(
  (
    "description:Description type:Type format:Format title:Title maximum:Maximum exclusiveMaximum:ExclusiveMaximum " +
    "minimum:Minimum exclusiveMinimum:ExclusiveMinimum maxLength:MaxLength minLength:MinLength pattern:Pattern " +
    "maxItems:MaxItems minItems:MinItems uniqueItems:UniqueItems multipleOf:MultipleOf required:Required items:Items " +
    "properties:Properties externalDocs:ExternalDocs example:Example " +
    "x-kubernetes-preserve-unknown-fields:XPreserveUnknownFields x-kubernetes-validations:XValidations"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** What is wrong at the root of a schema. */
export function rootFaults(schema: StructuralSchema, hasStatus: boolean, at: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const isSaid = (value: unknown): boolean =>
    value !== undefined && value !== null && value !== false && value !== "";
  const others = Object.entries(schema).filter(([name, value]) => !besideStatus.has(name) && isSaid(value));
  if (hasStatus && schema.type !== undefined && schema.type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    causes.push(invalidValue(`${at}.type`, schema.type, detail));
  } else if (hasStatus && others.length > 0) {
    const names = [...besideStatus.values()].join(" ");
    const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`;
    causes.push(invalidValue(at, schema, detail));
  }
  if (schema.nullable === true) {
    causes.push(forbiddenValue(`${at}.nullable`, "nullable cannot be true at the root"));
  }
  return causes;
}
