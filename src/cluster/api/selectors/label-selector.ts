// Label selectors as one list of requirements: whether labels meet them, and the structured form of specs.
// The text of a query parameter is read by parse-label-selector.ts.
import { fieldOf } from "../../../schema/json-value.ts";
import { fieldsList, fieldsOf, listOf } from "../api-object.ts";

/** One requirement on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "in" | "notin" | "exists" | "!" | "gt" | "lt";
  readonly values: readonly string[];
}

const structuredOperators = { In: "in", NotIn: "notin", Exists: "exists", DoesNotExist: "!" } as const;

type Labels = Readonly<Record<string, string>>;

/** Whether all requirements hold. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: Labels = {}): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = fieldOf(labels, key);
    switch (operator) {
      case "in":
        return value !== undefined && values.includes(value);
      case "notin":
        return value === undefined || !values.includes(value);
      case "exists":
        return value !== undefined;
      case "!":
        return value === undefined;
      case "gt":
        return (
          isInteger(value) && BigInt(value.replace("+", "")) > BigInt((values[0] ?? "0").replace("+", ""))
        );
      case "lt":
      default:
        return (
          isInteger(value) && BigInt(value.replace("+", "")) < BigInt((values[0] ?? "0").replace("+", ""))
        );
    }
  });
}

/** Whether a text is a whole number, as those compared by `<` and `>` must be. */
export function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[-+]?\d{1,19}$/.test(text);
}

/** The requirements of `matchLabels` and `matchExpressions`. */
export function fromLabelSelector(selector: unknown): readonly LabelRequirement[] {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const equal = Object.entries(fieldsOf(matchLabels)).map(([key, value]): LabelRequirement => ({
    key,
    operator: "in",
    values: [String(value)],
  }));
  const expressions = fieldsList(matchExpressions).map((each): LabelRequirement => {
    const operator = fieldOf(structuredOperators, String(each["operator"])) ?? "in";
    return { key: String(each["key"]), operator, values: listOf(each["values"]).map(String) };
  });
  return [...equal, ...expressions];
}

/** The text of a structured selector, in the order of its keys, as the scale subresource reports it. */
export function formatLabelSelector(selector: unknown): string {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const equal = fromLabelSelector({ matchLabels }).map(({ key, values }) => ({
    key,
    text: `${key}=${values.join()}`,
  }));
  const others = fromLabelSelector({ matchExpressions }).map(({ key, operator, values }) => {
    if (operator === "exists") return { key, text: key };
    if (operator === "!") return { key, text: `!${key}` };
    return { key, text: `${key} ${operator} (${values.toSorted().join(",")})` };
  });
  return [...equal, ...others]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}
