// What the API server says to who writes a CustomResourceDefinition that it takes: formats that it does not know, and does not check.
import { isKnownFormat } from "../../../schema/string-format.ts";
import { everySchema } from "../../../schema/structural-schema.ts";
import type { ApiObject } from "../api-object.ts";
import { readDefinition } from "./crd-definition.ts";

/** What is to be said of a new definition, or of what is new in a changed one. */
export function definitionWarnings(object: ApiObject, previous: ApiObject | undefined): readonly string[] {
  const before = previous === undefined ? new Set<string>() : unknownFormats(previous);
  return [...unknownFormats(object)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(object: ApiObject): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { schema = {} } of readDefinition(object).versions) {
    for (const { type = "", format = "" } of everySchema(schema)) {
      if (format !== "" && !isKnownFormat(type, format)) found.add(format);
    }
  }
  return found;
}
