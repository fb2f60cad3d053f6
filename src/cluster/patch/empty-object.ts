// What an object of one of Kubernetes' own types has before anything is set: its structs.
// On the real server those exist from the start, so the creator of a Pod owns what is in its spec, not the spec.
import type { JsonObject } from "../../schema/json-value.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";

/** Structs that are no pointers in Go, besides the required ones. */
const structs = new Set(
  "metadata spec status template strategy updateStrategy jobTemplate loadBalancer resources source series".split(
    " ",
  ),
);

/** Whether a field holds its struct; the resources of a whole pod are a pointer. */
function isPlainStruct({ properties = {}, required = [] }: StructuralSchema, name: string): boolean {
  if (name === "resources" && Object.hasOwn(properties, "containers")) return false;
  return structs.has(name) || required.includes(name);
}

/**
 * The empty object of a built-in type: `metadata`, `spec`, `status` and the structs within, required fields null, and the
 * rules of roles.
 *
 * **Caveats**: for custom resources an empty object has nothing; use none.
 */
export function emptyObjectOf(schema: StructuralSchema): JsonObject {
  const required = schema.required ?? [];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, unknown][] => {
    const isStruct = field.properties !== undefined && field["x-kubernetes-map-type"] !== "atomic";
    if (isStruct && isPlainStruct(schema, name)) return [[name, emptyObjectOf(field)]];
    return required.includes(name) || name === "rules" ? [[name, null]] : [];
  });
  return Object.fromEntries(fields);
}
