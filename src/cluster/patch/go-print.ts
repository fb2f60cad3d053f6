// Values as Go prints them: some of the API server's texts contain them.

import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";

/** A value as Go's `%v` prints it, such as `map[a:1]`. */
export function goPrint(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (isJsonArray(value)) return `[${value.map(goPrint).join(" ")}]`;
  if (!isJsonObject(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${name}:${goPrint(value[name])}`);
  return `map[${fields.join(" ")}]`;
}

/** A value as Go's `%#v` prints it, such as `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (isJsonArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`);
  return `map[string]interface {}{${fields.join(", ")}}`;
}
