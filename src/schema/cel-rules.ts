// Checks an object against the CEL rules of its schema (`x-kubernetes-validations`), in the API server's words.
// Runs after schema validation, and only when that left nothing that would make rules stumble.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
import { evaluationFailure } from "./cel/compile-expression.ts";
import { compileRules } from "./cel/compile-rule.ts";
import type { CompiledRule, Expression } from "./cel/compile-rule.ts";
import { correlateItems, isUnchanged } from "./correlate-items.ts";
import { fieldOf, isJsonArray, isJsonObject } from "./json-value.ts";
import { duplicateValue, forbiddenValue, invalidValue, noField, requiredValue } from "./status-cause.ts";
import type { StatusCause } from "./status-cause.ts";
import { additionalSchema, propertySchema } from "./structural-schema.ts";
import type { ValidationRule } from "../kinds/builtin/json-of.ts";
import type { StructuralSchema } from "./structural-schema.ts";

const maxMessageLength = 5 * 1024;

/** Options of {@link checkRules}. */
export interface RuleOptions {
  /** The value before the update; without it rules about `oldSelf` do not run. */
  readonly old?: unknown;
  /** Path of the value within its object; default the root, where rules may use `apiVersion`, `kind` and the name. */
  readonly field?: string;
}

/** Whether a schema has rules at any depth. */
export function hasRules(schema: StructuralSchema): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const found = (schema["x-kubernetes-validations"] ?? []).length > 0 || childrenOf(schema).some(hasRules);
  withRules.set(schema, found);
  return found;
}

/**
 * Every rule that a value breaks, and every rule that fails to run on it.
 *
 * **Guarantees**: never throws; a rule about `oldSelf` runs only where there is an old value, unless it declares
 * `optionalOldSelf`; other rules pass on values that the update leaves as they are.
 */
export function checkRules(
  schema: StructuralSchema,
  value: unknown,
  options: RuleOptions = {},
): readonly StatusCause[] {
  const field = options.field ?? "";
  return checkNode(field === "" ? asResource(schema) : schema, { value, old: options.old, field });
}

interface Place {
  readonly value: unknown;
  readonly old: unknown;
  readonly field: string;
}

const resources = new WeakMap<StructuralSchema, StructuralSchema>();

/** The schema of a whole object: rules of its root see what every resource has. */
export function asResource(schema: StructuralSchema): StructuralSchema {
  const known = resources.get(schema);
  if (known !== undefined) return known;
  const resource: StructuralSchema = { ...schema, "x-kubernetes-embedded-resource": true };
  resources.set(schema, resource);
  return resource;
}

const withRules = new WeakMap<StructuralSchema, boolean>();

function checkNode(schema: StructuralSchema, place: Place): StatusCause[] {
  const { value, old } = place;
  if (!hasRules(schema) || value === undefined || value === null) return [];
  const isLeft = old !== undefined && isUnchanged(schema, old, value);
  const own = compileRules(schema).flatMap((rule) => {
    const needsOld = rule.usesOldSelf && rule.rule.optionalOldSelf !== true;
    if ((needsOld && old === undefined) || (isLeft && !rule.usesOldSelf)) return [];
    return checkRule(schema, rule, place);
  });
  if (isJsonArray(value)) return [...own, ...checkItems(schema, value, place)];
  return isJsonObject(value) ? [...own, ...checkFields(schema, value, place)] : own;
}

function checkItems(schema: StructuralSchema, items: readonly unknown[], place: Place): StatusCause[] {
  const itemSchema = schema.items;
  if (itemSchema === undefined) return [];
  const olds = correlateItems(schema, place.old);
  return items.flatMap((value, index) =>
    checkNode(itemSchema, { value, old: olds.oldOf(value), field: `${place.field}[${index}]` }),
  );
}

function checkFields(
  schema: StructuralSchema,
  object: Readonly<Record<string, unknown>>,
  { old, field }: Place,
): StatusCause[] {
  return Object.keys(object).flatMap((name) => {
    const declared = propertySchema(schema, name);
    const childSchema = declared ?? additionalSchema(schema);
    if (childSchema === undefined) return [];
    const step = declared === undefined ? `[${name}]` : field === "" ? name : `.${name}`;
    const oldChild = isJsonObject(old) ? fieldOf(old, name) : undefined;
    return checkNode(childSchema, { value: fieldOf(object, name), old: oldChild, field: `${field}${step}` });
  });
}

function checkRule(schema: StructuralSchema, compiled: CompiledRule, place: Place): StatusCause[] {
  const { rule } = compiled;
  const field = place.field === "" ? noField : place.field;
  const outcome = run(compiled.expression, place);
  if ("error" in outcome) {
    const about = trimmed(rule.message) ?? rule.rule.trim();
    const text = outcome.error.startsWith("operation cancelled")
      ? `'${outcome.error}': no further validation rules will be run due to call cost exceeds limit for rule: ${about}`
      : outcome.error === "no such overload"
        ? `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${about}`
        : `${outcome.error} evaluating rule: ${about}`;
    return [invalidValue(field, schema.type ?? "", text)];
  }
  if (outcome.result === true) return [];
  const blamed = rule.fieldPath === undefined ? field : `${place.field}${rule.fieldPath}`.replace(/^\./, "");
  return [refusal(rule, { field: blamed, value: place.value, message: messageFor(compiled, place) })];
}

function refusal(
  rule: ValidationRule,
  { field, value, message }: { readonly field: string; readonly value: unknown; readonly message: string },
): StatusCause {
  const isComposite = typeof value === "object";
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbiddenValue(field, message);
    case "FieldValueRequired":
      return requiredValue(field, message);
    case "FieldValueDuplicate":
      return isComposite
        ? { reason: "FieldValueDuplicate", message: "Duplicate value", field }
        : duplicateValue(field, value);
    case "FieldValueInvalid":
    case undefined:
    default:
      // The server leaves objects and lists out of its message.
      return isComposite
        ? { reason: "FieldValueInvalid", message: `Invalid value: ${message}`, field }
        : invalidValue(field, value, message);
  }
}

function messageFor({ rule, messageExpression }: CompiledRule, place: Place): string {
  const fallback = trimmed(rule.message) ?? `failed rule: ${rule.rule.trim()}`;
  if (messageExpression === undefined) return fallback;
  const outcome = run(messageExpression, place);
  const made = "error" in outcome || typeof outcome.result !== "string" ? "" : outcome.result.trim();
  return made === "" || made.includes("\n") || made.length > maxMessageLength ? fallback : made;
}

function run(
  expression: Expression,
  { value, old }: Place,
): { readonly result: unknown } | { readonly error: string } {
  if ("error" in expression) return { error: expression.error };
  try {
    return { result: expression.evaluate(value, old) };
  } catch (error) {
    return { error: evaluationFailure(error) };
  }
}

function trimmed(text: string | undefined): string | undefined {
  const result = text?.trim() ?? "";
  return result === "" ? undefined : result;
}

function childrenOf(schema: StructuralSchema): readonly StructuralSchema[] {
  const additional = additionalSchema(schema);
  return [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(additional === undefined ? [] : [additional]),
  ];
}
