// Whether the rules of a definition can become too expensive: each of them, and all together.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions
import { forbiddenValue, type StatusCause } from "../../status-cause.ts";
import { additionalSchema, type StructuralSchema } from "../../structural-schema.ts";
import { declaredSize, largestRequest } from "./declared-size.ts";
import { largest } from "./range.ts";

const mostOfRule = 10_000_000;
const mostOfSchema = 100_000_000;
/** So many of the most expensive rules are named when all together are too expensive. */
const named = 4;

/** The budget of one schema. */
export class RuleBudget {
  #total = 0;
  readonly #expensive: { readonly field: string; readonly cost: number }[] = [];

  /** Counts an expression; `count` is how often its rule may run on one resource. What is wrong with it alone. */
  spend(field: string, what: string, cost: number, count: number): readonly StatusCause[] {
    const total = Math.min(largest, cost * count);
    this.#total = Math.min(largest, this.#total + total);
    if (total >= mostOfSchema / 100) this.#expensive.push({ field, cost: total });
    return total > mostOfRule ? [forbiddenValue(field, exceeded(what, total, mostOfRule))] : [];
  }

  /** What is wrong with all of them together; `field` is that of the schema. */
  causes(field: string): readonly StatusCause[] {
    if (this.#total <= mostOfSchema) return [];
    const detail =
      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const most = this.#expensive.toSorted((one, other) => other.cost - one.cost).slice(0, named);
    const whole = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...most.map((each) => forbiddenValue(each.field, detail)),
      forbiddenValue(field, exceeded(whole, this.#total, mostOfSchema)),
    ];
  }
}

function exceeded(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const text = factor > 100 ? "more than 100" : factor.toFixed(factor < 1.5 ? 6 : 1);
  return `${what} exceeds budget by factor of ${text}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** How often the values below a node may occur for each value of it; undefined: as often as fits into a request. */
export function countBelow(schema: StructuralSchema): number | undefined {
  if (schema.type === "array")
    return schema.maxItems === undefined ? undefined : Math.max(0, schema.maxItems);
  const isMap = schema.type === "object" && additionalSchema(schema) !== undefined;
  if (!isMap) return 1;
  return schema.maxProperties === undefined ? undefined : Math.max(0, schema.maxProperties);
}

/** How many values of a schema fit into a request. */
export function mostInRequest(schema: StructuralSchema): number {
  return Math.floor(largestRequest / ((declaredSize(schema)?.smallest ?? 0) + 1));
}
