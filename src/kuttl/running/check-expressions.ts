// Expressions in CEL over objects of the cluster: `assertAll`, `assertAny`.
import { messageOf } from "../../ports/operator-error.ts";
import { CelScope } from "../../schema/cel/cel-scope.ts";
import type { AssertSettings, TestExpression } from "../files/test-forms.ts";
import type { CheckedPlace, Finding } from "./check-objects.ts";

/** What is wrong with the expressions of a step. */
export async function checkExpressions(
  { resourceRefs = [], assertAll = [], assertAny = [] }: AssertSettings,
  { cluster, namespace, signal }: CheckedPlace,
): Promise<readonly Finding[]> {
  if (assertAll.length + assertAny.length === 0) return [];
  const values: Record<string, unknown> = {};
  for (const { apiVersion, kind, name, namespace: own, ref } of resourceRefs) {
    const metadata = { name, ...(own === undefined ? {} : { namespace: own }) };
    const object = await cluster.read(
      await cluster.place({ apiVersion, kind, metadata }, namespace, signal),
      signal,
    );
    if (object === undefined) {
      return [{ title: `${kind} ${name}, which expressions call ${ref}, is not there`, details: [] }];
    }
    values[ref] = object;
  }
  const scope = new CelScope(Object.fromEntries(resourceRefs.map(({ ref }) => [ref, "any" as const])));
  const findings = assertAll.flatMap((expression) => wrongWith(expression, scope, values));
  const any = assertAny.map((expression) => wrongWith(expression, scope, values));
  if (any.length > 0 && any.every((wrong) => wrong.length > 0)) {
    const details = any.flat().map(({ title }) => title);
    findings.push({ title: "none of the expressions in assertAny is true", details });
  }
  return findings;
}

function wrongWith(
  { celExpr }: TestExpression,
  scope: CelScope,
  values: Readonly<Record<string, unknown>>,
): Finding[] {
  const compiled = scope.compile(celExpr);
  if ("fault" in compiled)
    return [{ title: `the expression cannot be read: ${celExpr}`, details: [compiled.fault.text] }];
  try {
    const said = compiled.evaluate(values);
    return said === true
      ? []
      : [{ title: `the expression is ${JSON.stringify(said)}: ${celExpr}`, details: [] }];
  } catch (error) {
    return [{ title: `the expression fails: ${celExpr}`, details: [messageOf(error)] }];
  }
}
