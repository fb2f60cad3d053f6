// From zod to plain JSON schema, with a mark on every construct that has no meaning for an API server.
// structural-schema.ts refuses the marks with the path of the field, which zod itself does not tell.
import { z } from "zod";
import type { StructuralSchema } from "./builtin/json-of.ts";
import type { Unsupported } from "./unsupported-schema.ts";

/** A node of JSON schema as zod writes it for OpenAPI 3.0, not yet structural. */
export interface JsonSchema {
  readonly [unsupported]?: Unsupported;
  readonly [unchecked]?: ByFunction;
  readonly [written]?: StructuralSchema;
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

/** Where a node carries its mark. A string, as zod's result passes through JSON. */
export const unsupported = "x-xstate-operator-unsupported";

/** Where a node says that zod checks or changes its values by functions, of which the server knows nothing. */
export const unchecked = "x-xstate-operator-unchecked";

/** Where a node says what its structural schema is: whoever made the zod schema has made it of that. */
export const written = "x-xstate-operator-written";

const writtenSchemas = new WeakMap<z.core.$ZodType, StructuralSchema>();

/** Says what the structural schema of a zod schema is: it is taken as it is. */
export function declareStructural<TSchema extends z.ZodType>(
  schema: TSchema,
  structural: StructuralSchema,
): TSchema {
  writtenSchemas.set(schema, structural);
  return schema;
}

/** What zod can check and an API server cannot, by zod's own name of the type. */
const constructs: Readonly<Record<string, Unsupported>> = {
  date: {
    what: "a Date is not JSON",
    remedy: "Use z.iso.datetime(), a string.",
  },
  bigint: { what: "a bigint is not JSON", remedy: "Use z.int(), or a string." },
  map: { what: "a Map is not JSON", remedy: "Use z.record(z.string(), …)." },
  set: {
    what: "a Set is not JSON",
    remedy: 'Use z.array(…).meta({ "x-kubernetes-list-type": "set" }).',
  },
  tuple: {
    what: "a tuple has no structural schema (one item schema per list)",
    remedy: "Use z.array(…), or an object with named fields.",
  },
  null: { what: "a field that is always null says nothing", remedy: "Remove the field." },
  symbol: { what: "a symbol is not JSON", remedy: "Use z.string()." },
  function: { what: "a function is not JSON", remedy: "Remove the field." },
  undefined: { what: "undefined is not JSON", remedy: "Make the field optional with .optional()." },
  void: { what: "void is not JSON", remedy: "Make the field optional with .optional()." },
  nan: { what: "NaN is not JSON", remedy: "Use z.number()." },
  never: { what: "a field that may hold nothing cannot be declared", remedy: "Remove the field." },
  promise: { what: "a promise is not JSON", remedy: "Use the promised type itself." },
  file: { what: "a file is not JSON", remedy: "Use z.base64(), a string." },
  custom: {
    what: "a custom check has no schema",
    remedy:
      'Use z.unknown(), or add .meta({ "x-kubernetes-preserve-unknown-fields": true }) to accept any content.',
  },
  pipe: {
    what: "a transformation has no meaning on the server, which stores what was written",
    remedy: "Declare the written form, and convert it where you read it.",
  },
  transform: {
    what: "a transformation has no meaning on the server, which stores what was written",
    remedy: "Declare the written form, and convert it where you read it.",
  },
};

const patternFlags: Unsupported = {
  what: "a pattern with flags cannot be checked by the server",
  remedy: "Write the pattern without flags, for instance [a-zA-Z] instead of /[a-z]/i.",
};

const recordKeys: Unsupported = {
  what: "these keys of a record cannot be checked by the server",
  remedy: "Use z.string() for the keys; .regex(), .min() and .max() on it can be checked.",
};

const unboundedRecord: Unsupported = {
  what: "the server checks the keys of a record only when their number is limited",
  remedy: "Add .meta({ maxProperties: 64 }) to the record, or use z.string() for the keys.",
};

/** The schema of what users write. Every reused schema is written out; a schema that contains itself stays a `$ref`. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      const node = jsonSchema as Record<string, unknown>;
      const structural = writtenSchemas.get(zodSchema);
      if (structural !== undefined) {
        node[written] = structural;
        return;
      }
      const { def } = zodSchema._zod;
      const construct = constructs[def.type];
      const acceptsAnything = node["x-kubernetes-preserve-unknown-fields"] === true;
      if (construct !== undefined && !acceptsAnything) node[unsupported] = construct;
      if (def.type === "string" && hasFlags(zodSchema)) node[unsupported] = patternFlags;
      const byFunction = doneByFunction((def.checks ?? []).map(({ _zod }) => _zod.def.check));
      if (byFunction !== undefined && node["x-kubernetes-validations"] === undefined)
        node[unchecked] = byFunction;
      if (def.type === "record") writeRecord(zodSchema as z.core.$ZodRecord, node);
    },
  }) as JsonSchema;
}

/** What a function does to a value: `.refine()` checks it, `.trim()` changes it. */
export type ByFunction = "checks" | "changes";

function doneByFunction(checks: readonly string[]): ByFunction | undefined {
  if (checks.includes("overwrite")) return "changes";
  return checks.includes("custom") ? "checks" : undefined;
}

/** How a rule begins that checks the keys of a record. */
export const keyRuleStart = "self.all(key, ";

/** A record over a fixed set of keys is an object with these fields; checks of other keys become a rule in CEL. */
function writeRecord(record: z.core.$ZodRecord, node: Record<string, unknown>): void {
  const key = record._zod.def.keyType;
  const names = [...(key._zod.values ?? [])].filter((value) => typeof value === "string");
  if (names.length > 0) {
    node["properties"] = Object.fromEntries(names.map((name) => [name, node["additionalProperties"]]));
    delete node["additionalProperties"];
    return;
  }
  const rule = keyRuleOf(key);
  if (rule === undefined) node[unsupported] = recordKeys;
  else if (rule !== "" && node["maxProperties"] === undefined) node[unsupported] = unboundedRecord;
  else if (rule !== "") {
    node["x-kubernetes-validations"] = [
      { rule: `${keyRuleStart}${rule})`, message: `every key must satisfy: ${rule}` },
    ];
  }
}

/** The checks of a record's keys in CEL; empty when there are none, undefined when one of them has no counterpart. */
function keyRuleOf(key: z.core.$ZodType): string | undefined {
  if (key._zod.def.type !== "string" || "format" in key._zod.def) return undefined;
  const rules = (key._zod.def.checks ?? []).map(({ _zod: { def } }) => {
    if ("pattern" in def && def.pattern instanceof RegExp && !/[ims]/.test(def.pattern.flags)) {
      return `key.matches(${JSON.stringify(def.pattern.source)})`;
    }
    if (def.check === "min_length" && "minimum" in def) return `size(key) >= ${String(def.minimum)}`;
    if (def.check === "max_length" && "maximum" in def) return `size(key) <= ${String(def.maximum)}`;
    return undefined;
  });
  return rules.includes(undefined) ? undefined : rules.join(" && ");
}

/** Whether a pattern of the string has flags that its source alone does not show. */
function hasFlags(schema: z.core.$ZodType): boolean {
  const { checks = [] } = schema._zod.def;
  return checks.some(({ _zod: { def } }) => {
    const pattern: unknown = "pattern" in def ? def.pattern : undefined;
    return pattern instanceof RegExp && /[ims]/.test(pattern.flags);
  });
}
