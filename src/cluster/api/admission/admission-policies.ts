// Validating admission policies: which are registered, what they decide on a write, and the words of their refusals.
// https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
import { toDynamic } from "../../../schema/cel/cel-type.ts";
import {
  compileExpression,
  evaluationFailure,
  type CompiledExpression,
} from "../../../schema/cel/compile-expression.ts";
import {
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  textOf,
  type ApiObject,
  type Fields,
} from "../api-object.ts";
import { forbiddenObject, StatusError } from "../status-error.ts";
import type { AdmissionAttributes } from "./admission-attributes.ts";
import {
  ConditionFailed,
  conditionsHold,
  namespaceVariable,
  policyEnvironment,
  readMatchConditions,
  type ExpressionVariables,
  type MatchCondition,
  type PolicyEnvironment,
} from "./admission-expressions.ts";
import { authorizerOf } from "./authorizer-expressions.ts";
import { matchedType, type MatchCriteria } from "./matching.ts";
import {
  boundNamespace,
  collectParams,
  missingParamKind,
  readBinding,
  readCriteria,
  type PolicyBinding,
  type PolicySource,
} from "./policy-bindings.ts";

/** A policy with what binds it. */
export interface AdmissionPolicy {
  readonly name: string;
  readonly criteria: MatchCriteria;
  /** Whether what cannot be evaluated lets the write pass. */
  readonly ignoresFailures: boolean;
  readonly paramKind: Fields | undefined;
  readonly environment: PolicyEnvironment;
  readonly conditions: readonly MatchCondition[];
  readonly validations: readonly Validation[];
  readonly annotations: readonly AuditAnnotation[];
  readonly bindings: readonly ValidatingBinding[];
}

interface ValidatingBinding extends PolicyBinding {
  readonly actions: readonly string[];
}

interface Validation {
  readonly expression: string;
  readonly compiled: CompiledExpression;
  readonly message: string;
  readonly messageExpression: CompiledExpression | undefined;
  readonly reason: string;
}

interface AuditAnnotation {
  readonly expression: string;
  readonly compiled: CompiledExpression;
}

/** The policies among these objects that something binds, with what binds them. */
export function readPolicies(objects: readonly ApiObject[]): readonly AdmissionPolicy[] {
  const bindings = objects.filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding");
  return objects
    .filter(({ kind }) => kind === "ValidatingAdmissionPolicy")
    .map((policy) => readPolicy(policy, bindings))
    .filter(({ bindings: own }) => own.length > 0);
}

function readPolicy({ metadata, ...content }: ApiObject, bindings: readonly ApiObject[]): AdmissionPolicy {
  const spec = fieldsOf(content["spec"]);
  const paramKind = isFields(spec["paramKind"]) ? spec["paramKind"] : undefined;
  const environment = policyEnvironment(paramKind !== undefined, spec["variables"]);
  const compile = (expression: unknown, scope = environment.environment): CompiledExpression | undefined => {
    const compiled = compileExpression(scope, textOf(expression));
    return "error" in compiled ? undefined : compiled;
  };
  return {
    name: metadata.name,
    criteria: readCriteria(spec["matchConstraints"]),
    ignoresFailures: spec["failurePolicy"] === "Ignore",
    paramKind,
    environment,
    conditions: readMatchConditions(spec["matchConditions"], environment.environment),
    // What does not compile was refused before it was stored.
    validations: fieldsList(spec["validations"]).flatMap(
      ({ expression, message, messageExpression, reason }): Validation[] => {
        const compiled = compile(expression);
        if (compiled === undefined) return [];
        return [
          {
            expression: textOf(expression),
            compiled,
            message: textOf(message).trim(),
            messageExpression:
              messageExpression === undefined ? undefined : compile(messageExpression, environment.messages),
            reason: textOf(reason) === "" ? "Invalid" : textOf(reason),
          },
        ];
      },
    ),
    annotations: fieldsList(spec["auditAnnotations"]).flatMap(({ valueExpression }) => {
      const compiled = compile(valueExpression);
      return compiled === undefined ? [] : [{ expression: textOf(valueExpression), compiled }];
    }),
    bindings: bindings.flatMap((object): ValidatingBinding[] => {
      const binding = readBinding(object, metadata.name);
      if (binding === undefined) return [];
      return [{ ...binding, actions: listOf(fieldsOf(object["spec"])["validationActions"]).map(String) }];
    }),
  };
}

/** A write as a policy sees it; undefined: it is none of its business. */
export type SeenByPolicy = (policy: AdmissionPolicy) => Promise<Fields | undefined>;

