// The type of what a structural schema describes, as code.
import type { StructuralSchema } from "../kinds/builtin/json-of.ts";

/** The type of a value with this schema; all lines but the first begin with `indent` spaces or more. */
export function typeOfSchema(schema: StructuralSchema, indent: number): string {
  const type = withoutNull(schema, indent);
  return schema.nullable === true ? `${type} | null` : type;
}

function withoutNull(schema: StructuralSchema, indent: number): string {
  if (schema["x-kubernetes-int-or-string"] === true) return "number | string";
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  }
  switch (schema.type) {
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
      return schema.type;
    case "array":
      return schema.items === undefined
        ? "readonly Json[]"
        : `readonly (${typeOfSchema(schema.items, indent)})[]`;
    case "object":
      return typeOfObject(schema, indent);
    case undefined:
    default:
      return "Json";
  }
}

function typeOfObject(schema: StructuralSchema, indent: number): string {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const space = " ".repeat(indent + 2);
  const fields = Object.entries(properties).map(([name, field]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const mark = required.includes(name) ? "" : "?";
    return `${commentOn(field.description, space)}${space}readonly ${key}${mark}: ${typeOfSchema(field, indent + 2)};\n`;
  });
  if (fields.length > 0) return `{\n${fields.join("")}${" ".repeat(indent)}}`;
  const each = typeof additionalProperties === "object" ? typeOfSchema(additionalProperties, indent) : "Json";
  return `{ readonly [key: string]: ${each} }`;
}

/** The first sentence of a description, above its field. */
function commentOn(description: string | undefined, space: string): string {
  const sentence = description?.split(/(?<=\.)\s|\n/)[0]?.trim() ?? "";
  return sentence === "" ? "" : `${space}/** ${sentence.replaceAll("*/", "*\\/")} */\n`;
}
