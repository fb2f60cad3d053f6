// Reads an incoming object into the shape of a built-in type, as decoding into the real server's typed structs does:
// unknown fields fall out, nulls and empty optional values too, and a value of the wrong type is an error.
import { WrittenNumber } from "../requests/written-numbers.ts";
import { canonicalQuantity, parseQuantity } from "../../../schema/cel/quantity.ts";
import { isFields } from "../api-object.ts";
import { nameOfBuiltinSchema, presenceOf } from "./builtin-schemas.ts";
import { base64Faults, goTypeName } from "../go-words.ts";
import { noteSentEmpty } from "../sent-empty.ts";
import { propertySchema, type StructuralSchema } from "../../../schema/structural-schema.ts";

/** What came out of reading an object. */
export interface ShapedObject {
  readonly value: unknown;
  /** Paths of fields that the type does not have, like `spec.foo`. */
  readonly unknownFields: readonly string[];
  /** Texts about values of the wrong type. */
  readonly typeErrors: readonly string[];
  /** The same, each with the path of the value. */
  readonly typeFaults: readonly TypeFault[];
}

/** A value of the wrong type. */
export interface TypeFault {
  readonly path: string;
  readonly text: string;
  /** Nothing is read any further: the real server names it before others. Default false. */
  readonly isLast?: boolean;
}

/** Where Go finds a value: in which struct, and by which fields; it tells no indexes and no keys. */
interface GoPlace {
  readonly struct: string;
  readonly fields: string;
}

/** Reads a value into a schema. */
export function shapeObject(schema: StructuralSchema, value: unknown): ShapedObject {
  const unknownFields: string[] = [];
  const typeFaults: TypeFault[] = [];

  const fail = (given: unknown, path: string, place: GoPlace, wanted: string, isLast = false): undefined => {
    const field = `${place.struct}.${place.fields}`;
    const text = `json: cannot unmarshal ${goName(given, wanted)} into Go struct field ${field} of type ${wanted}`;
    typeFaults.push({ path, text, isLast });
    return undefined;
  };

  const shape = (node: StructuralSchema, given: unknown, path: string, place: GoPlace): unknown => {
    if (given === null || given === undefined) return undefined;
    if (node["x-kubernetes-preserve-unknown-fields"] === true) return given;
    if (node["x-kubernetes-int-or-string"] === true) {
      return typeof given === "string" || Number.isInteger(given)
        ? given
        : fail(given, path, place, "intstr.IntOrString", true);
    }
    switch (node.type) {
      case "object":
        if (!isFields(given)) return fail(given, path, place, goType(node));
        return node.properties === undefined
          ? shapeMap(node, given, path, place)
          : shapeStruct(node, given, path, place);
      case "array":
        if (!Array.isArray(given)) return fail(given, path, place, goType(node));
        return given.flatMap((each: unknown, index) => {
          const item = shape(node.items ?? {}, each ?? unsetItem(node.items), `${path}[${index}]`, place);
          return item === undefined ? [] : [item];
        });
      case "string":
        if (node.format === "micro-time" || node.format === "date-time")
          return shapeTime(node, given, path, place);
        if (node.format === "quantity" && typeof given === "number") return canonicalQuantity(String(given));
        if (node.format === "quantity") {
          if (typeof given === "string" && parseQuantity(given) !== undefined)
            return canonicalQuantity(given);
          typeFaults.push({ path, text: badQuantity, isLast: true });
          return given;
        }
        if (typeof given !== "string") return fail(given, path, place, goType(node));
        if (node.format === "byte") typeFaults.push(...base64Faults(given).map((text) => ({ path, text })));
        return given;
      case "integer":
        return isWhole(given, node.format) ? given : fail(given, path, place, goType(node));
      case "number":
        return typeof given === "number" ? given : fail(given, path, place, goType(node));
      case "boolean":
        return typeof given === "boolean" ? given : fail(given, path, place, goType(node));
      case undefined:
      default:
        return given;
    }
  };

  const shapeTime = (node: StructuralSchema, given: unknown, path: string, place: GoPlace): unknown => {
    if (typeof given !== "string") return fail(given, path, place, goType(node));
    const fault = timeFault(given, node.format === "micro-time");
    if (fault !== undefined) typeFaults.push({ path, text: fault, isLast: true });
    // metav1.Time has whole seconds.
    return node.format === "micro-time" ? given : given.replace(/\.\d+/, "");
  };

  const shapeMap = (
    node: StructuralSchema,
    given: Record<string, unknown>,
    path: string,
    place: GoPlace,
  ): unknown => {
    const item = typeof node.additionalProperties === "object" ? node.additionalProperties : {};
    const entries = Object.entries(given).map(
      ([key, each]) => [key, shape(item, each, `${path}.${key}`, place)] as const,
    );
    return Object.fromEntries(entries.map(([key, each]) => [key, each ?? zeroOf(item)]));
  };

  const shapeStruct = (
    node: StructuralSchema,
    given: Record<string, unknown>,
    path: string,
    place: GoPlace,
  ): unknown => {
    const struct = goNameOf(node)?.split(".").at(-1) ?? place.struct;
    const shaped: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(given)) {
      const property = propertySchema(node, name);
      const at = path === "" ? name : `${path}.${name}`;
      if (property === undefined) {
        unknownFields.push(at);
        continue;
      }
      const fields = place.fields === "" ? name : `${place.fields}.${name}`;
      const field = shape(property, each, at, { struct, fields });
      if (field === undefined) continue;
      if (presenceOf(node, name) === undefined && isOmitted(at, property, field)) {
        if (typeof field === "object" || property.format === "byte") noteSentEmpty(shaped, name);
        continue;
      }
      shaped[name] = field;
    }
    for (const [name, zero] of unsetParts(node)) {
      if (!Object.hasOwn(shaped, name)) shaped[name] = zero;
    }
    return shaped;
  };

  const shaped = shape(schema, value, "", { struct: "", fields: "" });
  const ended = typeFaults.filter(({ isLast }) => isLast === true);
  const typeErrors = [...ended, ...typeFaults].map(({ text }) => text);
  return { value: shaped, unknownFields, typeErrors, typeFaults };
}

