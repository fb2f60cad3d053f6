// Values that a schema accepts, to be tried one after the other: made up, small, and the smaller ones found when one fails.
import * as fc from "fast-check";
import { written, type JsonSchema } from "../kinds/zod-schema.ts";
import type { Json } from "../meta/object.ts";

/** Numbers go no farther than this from zero, where the schema allows it: conversions of units are exact there. */
const far = 1_000_000;

/** Values of a schema as zod writes it; not all of them pass checks that only zod makes. */
export function valuesOf(node: JsonSchema): fc.Arbitrary<Json> {
  // Of one that is taken as it is written, zod knows nothing.
  const declared = node[written];
  if (declared !== undefined) return valuesOf(declared as JsonSchema);
  const values = plainValuesOf(node);
  return node["nullable"] === true ? fc.option(values, { nil: null, freq: 4 }) : values;
}

function plainValuesOf(node: JsonSchema): fc.Arbitrary<Json> {
  const options = node.anyOf ?? node.oneOf;
  if (options !== undefined) return fc.oneof(...options.map(valuesOf));
  if (node.enum !== undefined) return fc.constantFrom(...(node.enum as readonly Json[]));
  switch (node.type) {
    case "object":
      return objectsOf(node);
    case "array":
      return listsOf(node);
    case "string":
      return textsOf(node);
    case "integer":
    case "number":
      return integersOf(node);
    case "boolean":
      return fc.boolean();
    case undefined:
    default:
      return fc.oneof(
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.dictionary(names, fc.string(), { maxKeys: 2 }),
      );
  }
}

const names = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);

function objectsOf({
  properties = {},
  required = [],
  additionalProperties,
  ...node
}: JsonSchema): fc.Arbitrary<Json> {
  const fields = fc.record(mapValues(properties, valuesOf), {
    requiredKeys: [...required].filter((name) => Object.hasOwn(properties, name)),
    noNullPrototype: true,
  });
  if (typeof additionalProperties !== "object") return fields;
  const limits = {
    minKeys: numberOf(node, "minProperties") ?? 0,
    maxKeys: numberOf(node, "maxProperties") ?? 3,
  };
  const others = fc.dictionary(names, valuesOf(additionalProperties), { ...limits, noNullPrototype: true });
  return fc.tuple(others, fields).map(([other, known]) => ({ ...other, ...known }));
}

function listsOf({ items = {}, ...node }: JsonSchema): fc.Arbitrary<Json> {
  const minLength = numberOf(node, "minItems") ?? 0;
  const maxLength = Math.min(numberOf(node, "maxItems") ?? minLength + 3, minLength + 3);
  const keys = node["x-kubernetes-list-map-keys"] as readonly string[] | undefined;
  if (keys === undefined && node["x-kubernetes-list-type"] !== "set") {
    return fc.array(valuesOf(items), { minLength, maxLength });
  }
  const identity = (item: Json): string =>
    JSON.stringify(keys?.map((key) => (item as Record<string, Json>)[key]) ?? item);
  return fc.uniqueArray(valuesOf(items), { minLength, maxLength, selector: identity });
}

function textsOf(node: JsonSchema): fc.Arbitrary<Json> {
  const minLength = numberOf(node, "minLength") ?? 0;
  const maxLength = Math.min(numberOf(node, "maxLength") ?? minLength + 8, minLength + 8);
  const byFormat = formats[node["format"] as string];
  if (byFormat !== undefined) return byFormat;
  const { pattern } = node as { readonly pattern?: string };
  return pattern === undefined
    ? fc.string({ minLength, maxLength })
    : fc.stringMatching(new RegExp(pattern, "u"), { size: "-1" });
}

const instants = fc.date({ min: new Date("2000-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });

const formats: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  "date-time": instants.map((date) => date.toISOString()),
  date: instants.map((date) => date.toISOString().slice(0, 10)),
  uri: fc.webUrl(),
  email: fc.tuple(names, names).map(([who, where]) => `${who}@${where}.example`),
  uuid: fc.uuid(),
  ipv4: fc.ipV4(),
  ipv6: fc.constantFrom("::1", "2001:db8::1", "fe80::a:b"),
  base64: fc.base64String({ maxLength: 8 }),
  byte: fc.base64String({ maxLength: 8 }),
};

/** Whole numbers also for schemas of any number: nothing is said of rounding. */
function integersOf(node: JsonSchema): fc.Arbitrary<Json> {
  const step = numberOf(node, "multipleOf") ?? 1;
  const least = (numberOf(node, "minimum") ?? -far) / step;
  const most = (numberOf(node, "maximum") ?? far) / step;
  const from = node["exclusiveMinimum"] === true ? Math.floor(least) + 1 : Math.ceil(least);
  const to = node["exclusiveMaximum"] === true ? Math.ceil(most) - 1 : Math.floor(most);
  const min = Math.max(from, Math.min(-far, to));
  const max = Math.max(min, Math.min(to, Math.max(far, min + far)));
  // Never -0, which JSON does not have.
  return fc.integer({ min, max }).map((count) => count * step + 0);
}

function numberOf(node: Readonly<Record<string, unknown>>, keyword: string): number | undefined {
  const value = node[keyword];
  return typeof value === "number" ? value : undefined;
}

function mapValues<T>(
  record: Readonly<Record<string, JsonSchema>>,
  make: (node: JsonSchema) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, node]) => [name, make(node)]));
}
