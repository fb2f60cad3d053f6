// Whether the `x-kubernetes-*` extensions of a schema node fit its type and each other.
// A part of checkStructural.
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import { propertySchema } from "./structural-schema.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** What is wrong with the extensions of one node. */
export function checkExtensions(schema: StructuralSchema, field: string): StatusCause[] {
  return [...checkObjectExtensions(schema, field), ...checkListType(schema, field)];
}

function checkObjectExtensions(schema: StructuralSchema, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const preserves = schema["x-kubernetes-preserve-unknown-fields"];
  if (preserves === false) {
    const place = `${field}.x-kubernetes-preserve-unknown-fields`;
    causes.push(invalidValue(place, false, "must be true or undefined"));
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    if (schema.properties === undefined && preserves !== true) {
      const detail =
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
      causes.push(requiredValue(`${field}.properties`, detail));
    }
    if (schema.type !== "object") {
      const detail = "must be object if x-kubernetes-embedded-resource is true";
      causes.push(invalidValue(`${field}.type`, schema.type ?? "", detail));
    }
  }
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType !== undefined) {
    if (!["atomic", "granular"].includes(mapType)) {
      causes.push(unsupportedValue(`${field}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
    }
    if (schema.type !== "object") {
      const detail = "must be object if x-kubernetes-map-type is specified";
      causes.push(invalidValue(`${field}.type`, schema.type ?? "", detail));
    }
  }
  return causes;
}

function checkListType(schema: StructuralSchema, field: string): StatusCause[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType !== "map" && keys.length > 0) {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    return [requiredValue(`${field}.x-kubernetes-list-type`, detail)];
  }
  if (listType === undefined) return [];
  if (!["atomic", "set", "map"].includes(listType)) {
    return [unsupportedValue(`${field}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"])];
  }
  if (schema.type !== "array") {
    const detail = "must be array if x-kubernetes-list-type is specified";
    return [invalidValue(`${field}.type`, schema.type ?? "", detail)];
  }
  if (listType === "set") return checkSetItems(schema.items ?? {}, `${field}.items`);
  return listType === "map" ? checkMapKeys(schema.items ?? {}, keys, field) : [];
}

function checkSetItems(items: StructuralSchema, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  if (items.nullable === true) {
    causes.push(forbiddenValue(`${field}.nullable`, "cannot be nullable when x-kubernetes-list-type is set"));
  }
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const mapType = items["x-kubernetes-map-type"];
  if (items.type === "object" && mapType !== "atomic") {
    causes.push(invalidValue(`${field}.x-kubernetes-map-type`, mapType, detail));
  }
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic") {
    causes.push(invalidValue(`${field}.x-kubernetes-list-type`, listType, detail));
  }
  return causes;
}

function checkMapKeys(items: StructuralSchema, keys: readonly string[], field: string): StatusCause[] {
  const place = `${field}.x-kubernetes-list-map-keys`;
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [invalidValue(`${field}.items.type`, items.type ?? "", detail)];
  }
  if (keys.length === 0) return [requiredValue(place, "must not be empty if x-kubernetes-list-type is map")];
  if (keys.some((key) => propertySchema(items, key) === undefined)) {
    return [invalidValue(place, keys, "entries must all be names of item properties")];
  }
  const repeated = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  const nullable = forbiddenValue(
    `${field}.items.nullable`,
    "cannot be nullable when x-kubernetes-list-type is map",
  );
  const causes = [
    ...(items.nullable === true ? [nullable] : []),
    ...keys.flatMap((key) => checkMapKey(items, key, `${field}.items.properties[${key}]`)),
  ];
  if (repeated >= 0) {
    causes.push({
      reason: "FieldValueDuplicate",
      message: `Duplicate value: ${JSON.stringify(keys[repeated])}`,
      field: `${place}[${repeated}]`,
    });
  }
  return causes;
}

function checkMapKey(items: StructuralSchema, key: string, field: string): StatusCause[] {
  const schema = propertySchema(items, key) ?? {};
  if (schema.type === "object" || schema.type === "array") {
    const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    return [invalidValue(`${field}.type`, schema.type, detail)];
  }
  const causes: StatusCause[] = [];
  if (schema.default === undefined && items.required?.includes(key) !== true) {
    const detail =
      "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
    causes.push(requiredValue(`${field}.default`, detail));
  }
  if (schema.nullable === true) {
    const detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
    causes.push(forbiddenValue(`${field}.nullable`, detail));
  }
  return causes;
}
