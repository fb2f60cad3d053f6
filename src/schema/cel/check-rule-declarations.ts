// Whether the validation rules of a schema can work at all: they compile, give a boolean, blame fields that exist.
// A part of checkStructural.
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue } from "../status-cause.ts";
import type { StatusCause } from "../status-cause.ts";
import { additionalSchema, propertySchema } from "../structural-schema.ts";
import type { ValidationRule } from "../../kinds/builtin/json-of.ts";
import type { StructuralSchema } from "../structural-schema.ts";
import { asResource } from "../cel-rules.ts";
import type { CelFault } from "./compile-error.ts";
import { compileRules } from "./compile-rule.ts";
import { countBelow, mostInRequest, RuleBudget } from "./cost/rule-budget.ts";
import type { CompiledRule } from "./compile-rule.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Something wrong with a rule. */
export interface RuleFault extends StatusCause {
  /** The expression that does not compile, and where in it. */
  readonly fault?: CelFault & { readonly expression: string };
}

/** What is wrong with the rules of a schema, at any depth. */
export function checkRuleDeclarations(schema: StructuralSchema, field: string): readonly StatusCause[] {
  return ruleFaultsOf(schema, field).map(({ fault: _fault, ...cause }) => cause);
}

/** The same, with the place in an expression that does not compile: for who knows where the schema is written. */
export function ruleFaultsOf(schema: StructuralSchema, field: string): readonly RuleFault[] {
  const budget = new RuleBudget();
  const place = { field, isRoot: true, uncorrelatable: undefined, budget, count: 1 };
  const { texts, expressions } = checkNode(schema, place);
  return [...texts, ...expressions, ...budget.causes(field)];
}

/** What is wrong with the rules of a node and of those below it. */
interface NodeFaults {
  /** Without a look into the expressions. */
  readonly texts: readonly RuleFault[];
  readonly expressions: readonly RuleFault[];
}

interface Place {
  readonly field: string;
  readonly isRoot: boolean;
  /** Path of the list around this node whose items have no identity over an update. */
  readonly uncorrelatable: string | undefined;
  readonly budget: RuleBudget;
  /** How many values of this node a resource may have; undefined: as many as fit into a request. */
  readonly count: number | undefined;
}

/** Expressions are looked at where nothing else is wrong with the rules of their node and of those below it. */
function checkNode(schema: StructuralSchema, place: Place): NodeFaults {
  const { field } = place;
  const additional = additionalSchema(schema);
  const most = countBelow(schema);
  const count = most === undefined || place.count === undefined ? undefined : place.count * most;
  const below = (child: StructuralSchema, step: string, uncorrelatable = place.uncorrelatable): NodeFaults =>
    checkNode(child, { ...place, field: `${field}.${step}`, isRoot: false, uncorrelatable, count });
  const isCorrelated = schema["x-kubernetes-list-type"] === "map";
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, child]) => below(child, `properties[${name}]`)),
    ...(additional === undefined ? [] : [below(additional, "additionalProperties")]),
    ...(schema.items === undefined
      ? []
      : [below(schema.items, "items", place.uncorrelatable ?? (isCorrelated ? undefined : field))]),
  ];
  const rules = compileRules(place.isRoot ? asResource(schema) : schema).map((compiled, index) => ({
    compiled,
    at: { ...place, field: `${field}.x-kubernetes-validations[${index}]` },
  }));
  const texts = [
    ...inner.flatMap((each) => each.texts),
    ...rules.flatMap(({ compiled, at }) => checkTexts(schema, compiled.rule, at.field)),
  ];
  const own = texts.length > 0 ? [] : rules.flatMap(({ compiled, at }) => checkRule(schema, compiled, at));
  return { texts, expressions: [...inner.flatMap((each) => each.expressions), ...own] };
}

