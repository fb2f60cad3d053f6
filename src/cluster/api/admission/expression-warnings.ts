// Which expressions of a validating policy do not fit the types that the policy is for, as Kubernetes' controller says it in
// `status.typeChecking`: whoever has misspelt a field finds it there before a write comes.
// https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
import { compileExpression, type CelEnvironment } from "../../../schema/cel/compile-expression.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { fieldsList, fieldsOf, textOf } from "../api-object.ts";
import { policyEnvironment } from "./admission-expressions.ts";

/** A type whose objects a policy is for. */
export interface CheckedType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: StructuralSchema;
}

/** An entry of `expressionWarnings`. */
export interface ExpressionWarning {
  /** Such as `spec.validations[0].expression`. */
  readonly fieldRef: string;
  readonly warning: string;
}

/** The warnings about the `spec` of a policy; `params` is the type of its parameters, if that is known. */
export function expressionWarnings(
  spec: unknown,
  types: readonly CheckedType[],
  params: StructuralSchema | undefined,
): readonly ExpressionWarning[] {
  const { paramKind, variables, validations } = fieldsOf(spec);
  const scopes = types.map((type) => ({
    name: `${type.group}/${type.version}, Kind=${type.kind}`,
    scope: policyEnvironment(paramKind !== undefined, variables, { object: type.schema, params }).environment,
  }));
  return fieldsList(validations).flatMap(({ expression, messageExpression }, index) =>
    Object.entries({ expression, messageExpression }).flatMap(([field, text]): ExpressionWarning[] => {
      if (textOf(text) === "") return [];
      const faults = scopes.flatMap(({ name, scope }) => {
        const fault = faultIn(scope, textOf(text));
        return fault === undefined ? [] : [`${name}: ${fault}\n`];
      });
      if (faults.length === 0) return [];
      return [{ fieldRef: `spec.validations[${index}].${field}`, warning: faults.join("\n") }];
    }),
  );
}

function faultIn(scope: CelEnvironment, expression: string): string | undefined {
  const compiled = compileExpression(scope, expression);
  return "error" in compiled ? compiled.error.replace(/^compilation failed: /, "") : undefined;
}
