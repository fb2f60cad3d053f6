// Mutating admission policies: which are registered, and how they change what is written.
// https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
import { atomicPlaces } from "../../patch/atomic-places.ts";
import { applyJsonPatch, TestFailed } from "../../patch/json-patch.ts";
import { mergeValues } from "../../patch/merge-values.ts";
import { PatchError } from "../../patch/patch-error.ts";
import { typeNodeOf } from "../../patch/type-atom.ts";
import { joinTypedErrors, typedErrors } from "../../patch/typed-errors.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import { toDynamic } from "../../../schema/cel/cel-type.ts";
import { evaluationFailure } from "../../../schema/cel/compile-expression.ts";
import { fieldsList, fieldsOf, isFields, type ApiObject, type Fields } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { detailsOf, internalError, StatusError } from "../status-error.ts";
import { typedSchemaOf } from "../typed-schema.ts";
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
import { appliedObject, patchOperations, readMutation, type Mutation } from "./mutation-expressions.ts";
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
export interface MutatingPolicy {
  readonly name: string;
  readonly criteria: MatchCriteria;
  readonly ignoresFailures: boolean;
  /** Whether it is asked again when others have changed the object after it. */
  readonly reinvoked: boolean;
  readonly paramKind: Fields | undefined;
  readonly environment: PolicyEnvironment;
  readonly conditions: readonly MatchCondition[];
  readonly mutations: readonly Mutation[];
  readonly bindings: readonly PolicyBinding[];
}

/** The policies among these objects that something binds, with what binds them. */
export function readMutatingPolicies(objects: readonly ApiObject[]): readonly MutatingPolicy[] {
  const bindings = objects.filter(({ kind }) => kind === "MutatingAdmissionPolicyBinding");
  return objects
    .filter(({ kind }) => kind === "MutatingAdmissionPolicy")
    .map((policy) => readPolicy(policy, bindings))
    .filter(({ bindings: own }) => own.length > 0);
}

function readPolicy({ metadata, ...content }: ApiObject, bindings: readonly ApiObject[]): MutatingPolicy {
  const spec = fieldsOf(content["spec"]);
  const paramKind = isFields(spec["paramKind"]) ? spec["paramKind"] : undefined;
  const environment = policyEnvironment(paramKind !== undefined, spec["variables"]);
  return {
    name: metadata.name,
    criteria: readCriteria(spec["matchConstraints"]),
    ignoresFailures: spec["failurePolicy"] === "Ignore",
    reinvoked: spec["reinvocationPolicy"] === "IfNeeded",
    paramKind,
    environment,
    conditions: readMatchConditions(spec["matchConditions"], environment.environment),
    mutations: fieldsList(spec["mutations"]).map((each) => readMutation(each, environment.environment)),
    bindings: bindings.flatMap((each) => readBinding(each, metadata.name) ?? []),
  };
}

/** A write as a policy sees it. */
export interface MutableWrite {
  readonly type: ServedType;
  readonly object: Fields;
  /** The review's request, whose object is that one. */
  readonly request: Fields;
}

/** Reads what a mutation has made into the shape that the write needs. Errors: TypeError about a value of the wrong type. */
type Decode = (object: Fields) => Fields;

/** The object as a policy leaves it. Errors: StatusError for a refusal. */
export function mutateByPolicy(
  source: PolicySource,
  policy: MutatingPolicy,
  attributes: AdmissionAttributes,
  write: MutableWrite,
  decode: Decode,
): Fields {
  const fail = (message: string, binding?: PolicyBinding): void => {
    if (policy.ignoresFailures) return;
    const place = binding === undefined ? "" : ` with binding '${binding.name}'`;
    const text = `policy '${policy.name}'${place} denied request: ${message}`;
    const details = { ...detailsOf(attributes.type, attributes.name), causes: [{ message: text }] };
    throw new StatusError(403, "Invalid", text, details);
  };
  const fault = missingParamKind(source, policy.paramKind);
  if (fault !== undefined) {
    fail(fault);
    return write.object;
  }
  let { object } = write;
  for (const binding of policy.bindings) {
    if (matchedType(source, binding.criteria, attributes) === undefined) continue;
    const params = collectParams(source, policy.paramKind, binding, attributes.namespace);
    if (typeof params === "string") {
      fail(`failed to configure binding: ${params}`, binding);
      continue;
    }
    for (const param of params) {
      const rest = {
        ...(policy.paramKind === undefined ? {} : { params: toDynamic(param) }),
        authorizer: authorizerOf(source.authorizer, attributes),
        namespaceObject: namespaceVariable(boundNamespace(source, attributes)),
      };
      const variablesOf = (): ExpressionVariables =>
        policy.environment.variablesOf({ ...write.request, object }, rest);
      try {
        if (!conditionsHold(policy.conditions, variablesOf())) continue;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        fail(error.message, binding);
        continue;
      }
      for (const mutation of policy.mutations) {
        try {
          object = mutated({ type: write.type, object, decode }, mutation, variablesOf());
        } catch (error) {
          if (error instanceof StatusError) throw error;
          fail(messageOf(error), binding);
        }
      }
    }
  }
  return object;
}

/** What a mutation changes. */
interface Mutable {
  readonly type: ServedType;
  readonly object: Fields;
  readonly decode: Decode;
}

function mutated(
  mutable: Mutable,
  { patchType, expression, compiled }: Mutation,
  variables: ExpressionVariables,
): Fields {
  if ("error" in compiled) throw new Error(compiled.error);
  let value: unknown;
  try {
    value = compiled.evaluate(variables);
  } catch (error) {
    throw new Error(`expression '${expression}' resulted in error: ${evaluationFailure(error)}`, {
      cause: error,
    });
  }
  return patchType === "JSONPatch"
    ? patched(mutable, patchOperations(value))
    : mutable.decode(merged(mutable, appliedObject(value)));
}

/** The object as a JSON patch leaves it: as it was where one of its tests fails. Errors: 500 for what is no object of the type. */
function patched({ type, object, decode }: Mutable, operations: readonly unknown[]): Fields {
  let next: Fields;
  try {
    next = fieldsOf(applyJsonPatch(object, operations));
  } catch (error) {
    if (error instanceof TestFailed) return object;
    throw error instanceof PatchError ? new Error(`JSON Patch: ${error.detail}`, { cause: error }) : error;
  }
  const unknown = type.custom ? [] : type.shape(next).unknownFields;
  if (unknown.length > 0) {
    const fields = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    throw internalError(`strict decoding error: ${fields.join(", ")}`);
  }
  try {
    return decode(next);
  } catch (error) {
    throw error instanceof TypeError ? internalError(error.message) : error;
  }
}

/** Lays an object over what is written, as server-side apply does; nobody owns the fields. */
function merged({ type, object }: Mutable, applied: Fields): Fields {
  const { apiVersion, kind } = object;
  const whole = { apiVersion, kind, ...applied };
  const node = typeNodeOf(typedSchemaOf(type).schema);
  const errors = typedErrors(node, whole);
  if (errors.length > 0)
    throw new Error(
      `error applying patch: failed to convert patch object to typed object: ${joinTypedErrors(errors)}`,
    );
  const atomic = atomicPlaces(node, whole);
  if (atomic.length > 0) {
    const detail = `may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`;
    throw new Error(`error applying patch: invalid ApplyConfiguration: ${detail}`);
  }
  return fieldsOf(mergeValues(node, object, whole));
}
