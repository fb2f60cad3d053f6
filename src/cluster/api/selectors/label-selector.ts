// Label selectors: the text of a query parameter, and the structured form of specs, as one list of requirements.
import { badRequest } from "../status-error.ts";
import { fieldsList, fieldsOf, listOf } from "../api-object.ts";

/** One requirement on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "in" | "notin" | "exists" | "!" | "gt" | "lt";
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** Whether all requirements hold. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: Labels = {}): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = labels[key];
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
        return value !== undefined && Number(value) > Number(values[0]);
      case "lt":
      default:
        return value !== undefined && Number(value) < Number(values[0]);
    }
  });
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
    const names = { In: "in", NotIn: "notin", Exists: "exists", DoesNotExist: "!" } as const;
    const operator = names[String(each["operator"]) as keyof typeof names] ?? "in";
    return { key: String(each["key"]), operator, values: listOf(each["values"]).map(String) };
  });
  return [...equal, ...expressions];
}

/** The text of a structured selector, as the scale subresource reports it. */
export function formatLabelSelector(selector: unknown): string {
  return fromLabelSelector(selector)
    .map(({ key, operator, values }) => {
      if (operator === "exists") return key;
      if (operator === "!") return `!${key}`;
      const isEquality = operator === "in" && values.length === 1;
      return isEquality ? `${key}=${values[0]}` : `${key} ${operator} (${values.join(",")})`;
    })
    .join(",");
}

/** Reads the text of `labelSelector`. Errors: 400. */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  const tokens = tokenize(text);
  const requirements: LabelRequirement[] = [];
  let at = 0;
  const next = (): string => tokens[at++] ?? "";
  while (at < tokens.length) {
    let key = next();
    const negated = key === "!";
    if (negated) key = next();
    if (!/^[\w./-]+$/.test(key)) {
      throw badRequest(
        `found '${key}', expected: ${negated ? "identifier" : "!, identifier, or 'end of string'"}`,
      );
    }
    if (negated) {
      requirements.push({ key, operator: "!", values: [] });
    } else if (at >= tokens.length || tokens[at] === ",") {
      requirements.push({ key, operator: "exists", values: [] });
    } else {
      requirements.push(readOperator(key, next));
    }
    if (at < tokens.length) {
      const separator = next();
      if (separator !== ",") throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
      if (at >= tokens.length) throw badRequest("found '', expected: identifier after ','");
    }
  }
  return requirements;
}

function readOperator(key: string, next: () => string): LabelRequirement {
  const operator = next();
  switch (operator) {
    case "=":
    case "==":
      return { key, operator: "in", values: [readValue(next)] };
    case "!=":
      return { key, operator: "notin", values: [readValue(next)] };
    case ">":
    case "<":
      return { key, operator: operator === ">" ? "gt" : "lt", values: [readValue(next)] };
    case "in":
    case "notin":
      return { key, operator, values: readValues(next) };
    default:
      throw badRequest(
        `unable to parse requirement: found '${operator}', expected: in, notin, =, ==, !=, gt, lt`,
      );
  }
}

function readValue(next: () => string): string {
  const value = next();
  return value === "," ? "" : value;
}

function readValues(next: () => string): string[] {
  const open = next();
  if (open !== "(") throw badRequest(`unable to parse requirement: found '${open}', expected: '('`);
  const values: string[] = [];
  for (;;) {
    const token = next();
    if (token === ")") return values;
    if (token === "")
      throw badRequest("unable to parse requirement: found '', expected: ',', ')' or identifier");
    if (token !== ",") values.push(token);
  }
}

function tokenize(text: string): string[] {
  return text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
}
