// Wrong values, and odd ones, one for one field each: made from the fields of a type, and put into an object of it that is right.
import type { StructuralSchema } from "../../../src/schema/structural-schema.ts";
import type { Body } from "../api-server/raw-request.ts";
import { rightItems } from "./right-objects.ts";

/** An odd value of one field. */
export interface OddValue {
  /** Where the value is, like `spec.ports[0].port`. */
  readonly path: string;
  readonly steps: readonly Step[];
  /** Undefined: the field is taken out. */
  readonly value: unknown;
}

/** A field, or the place of an item. */
export type Step = string | number;

const long = "x".repeat(300);
const oddTexts = ["", "A_b!", "-x", "../x", long];

/** The odd values of a field, whose own fields are looked into afterwards. */
function oddValues(schema: StructuralSchema): readonly unknown[] {
  if (schema["x-kubernetes-int-or-string"] === true) return [-1, 0, 70_000, "x", "101%", "80"];
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return [{}, { a: 1 }];
  switch (schema.type) {
    case "integer":
      return [-1, 0, 1, 2_147_483_647];
    case "number":
      return [-1, 0.5];
    case "boolean":
      return [true, false];
    case "string":
      return oddTextsOf(schema.format);
    case "array":
      return oddLists(schema.items ?? {});
    case "object":
      return schema.properties === undefined ? oddMaps(schema.additionalProperties) : [{}];
    case undefined:
    default:
      return [];
  }
}

function oddTextsOf(format: string | undefined): readonly unknown[] {
  switch (format) {
    case "date-time":
      return ["2020-01-01T00:00:00Z"];
    case "micro-time":
      return ["2020-01-01T00:00:00.000000Z"];
    case "quantity":
      return ["-1", "0", "0.5", "3Gi"];
    case "byte":
      return ["", "YQ=="];
    case undefined:
    default:
      return oddTexts;
  }
}

function oddLists(items: StructuralSchema): readonly unknown[] {
  if (items.properties !== undefined) return [[], [{}], [{}, {}]];
  const values = oddValues(items);
  return [[], ...values.map((value) => [value]), ...values.slice(0, 2).map((value) => [value, value])];
}

function oddMaps(given: StructuralSchema["additionalProperties"]): readonly unknown[] {
  const values = typeof given === "object" ? oddValues(given) : ["x"];
  return [
    {},
    ...values.map((a) => ({ a })),
    ...["", "bad key!", `${long}/x`].map((key) => ({ [key]: values.at(-1) })),
  ];
}

/** What is left out, and what is tried besides. */
export interface OddValueOptions {
  /** Fields at the top that are left out. */
  readonly skipped?: ReadonlySet<string>;
  /** The only field at the top that is looked into; default all. */
  readonly only?: string;
  /** Each field is also taken out, and given a value that nothing is wrong with. Default false. */
  readonly changes?: boolean;
}

/** The odd values of each field of a schema; one that holds itself is followed once. */
export function* oddValuesIn(
  schema: StructuralSchema,
  { skipped = new Set(), only, changes = false }: OddValueOptions,
): Generator<OddValue> {
  yield* below(schema, [], new Set());

  function* below(
    node: StructuralSchema,
    steps: readonly Step[],
    around: ReadonlySet<unknown>,
  ): Generator<OddValue> {
    const { properties } = node;
    if (properties !== undefined) {
      if (around.has(properties)) return;
      const within = new Set([...around, properties]);
      for (const [name, property] of Object.entries(properties)) {
        if (steps.length === 0 && (skipped.has(name) || (only ?? name) !== name)) continue;
        yield* at(property, [...steps, name], within);
      }
    } else if (node.type === "array" && node.items?.properties !== undefined) {
      yield* below(node.items, [...steps, 0], around);
    } else if (
      typeof node.additionalProperties === "object" &&
      node.additionalProperties.properties !== undefined
    ) {
      yield* below(node.additionalProperties, [...steps, "k"], around);
    }
  }

  function* at(
    node: StructuralSchema,
    steps: readonly Step[],
    around: ReadonlySet<unknown>,
  ): Generator<OddValue> {
    const others = changes ? [undefined, ...(isPlainText(node) ? ["other"] : [])] : [];
    for (const value of [...oddValues(node), ...others]) yield { path: show(steps), steps, value };
    yield* below(node, steps, around);
  }
}

function isPlainText({ type, format }: StructuralSchema): boolean {
  return type === "string" && format === undefined;
}

/** A copy with a value in it; what is missing around it is made. */
export function withValue(right: Body, { steps: path, value }: Pick<OddValue, "steps" | "value">): Body {
  const copy = structuredClone(right);
  let holder = copy as Record<Step, unknown>;
  path.slice(0, -1).forEach((step, index) => {
    const isList = typeof path[index + 1] === "number";
    const list = path[index - 1];
    const item = typeof step === "number" && typeof list === "string" ? rightItems[list] : undefined;
    holder[step] ??= isList ? [] : structuredClone(item ?? {});
    holder = holder[step] as Record<Step, unknown>;
  });
  const last = path.at(-1);
  if (last === undefined) return copy;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}

function show(path: readonly Step[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : text === "" ? step : `${text}.${step}`),
    "",
  );
}
