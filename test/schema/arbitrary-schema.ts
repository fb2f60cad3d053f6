// Random structural schemas and JSON for property tests: few names, so that values often meet what a schema declares.
import * as fc from "fast-check";
import type { StructuralSchema } from "../../src/schema/structural-schema.ts";

const names = fc.constantFrom("a", "b", "c", "__proto__", "constructor");

const scalarSchema: fc.Arbitrary<StructuralSchema> = fc.oneof(
  fc.record({ type: fc.constant("string"), default: fc.constantFrom("x", "y") }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("integer"), nullable: fc.boolean() }, { requiredKeys: ["type"] }),
  fc.constant({ "x-kubernetes-preserve-unknown-fields": true as const }),
);

/** A schema with objects, maps and lists up to four levels deep. */
export const structuralSchema: fc.Arbitrary<StructuralSchema> = fc.letrec<{
  object: StructuralSchema;
  any: StructuralSchema;
}>((tie) => ({
  object: fc
    .tuple(fc.dictionary(names, tie("any"), { maxKeys: 3 }), fc.boolean())
    .map(([properties, preserves]) => ({
      type: "object",
      properties,
      ...(preserves ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    })),
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalarSchema,
    tie("object"),
    tie("any").map((additionalProperties) => ({ type: "object", additionalProperties })),
    tie("any").map((items) => ({ type: "array", items })),
  ),
})).object;

/** A JSON object with the same few names. */
export const jsonObject: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{
  object: Record<string, unknown>;
  any: unknown;
}>((tie) => ({
  object: fc.dictionary(names, tie("any"), { maxKeys: 4 }),
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(null, 1, "x", true),
    tie("object"),
    fc.array(tie("any"), { maxLength: 3 }),
  ),
})).object;
