// What mutating admission policies and their bindings must be.
import {
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { policyEnvironment } from "../../admission/admission-expressions.ts";
import { mutationTypes, readMutation, type PatchType } from "../../admission/mutation-expressions.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { bindingFields, policyRules, policyVariableFaults } from "./admission-policy-rules.ts";
import { all, fields, oneOf, optional, required, type Rule } from "./rule.ts";

const holders: Readonly<Record<PatchType, string>> = {
  ApplyConfiguration: "applyConfiguration",
  JSONPatch: "jsonPatch",
};

const expressions: Rule = (value, at) => {
  const spec = fieldsOf(value);
  const policyOf = policyEnvironment(spec["paramKind"] !== undefined, spec["variables"]);
  const { environment } = policyOf;
  const mutations = fieldsList(spec["mutations"]);
  return [
    ...policyVariableFaults(spec, at, policyOf),
    ...(mutations.length === 0
      ? [requiredValue(`${at}.mutations`, "mutations must contain at least one item")]
      : []),
    ...mutations.flatMap((mutation, index) =>
      mutationFaults(mutation, `${at}.mutations[${index}]`, environment),
    ),
  ];
};

function mutationFaults(
  mutation: Fields,
  at: string,
  environment: Parameters<typeof readMutation>[1],
): StatusCause[] {
  const { patchType } = mutation;
  const known = Object.keys(holders) as PatchType[];
  const chosen = known.find((each) => each === patchType);
  if (chosen === undefined) {
    return textOf(patchType) === ""
      ? [requiredValue(`${at}.patchType`)]
      : [unsupportedValue(`${at}.patchType`, patchType, known)];
  }
  const causes: StatusCause[] = [];
  for (const [type, holder] of Object.entries(holders)) {
    const isGiven = mutation[holder] !== undefined;
    if (type === chosen && !isGiven) {
      causes.push(requiredValue(`${at}.${holder}`, `must be specified when patchType is ${chosen}`));
    }
    if (type !== chosen && isGiven) {
      causes.push(
        invalidValue(`${at}.${holder}`, `{${holder}}`, `must not be specified when patchType is ${chosen}`),
      );
    }
  }
  const field = `${at}.${holders[chosen]}.expression`;
  const { compiled, expression } = readMutation(mutation, environment);
  if (mutation[holders[chosen]] === undefined) return causes;
  if (expression.trim() === "") return [...causes, requiredValue(field)];
  if ("error" in compiled) return [...causes, invalidValue(field, expression, compiled.error)];
  const wanted = mutationTypes[chosen];
  if (compiled.type !== wanted) {
    const found = compiled.type.replaceAll("<", "(").replaceAll(">", ")").replaceAll(/\bT\b/g, "dyn");
    const detail = `must evaluate to ${wanted.replaceAll("<", "(").replaceAll(">", ")")} but got ${found}`;
    causes.push(invalidValue(field, expression, detail));
  }
  return causes;
}

const mutable = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Nothing that is deleted can be mutated; the real server does not say which of the rules is about something else. */
const mutableOperations: Rule = (value, at) =>
  fieldsList(fieldsOf(value)["resourceRules"]).flatMap(({ operations }) =>
    listOf(operations).flatMap((operation) =>
      mutable.includes(textOf(operation))
        ? []
        : [unsupportedValue(`${at}.resourceRules.operations`, operation, mutable)],
    ),
  );

/** `MutatingAdmissionPolicy`. */
export const mutatingPolicyRules: Rule = fields({
  spec: all(
    policyRules,
    fields({ matchConstraints: mutableOperations }),
    expressions,
    fields({ reinvocationPolicy: all(required(), optional(oneOf("IfNeeded", "Never"))) }),
  ),
});

/** `MutatingAdmissionPolicyBinding`. */
export const mutatingBindingRules: Rule = fields({
  spec: all(fields(bindingFields), fields({ matchResources: mutableOperations })),
});
