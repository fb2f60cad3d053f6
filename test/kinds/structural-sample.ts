// A value with every field that a structural schema declares, to see which of them a server keeps.
import type { StructuralSchema } from "../../src/kinds/builtin/json-of.ts";

/** One value that the schema accepts, as full as it can be. */
export function sampleOf(schema: StructuralSchema): unknown {
  if (schema.default !== undefined && schema.type !== "object") return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema["x-kubernetes-int-or-string"] === true) return 3;
  switch (schema.type) {
    case "object": {
      const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, sampleOf(field)]);
      const rest =
        typeof schema.additionalProperties === "object"
          ? [["some-key", sampleOf(schema.additionalProperties)]]
          : [];
      const unknown =
        schema["x-kubernetes-preserve-unknown-fields"] === true ? [["extra", { deep: [1] }]] : [];
      return Object.fromEntries([...fields, ...rest, ...unknown] as [string, unknown][]);
    }
    case "array":
      return [sampleOf(schema.items ?? {})];
    case "string":
      return sampleText(schema);
    case "integer":
    case "number":
      return Math.max(1, schema.minimum ?? 1);
    case "boolean":
      return true;
    case undefined:
    default:
      return { anything: { at: ["all"] } };
  }
}

function sampleText({ format, pattern, minLength }: StructuralSchema): string {
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  if (pattern !== undefined) {
    const found = ["Word", "word", "1Gi", "a-b", "a1b2c3d4e5f6", "x"].find((text) =>
      new RegExp(pattern).test(text),
    );
    if (found !== undefined) return found;
  }
  return "text".padEnd(minLength ?? 0, "t");
}
