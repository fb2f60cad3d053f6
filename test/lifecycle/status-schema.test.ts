// What is written is declared: the API server would prune the rest without a word.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/meta/object.ts";
import { lifecycleSpecSchema, lifecycleStatusSchema } from "../../src/kinds/lifecycle-schemas.ts";
import type { StructuralSchema } from "../../src/kinds/builtin/json-of.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

/** The value without the fields that the schema does not declare, as a structural schema prunes it. */
function prune(schema: StructuralSchema, value: Json): Json {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return value;
  if (Array.isArray(value))
    return value.map((item: Json) => prune(schema["items"] as StructuralSchema, item));
  if (typeof value !== "object" || value === null) return value;
  const properties = (schema["properties"] ?? {}) as Record<string, StructuralSchema>;
  const others = schema["additionalProperties"] as StructuralSchema | undefined;
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).flatMap(([name, inner]) => {
      const of = properties[name] ?? others;
      return of === undefined ? [] : [[name, prune(of, inner)]];
    }),
  );
}

/** Every node has a type, or says that it preserves what it does not know. */
function untyped(schema: StructuralSchema, where: string): string[] {
  const children = [
    ...Object.entries((schema["properties"] ?? {}) as Record<string, StructuralSchema>),
    ...(schema["items"] === undefined ? [] : [["[]", schema["items"]] as const]),
    ...(schema["additionalProperties"] === undefined
      ? []
      : [["*", schema["additionalProperties"] as StructuralSchema] as const]),
  ];
  const isTyped = schema["type"] !== undefined || schema["x-kubernetes-preserve-unknown-fields"] === true;
  return [...(isTyped ? [] : [where]), ...children.flatMap(([name, of]) => untyped(of, `${where}.${name}`))];
}

describe("the schema of a lifecycle", () => {
  it("accepts the states that may be desired, and declares the default", () => {
    const { lifecycle } = new Life(databaseLifecycle);
    expect(lifecycleSpecSchema(lifecycle)).toMatchObject({
      type: "object",
      properties: {
        desiredState: { enum: ["Running", "Servicing", "Stopping", "End"], default: "Running" },
        request: { type: "string" },
      },
    });
  });

  it("is structural", () => {
    const { lifecycle } = new Life(databaseLifecycle);
    expect(untyped(lifecycleStatusSchema(), "status")).toEqual([]);
    expect(untyped(lifecycleSpecSchema(lifecycle), "spec")).toEqual([]);
  });

  it("requires no field of a status, so that one which misses some can be written over", () => {
    expect(JSON.stringify(lifecycleStatusSchema())).not.toContain('"required"');
  });

  it("keeps every field of every status that a life goes through", () => {
    const life = new Life(databaseLifecycle, {
      policies: { backUp: { timeout: 7_200_000, attempts: 2 } },
      options: { specEdits: "queue" },
    });
    const happenings: readonly (() => void)[] = [
      () => undefined,
      () => (life.observed = "Running"),
      () => {
        life.ask("Servicing", "nightly");
      },
      () => {
        life.finish({ phase: "Running", progress: 0.5, message: "half" });
      },
      () => {
        life.ask("Servicing", "weekly");
      },
      () => {
        life.edit("other");
      },
      () => {
        life.finish({ phase: "Failed", message: "once more" });
      },
      () => {
        life.send("abort");
      },
      () => (life.deleting = true),
      () => {
        life.finish();
      },
    ];
    for (const happen of happenings) {
      happen();
      for (let round = 0; round < 3; round += 1) {
        life.cycle(round === 0 ? "beforeEffects" : undefined);
        const written = JSON.parse(JSON.stringify(life.status)) as Json;
        expect(prune(lifecycleStatusSchema(), written)).toEqual(written);
      }
    }
    expect(life.state).toBe("Stopping");
  });
});