function checkRule(schema: StructuralSchema, compiled: CompiledRule, place: Place): RuleFault[] {
  const { rule, expression } = compiled;
  const { field, uncorrelatable } = place;
  const causes: RuleFault[] = [];
  const count = place.count ?? mostInRequest(schema);
  if ("error" in expression) {
    const { error, fault } = expression;
    causes.push({ ...refused(`${field}.rule`, rule, error), ...placeIn(rule.rule, fault) });
  } else {
    causes.push(...place.budget.spend(`${field}.rule`, "estimated rule cost", expression.mostCost, count));
    causes.push(...checkMessage(compiled, place, count));
  }
  // What does not compile uses nothing.
  const isCompiled = !("error" in expression) || expression.error.startsWith("program instantiation failed");
  const usesOldSelf = isCompiled && compiled.usesOldSelf;
  if (usesOldSelf && uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    causes.push(invalidValue(`${field}.rule`, rule.rule, detail));
  }
  if (typeof rule.optionalOldSelf === "boolean" && !usesOldSelf) {
    const detail = "may not be set if oldSelf is not used in rule";
    causes.push(invalidValue(`${field}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  return causes;
}

/** The message of a rule that compiles. */
function checkMessage(
  { rule, messageExpression }: CompiledRule,
  { field, budget }: Place,
  count: number,
): readonly RuleFault[] {
  if (messageExpression === undefined) return [];
  const at = `${field}.messageExpression`;
  if (!("error" in messageExpression)) {
    return budget.spend(at, "estimated messageExpression cost", messageExpression.mostCost, count);
  }
  const { error, fault } = messageExpression;
  const detail = error.startsWith("compilation failed") ? `messageExpression ${error}` : error;
  return [{ ...refused(at, rule, detail), ...placeIn(rule.messageExpression ?? "", fault) }];
}

function checkTexts(schema: StructuralSchema, rule: ValidationRule, field: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const { message, messageExpression = "", reason, fieldPath = "" } = rule;
  if (rule.rule.trim() === "") {
    causes.push(requiredValue(`${field}.rule`, "rule is not specified"));
  } else if (message !== undefined && message !== "") {
    if (message.trim() === "") {
      causes.push(invalidValue(`${field}.message`, message, "must be non-empty if specified"));
    } else if (/[\r\n]/.test(message)) {
      causes.push(invalidValue(`${field}.message`, message, "must not contain line breaks"));
    }
  } else if (/[\r\n]/.test(rule.rule.trim())) {
    const detail = "message must be specified if rule contains line breaks";
    causes.push(requiredValue(`${field}.message`, detail));
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    const detail = "messageExpression must be non-empty if specified";
    causes.push(requiredValue(`${field}.messageExpression`, detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    causes.push(unsupportedValue(`${field}.reason`, reason, reasons));
  }
  const blamePath = (detail: string): unknown =>
    causes.push(invalidValue(`${field}.fieldPath`, fieldPath, detail));
  if (fieldPath !== "" && fieldPath.trim() === "") blamePath("must be non-empty if specified");
  if (/[\r\n]/.test(fieldPath)) blamePath("must not contain line breaks");
  if (fieldPath !== "" && !isPath(schema, fieldPath)) blamePath("must be a valid path");
  return causes;
}

/** Whether a path such as `.spec.replicas` or `.map['key']` leads to a declared field. */
function isPath(schema: StructuralSchema, path: string): boolean {
  const step = /^(?:\.([A-Za-z_$][\w$-]*)|\['((?:[^'\\]|\\.)+)'\])/.exec(path);
  if (step === null) return false;
  const name = step[1] ?? step[2] ?? "";
  const child = propertySchema(schema, name) ?? additionalSchema(schema);
  if (child === undefined) return false;
  const rest = path.slice(step[0].length);
  return rest === "" || isPath(child, rest);
}

function placeIn(expression: string, fault: CelFault | undefined): Pick<RuleFault, "fault"> {
  return fault === undefined ? {} : { fault: { ...fault, expression } };
}

function refused(field: string, rule: ValidationRule, detail: string): StatusCause {
  return {
    ...forbiddenValue(field, ""),
    reason: "FieldValueInvalid",
    message: `Invalid value: ${goRule(rule)}: ${detail}`,
  };
}

/** A rule as the server prints it: Go's JSON of its internal struct. */
function goRule(rule: ValidationRule): string {
  const json = JSON.stringify({
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
  return json.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
}
