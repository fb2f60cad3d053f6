// The structural schemas of `spec.lifecycle` and `status.lifecycle`, for the CRD. Every field that is stored is declared: what
// is not would be pruned by the API server without a word.
import type { Lifecycle } from "../lifecycle/graph/compile-lifecycle.ts";
import { declaredStatus } from "../lifecycle/stored/former-words.ts";
import type { StructuralSchema } from "./builtin/json-of.ts";
import { structuralSchemaOf } from "./structural-schema.ts";

/** `spec.lifecycle`: the states that may be desired, and the default. */
export function lifecycleSpecSchema(lifecycle: Lifecycle): StructuralSchema {
  const maintained = lifecycle.desirable.filter((state) => !lifecycle.roles.transient.has(state));
  const once = lifecycle.desirable.filter((state) => lifecycle.roles.transient.has(state));
  const maintainedText = maintained.length === 0 ? "" : ` Maintained: ${maintained.join(", ")}.`;
  const onceText = once.length === 0 ? "" : ` Done once: ${once.join(", ")}.`;
  const former = Object.entries(lifecycle.aliases).map(([name, path]) => `${name} (now ${path})`);
  const formerText = former.length === 0 ? "" : ` Former names: ${former.join(", ")}.`;
  return {
    type: "object",
    description: "The desired state of the application.",
    default: {},
    properties: {
      desiredState: {
        type: "string",
        enum: [...lifecycle.desirable, ...Object.keys(lifecycle.aliases)],
        default: lifecycle.defaultDesiredState,
        description: `The state the application should be in.${maintainedText}${onceText}${formerText}`,
      },
      request: {
        type: "string",
        maxLength: 253,
        description: "Any text. Change it to request a state that is done once again.",
      },
    },
  };
}

/**
 * `status.lifecycle`. No field of it is required: what an earlier version stored, or a person has edited, can be written over. It is one
 * value, which one client writes: the API server need not keep, compare and send who owns each of its forty fields.
 */
export function lifecycleStatusSchema(): StructuralSchema {
  const schema = withoutRequired(structuralSchemaOf(declaredStatus, "status.lifecycle"));
  return { ...schema, "x-kubernetes-map-type": "atomic" };
}

function withoutRequired({ required: _required, ...schema }: StructuralSchema): StructuralSchema {
  const { properties, additionalProperties, items } = schema;
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: mapValues(properties) }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: withoutRequired(additionalProperties) }
      : {}),
    ...(items === undefined ? {} : { items: withoutRequired(items) }),
  };
}

function mapValues(properties: NonNullable<StructuralSchema["properties"]>): typeof properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, withoutRequired(schema)]),
  );
}
