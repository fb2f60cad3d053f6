// The CEL of admission: what match conditions and policies may speak about.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
import { createCelEnvironment } from "../../../schema/cel/cel-environment.ts";
import { declareType, toDynamic } from "../../../schema/cel/cel-type.ts";
import {
  compileExpression,
  evaluationFailure,
  type CelEnvironment,
  type CompiledExpression,
} from "../../../schema/cel/compile-expression.ts";
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../schema/status-cause.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { fieldsList, textOf, type Fields } from "../api-object.ts";
import { qualifiedNameFault } from "../name-rules.ts";

const text: StructuralSchema = { type: "string" };
const anything: StructuralSchema = { "x-kubernetes-int-or-string": true };
const record = (properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: "object",
  properties,
});
const kind = record({ group: text, version: text, kind: text });
const resource = record({ group: text, version: text, resource: text });
const requestSchema = record({
  kind,
  resource,
  subResource: text,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: record({
    username: text,
    uid: text,
    groups: { type: "array", items: text },
    extra: { type: "object", additionalProperties: { type: "array", items: text } },
  }),
  dryRun: { type: "boolean" },
  options: anything,
});

/** The variables of one write, ready for expressions. */
export type ExpressionVariables = Readonly<Record<string, unknown>>;

const matchEnvironment = createCelEnvironment();
const requestType = declareType(matchEnvironment, requestSchema, "kubernetes.AdmissionRequest");
for (const name of ["object", "oldObject", "params", "namespaceObject"]) {
  matchEnvironment.registerVariable(name, "dyn");
}
matchEnvironment.registerVariable("request", "kubernetes.AdmissionRequest");

/** What `object`, `oldObject` and `request` are in a write. */
export function admissionVariables(request: Fields): ExpressionVariables {
  const { object, oldObject, ...rest } = request;
  return {
    object: toDynamic(object),
    oldObject: toDynamic(oldObject),
    request: requestType?.toCel(rest),
  };
}

/** A condition of a webhook or a policy. */
export interface MatchCondition {
  readonly expression: string;
  readonly compiled: CompiledExpression;
}

/** The conditions in a `matchConditions`; what does not compile was refused before it was stored. */
export function readMatchConditions(
  value: unknown,
  environment: CelEnvironment = matchEnvironment,
): readonly MatchCondition[] {
  return fieldsList(value).flatMap((each) => {
    const expression = textOf(each["expression"]);
    const compiled = compileExpression(environment, expression);
    return "error" in compiled ? [] : [{ expression, compiled }];
  });
}

/**
 * Whether all conditions hold. One that is false decides, whatever others fail with; else a failure is thrown, as
 * {@link ConditionFailed}.
 */
export function conditionsHold(
  conditions: readonly MatchCondition[],
  variables: ExpressionVariables,
): boolean {
  const failures: string[] = [];
  for (const { expression, compiled } of conditions) {
    try {
      if (compiled.evaluate(variables) !== true) return false;
    } catch (error) {
      failures.push(`expression '${expression}' resulted in error: ${evaluationFailure(error)}`);
    }
  }
  if (failures.length === 0) return true;
  throw new ConditionFailed(failures.length === 1 ? (failures[0] ?? "") : `[${failures.join(", ")}]`);
}

/** Conditions that could not be evaluated. */
export class ConditionFailed extends Error {}

/** Faults of the `matchConditions` of a webhook or a policy. */
export function matchConditionFaults(
  value: unknown,
  field: string,
  environment: CelEnvironment = matchEnvironment,
): StatusCause[] {
  const names = new Set<string>();
  return fieldsList(value).flatMap((condition, index) => {
    const at = `${field}[${index}]`;
    const faults: StatusCause[] = [];
    const expression = textOf(condition["expression"]).trim();
    if (expression === "") faults.push(requiredValue(`${at}.expression`));
    else {
      const compiled = compileExpression(environment, expression);
      const fault =
        "error" in compiled
          ? compiled.error
          : compiled.type === "bool"
            ? undefined
            : `must evaluate to bool but got ${compiled.type}`;
      if (fault !== undefined) faults.push(invalidValue(`${at}.expression`, expression, fault));
    }
    const name = textOf(condition["name"]);
    if (name === "") faults.push(requiredValue(`${at}.name`));
    else {
      const fault = qualifiedNameFault(name);
      if (fault !== undefined) faults.push(invalidValue(`${at}.name`, name, fault));
      else if (names.has(name)) faults.push(duplicateValue(`${at}.name`, name));
    }
    names.add(name);
    return faults;
  });
}
