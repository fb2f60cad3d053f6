// The CEL of admission: what match conditions and policies may speak about.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
import { toDynamic } from "../../../schema/cel/cel-type.ts";
import { wholeType } from "../../../schema/cel/compile-error.ts";
import {
  compileExpression,
  evaluationFailure,
  type CelEnvironment,
  type CompiledExpression,
  type FailedExpression,
} from "../../../schema/cel/compile-expression.ts";
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../schema/status-cause.ts";
import { fieldsList, textOf, type Fields } from "../api-object.ts";
import { qualifiedNameFault } from "../../../meta/name-rules.ts";
import { createAdmissionScope, recordNames, type ObjectTypes } from "./admission-scope.ts";

/** The variables of one write, ready for expressions. */
export type ExpressionVariables = Readonly<Record<string, unknown>>;

/** The scope of objects of which nothing is known. */
const anyScope = createAdmissionScope();
const matchEnvironment = anyScope.conditions;

/** What the expressions of a policy may speak about: what conditions may, its parameters and its own variables. */
export interface PolicyEnvironment {
  readonly environment: CelEnvironment;
  /** That of messages. */
  readonly messages: CelEnvironment;
  readonly variables: readonly PolicyVariable[];
  /** The variables of one write; those of the policy are worked out when an expression asks for them. */
  variablesOf(request: Fields, rest: ExpressionVariables): ExpressionVariables;
}

/** A variable of a policy; without a value where it does not compile. */
export interface PolicyVariable {
  readonly name: string;
  readonly expression: string;
  readonly compiled: CompiledExpression | FailedExpression;
}

const variablesType = "kubernetes.variables";

/** The environment of a policy. `variables` is its list of them; `types` are those of its objects, if they are known. */
export function policyEnvironment(
  hasParams: boolean,
  variables: unknown,
  types?: ObjectTypes,
): PolicyEnvironment {
  const base = types === undefined ? anyScope : createAdmissionScope(types);
  const scopeOf = (own: CelEnvironment): CelEnvironment => {
    const scope = own.clone();
    if (hasParams) scope.registerVariable("params", base.paramsType);
    return scope;
  };
  const environment = scopeOf(base.conditions);
  const compiled: PolicyVariable[] = [];
  const fields: Record<string, string> = {};
  /** Instances are known by their class; each property is worked out once. */
  const Variables = class {
    typeName(): string {
      return variablesType;
    }
  };
  const listed = fieldsList(variables);
  let latest = listed.length === 0 ? environment : withVariables(environment, Variables, fields);
  for (const { name, expression } of listed) {
    const variable = {
      name: textOf(name),
      expression: textOf(expression),
      compiled: compileExpression(latest, textOf(expression)),
    };
    compiled.push(variable);
    fields[variable.name] = "error" in variable.compiled ? "dyn" : plainType(variable.compiled.type);
    latest = withVariables(environment, Variables, fields);
  }
  const messages = scopeOf(base.messages);
  return {
    environment: latest,
    messages: listed.length === 0 ? messages : withVariables(messages, Variables, fields),
    variables: compiled,
    variablesOf(request, rest) {
      const all: Record<string, unknown> = { ...admissionVariables(request), ...rest };
      const known = new Variables();
      for (const { name, compiled: each } of compiled) {
        let value: unknown;
        let isKnown = false;
        Object.defineProperty(known, name, {
          enumerable: true,
          get: () => {
            if (!isKnown) value = variableValue(name, each, all);
            isKnown = true;
            return value;
          },
        });
      }
      all["variables"] = known;
      return all;
    },
  };
}

/** Of the type of a variable, what Kubernetes keeps: those of values, lists and maps; records become anything. */
function plainType(type: string): string {
  const [, container, inside = ""] = /^(list|map)<(.*)>$/.exec(type) ?? [];
  if (container === "list") return `list<${plainType(inside)}>`;
  if (container === "map") {
    const [key = "", value = ""] = inside.split(/, (.*)/s);
    return `map<${plainType(key)}, ${plainType(value)}>`;
  }
  return plainTypes.test(type) ? type : "dyn";
}

const plainTypes = /^(?:bool|bytes|double|int|null|string|uint|google\.protobuf\.(?:Duration|Timestamp))$/;

function withVariables(
  environment: CelEnvironment,
  ctor: new () => object,
  fields: Readonly<Record<string, string>>,
): CelEnvironment {
  const extended = environment.clone();
  extended.registerType({ name: variablesType, ctor, fields: { ...fields } });
  extended.registerVariable("variables", variablesType);
  return extended;
}

function variableValue(
  name: string,
  compiled: CompiledExpression | FailedExpression,
  variables: ExpressionVariables,
): unknown {
  if ("error" in compiled)
    throw new Error(`composited variable "${name}" fails to compile: ${compiled.error}`);
  try {
    return compiled.evaluate(variables);
  } catch (error) {
    throw new Error(`composited variable "${name}" fails to evaluate: ${evaluationFailure(error)}`, {
      cause: error,
    });
  }
}

/** What `namespaceObject` is in a namespace; null in none. */
export const namespaceVariable = anyScope.toNamespace;

/** What `object`, `oldObject` and `request` are in a write, for expressions that are not given its namespace. */
export function admissionVariables(request: Fields): ExpressionVariables {
  const { object, oldObject, ...rest } = request;
  return {
    object: toDynamic(object),
    oldObject: toDynamic(oldObject),
    namespaceObject: null,
    request: anyScope.toRequest(rest),
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

/** What is wrong with an expression that has to come to one of these types; undefined: nothing. */
export function expressionFault(
  environment: CelEnvironment,
  expression: string,
  types: readonly string[],
): string | undefined {
  const compiled = compileExpression(environment, expression);
  if ("error" in compiled) return compiled.error;
  const type = wholeType(compiled.type).replaceAll(
    /kubernetes\.[\w.]+/g,
    (name) => recordNames[name] ?? name,
  );
  if (types.includes(type)) return undefined;
  const allowed = types.length === 1 ? types[0] : `one of [${types.join(" ")}]`;
  return `must evaluate to ${allowed} but got ${type}`;
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
      const fault = expressionFault(environment, expression, ["bool"]);
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
