// The CEL by which devices are chosen, as far as it says whether an expression may be stored: nobody here gives out devices.
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-v1/
import { createCelEnvironment } from "../../../../schema/cel/cel-environment.ts";
import { declareType } from "../../../../schema/cel/cel-type.ts";
import { compileExpression } from "../../../../schema/cel/compile-expression.ts";
import type { StructuralSchema } from "../../../../schema/structural-schema.ts";

/** By domain, then by name; of any type. */
const described: StructuralSchema = {
  type: "object",
  additionalProperties: {
    type: "object",
    additionalProperties: { "x-kubernetes-int-or-string": true },
  },
};
const device: StructuralSchema = {
  type: "object",
  properties: {
    driver: { type: "string" },
    attributes: described,
    capacity: described,
    allowMultipleAllocations: { type: "boolean" },
  },
};

const environment = createCelEnvironment();
declareType(environment, device, "DRADevice");
environment.registerVariable("device", "DRADevice");

/** What is wrong with an expression that chooses devices, or undefined. */
export function deviceExpressionFault(expression: string): string | undefined {
  const compiled = compileExpression(environment, expression);
  if ("error" in compiled) return compiled.error;
  return compiled.type === "bool" || compiled.type === "dyn"
    ? undefined
    : `must evaluate to bool or the unknown type, not ${compiled.type.replaceAll("<", "(").replaceAll(">", ")")}`;
}