/** What the real server writes even if nobody has set it: also the times and the required texts of a condition. */
function unsetParts(node: StructuralSchema): readonly (readonly [string, unknown])[] {
  const { properties = {}, required = [] } = node;
  const parts = Object.entries(properties);
  const written = parts
    .map(([name, part]) => ({ name, part, presence: presenceOf(node, name) }))
    .filter(
      ({ part, presence }) => part.properties === undefined && presence !== undefined && presence !== "set",
    )
    // A required list or map that is missing is refused where it counts.
    .filter(({ name, part: { type } }) => !required.includes(name) || (type !== "array" && type !== "object"))
    .map(({ name, part, presence }) => [name, presence === "null" ? null : zeroValueOf(part)] as const);
  if (!Object.hasOwn(properties, "type") || !Object.hasOwn(properties, "status")) return written;
  const times = parts.filter(([, { format }]) => format === "date-time");
  if (times.length === 0) return written;
  const texts = parts.filter(
    ([name, { type, format }]) => type === "string" && format === undefined && required.includes(name),
  );
  const unset = [
    ...times.map(([name]) => [name, null] as const),
    ...texts.map(([name]) => [name, ""] as const),
  ];
  return [...written, ...unset];
}

const badQuantity =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function zeroValueOf({ type, format }: StructuralSchema): unknown {
  if (type === "string") return format === undefined ? "" : format === "quantity" ? "0" : null;
  return type === "integer" || type === "number" ? 0 : type === "boolean" ? false : null;
}

/** What a null in a list is: the empty one of what the list is of. */
function unsetItem(items: StructuralSchema | undefined): unknown {
  if (items?.properties !== undefined) return {};
  return items !== undefined && isScalar(items) && items.format === undefined
    ? zeroValueOf(items)
    : undefined;
}

function isOmitted(at: string, schema: StructuralSchema, value: unknown): boolean {
  if (Array.isArray(value)) {
    // An empty list of owners asks for none.
    return value.length === 0 && at !== "metadata.managedFields";
  }
  if (schema.type === "object" && schema.properties === undefined) {
    return (
      schema["x-kubernetes-preserve-unknown-fields"] !== true && Object.keys(value as object).length === 0
    );
  }
  return (value === "" || value === 0 || value === false) && isScalar(schema);
}

function isScalar(schema: StructuralSchema): boolean {
  return schema.type === "string" || schema.type === "integer" || schema.type === "boolean";
}

function zeroOf(schema: StructuralSchema): unknown {
  if (schema.format === "quantity") return "0";
  // Bytes that are null are others than none, until they are read from the storage.
  const isText = schema.type === "string" && schema.format !== "byte";
  return isText ? "" : schema.type === "array" ? [] : null;
}

/** What Go says about a time that it cannot read, or undefined. */
function timeFault(text: string, isMicro: boolean): string | undefined {
  const layout = isMicro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?<rest>(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))$/.exec(text);
  const rest = match?.groups?.["rest"];
  if (rest !== undefined && !isMicro) return undefined;
  if (rest !== undefined && /^\.\d{6}(?!\d)/.test(rest)) return undefined;
  const [left, wanted] = rest === undefined ? [text, "2006"] : [rest, ".000000"];
  const quote = JSON.stringify;
  return `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(left)} as ${quote(wanted)}`;
}

/** How Go calls a value that it cannot read; a number that is no such whole one it shows. */
function goName(value: unknown, wanted: string): string {
  if (value instanceof WrittenNumber) return `number ${value.text}`;
  const isShown = typeof value === "number" && wanted.startsWith("int") && !wanted.startsWith("intstr");
  return isShown ? `number ${String(value)}` : goTypeName(value);
}

/** How Go calls a type, as far as it is known here: it has names of its own for many texts. */
function goType(node: StructuralSchema): string {
  const { additionalProperties, items, type, format } = node;
  switch (type) {
    case "object": {
      const name = goNameOf(node);
      if (name !== undefined) return name;
      return typeof additionalProperties === "object"
        ? `map[string]${goType(additionalProperties)}`
        : "map[string]interface {}";
    }
    case "array":
      return `[]${items === undefined ? "interface {}" : goType(items)}`;
    case "string":
      return format === "byte" ? "[]uint8" : "string";
    case "integer":
      return format === "int64" ? "int64" : "int32";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case undefined:
    default:
      return "interface {}";
  }
}

/** The package and the name of a struct of the tables, like `v1.PodSpec`. */
function goNameOf(node: StructuralSchema): string | undefined {
  return nameOfBuiltinSchema(node)?.split(".").slice(-2).join(".");
}

/** Whether a value is a whole number that its type holds. */
function isWhole(value: unknown, format: string | undefined): boolean {
  if (!Number.isInteger(value)) return false;
  const number = value as number;
  // The greatest number of 64 bits is read as the one above it.
  return format === "int64" ? Math.abs(number) <= 2 ** 63 : number >= -(2 ** 31) && number < 2 ** 31;
}