/** Holds a write against policies; their warnings. Errors: StatusError for a refusal. */
export async function askPolicies(
  source: PolicySource,
  policies: readonly AdmissionPolicy[],
  attributes: AdmissionAttributes,
  seenBy: SeenByPolicy,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  const refusals: Refusal[] = [];
  for (const policy of policies) {
    const request = await seenBy(policy);
    if (request === undefined) continue;
    const fault = missingParamKind(source, policy.paramKind);
    if (fault !== undefined) {
      const message = `ValidatingAdmissionPolicy '${policy.name}' denied request: ${fault}`;
      if (!policy.ignoresFailures) refusals.push({ message, reason: "Invalid" });
      continue;
    }
    for (const binding of policy.bindings) {
      if (matchedType(source, binding.criteria, attributes) === undefined) continue;
      const place = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}'`;
      for (const { message, reason, isFailure } of decide(source, policy, binding, attributes, request)) {
        // What cannot be configured is refused whatever the binding does about what is denied.
        if (isFailure || binding.actions.includes("Deny")) {
          refusals.push({ message: `${place} denied request: ${message}`, reason });
        }
        if (!isFailure && binding.actions.includes("Warn")) {
          warnings.push(`Validation failed for ${place}: ${message}`);
        }
      }
    }
  }
  const [first] = refusals;
  if (first !== undefined) throw refusal(attributes, first, warnings);
  return warnings;
}

interface Refusal {
  readonly message: string;
  readonly reason: string;
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

function refusal(
  { type, name }: AdmissionAttributes,
  { message, reason }: Refusal,
  warnings: readonly string[],
): StatusError {
  const { status } = forbiddenObject(type, name, message, [{ message }]);
  const error = new StatusError(codes[reason] ?? 422, reason, status.message ?? "", status.details);
  error.warnings = warnings;
  return error;
}

interface PolicyDecision extends Refusal {
  /** Not the expression has refused: the policy or its binding could not be used. */
  readonly isFailure: boolean;
}

/** What speaks against a write, by one binding. */
function decide(
  source: PolicySource,
  policy: AdmissionPolicy,
  binding: ValidatingBinding,
  attributes: AdmissionAttributes,
  request: Fields,
): readonly PolicyDecision[] {
  const failed = (message: string, isFailure: boolean): readonly PolicyDecision[] =>
    policy.ignoresFailures ? [] : [{ message, reason: "Invalid", isFailure }];
  const params = collectParams(source, policy.paramKind, binding, attributes.namespace);
  if (typeof params === "string") return failed(`failed to configure binding: ${params}`, true);
  const namespace = boundNamespace(source, attributes);
  return params.flatMap((param) => {
    const variables = policy.environment.variablesOf(request, {
      ...(policy.paramKind === undefined ? {} : { params: toDynamic(param) }),
      authorizer: authorizerOf(source.authorizer, attributes),
      namespaceObject: namespaceVariable(namespace),
    });
    try {
      if (!conditionsHold(policy.conditions, variables)) return [];
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      return failed(error.message, false);
    }
    const decisions = policy.validations.flatMap((validation): readonly PolicyDecision[] => {
      const { expression, compiled, reason } = validation;
      try {
        if (compiled.evaluate(variables) === true) return [];
      } catch (error) {
        return failed(`expression '${expression}' resulted in error: ${evaluationFailure(error)}`, false);
      }
      return [{ message: messageOf(validation, variables), reason, isFailure: false }];
    });
    return [...decisions, ...policy.annotations.flatMap((each) => annotationFault(each, variables, failed))];
  });
}

function annotationFault(
  { expression, compiled }: AuditAnnotation,
  variables: ExpressionVariables,
  failed: (message: string, isFailure: boolean) => readonly PolicyDecision[],
): readonly PolicyDecision[] {
  try {
    compiled.evaluate(variables);
    return [];
  } catch (error) {
    return failed(`expression '${expression}' resulted in error: ${evaluationFailure(error)}`, true);
  }
}

const longestMessage = 5 * 1024;

/** What is said of a validation that refuses: what its expression comes to, its text, or the expression itself. */
function messageOf(
  { messageExpression, message, expression }: Validation,
  variables: ExpressionVariables,
): string {
  const said = evaluatedMessage(messageExpression, variables);
  if (said !== "" && said.length <= longestMessage && !said.includes("\n")) return said;
  return message === "" ? `failed expression: ${expression.trim()}` : message;
}

function evaluatedMessage(
  expression: CompiledExpression | undefined,
  variables: ExpressionVariables,
): string {
  try {
    return textOf(expression?.evaluate(variables)).trim();
  } catch {
    // A message that cannot be made is left to the next best one.
    return "";
  }
}
