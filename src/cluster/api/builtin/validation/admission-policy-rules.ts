// What validating admission policies and their bindings must be; what their expressions may speak about is in
// admission/admission-expressions.ts.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import {
  expressionFault,
  matchConditionFaults,
  policyEnvironment,
  type PolicyEnvironment,
} from "../../admission/admission-expressions.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import {
  letteredLabelFault,
  pathSegmentFaults,
  qualifiedNameFaults,
  subdomainFault,
  subdomainFaults,
} from "../../../../meta/name-rules.ts";
import { all, each, fields, oneOf, optional, required, text, type Rule } from "./rule.ts";
import { labelSelectorRule, operationRule } from "./webhook-rules.ts";

const resourceNames: Rule = (value, at) => {
  const names = listOf(value).map(String);
  return names.flatMap((name, index): StatusCause[] => {
    const field = `${at}[${index}]`;
    return [
      ...pathSegmentFaults(name).map((fault) => invalidValue(field, name, fault)),
      ...(names.indexOf(name) < index ? [duplicateValue(field, name)] : []),
    ];
  });
};

const namedRule: Rule = all(fields({ resourceNames }), operationRule);

const matchResources: Rule = fields({
  matchPolicy: oneOf("Equivalent", "Exact"),
  namespaceSelector: labelSelectorRule,
  objectSelector: labelSelectorRule,
  resourceRules: each(namedRule),
  excludeResourceRules: each(namedRule),
});

const paramKind: Rule = optional((value, at) => {
  const { apiVersion, kind } = fieldsOf(value);
  const [written, name] = [textOf(apiVersion), textOf(kind)];
  const field = `${at}.apiVersion`;
  const causes: StatusCause[] = [];
  const parts = written.split("/");
  const version = parts.at(-1) ?? "";
  if (written === "") causes.push(requiredValue(field));
  else if (parts.length > 2) {
    causes.push(invalidValue(field, written, `unexpected GroupVersion string: ${written}`));
  } else {
    const group = parts.length === 2 ? (parts[0] ?? "") : "";
    const fault = group === "" ? undefined : subdomainFault(group);
    if (fault !== undefined) causes.push(invalidValue(field, group, fault));
    const versionFault = letteredLabelFault(version);
    if (version === "") causes.push(invalidValue(field, written, "version must be specified"));
    else if (versionFault !== undefined) causes.push(invalidValue(field, version, versionFault));
  }
  const kindFault = letteredLabelFault(name.toLowerCase());
  if (name === "") causes.push(requiredValue(`${at}.kind`));
  else if (kindFault !== undefined) {
    const detail = `may have mixed case, but should otherwise match: ${kindFault}`;
    causes.push(invalidValue(`${at}.kind`, name, detail));
  }
  return causes;
});

/** The conditions and variables of a policy, which may speak of its parameters and of the variables before them. */
export function policyVariableFaults(spec: Fields, at: string, policyOf: PolicyEnvironment): StatusCause[] {
  const { environment } = policyOf;
  const causes: StatusCause[] = [];
  causes.push(...matchConditionFaults(spec["matchConditions"], `${at}.matchConditions`, environment));
  fieldsList(spec["variables"]).forEach(({ name, expression }, index) => {
    const field = `${at}.variables[${index}]`;
    if (textOf(name).trim() === "") causes.push(requiredValue(`${field}.name`, "name is not specified"));
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(textOf(name))) {
      causes.push(invalidValue(`${field}.name`, name, "must be a valid CEL identifier"));
    }
    if (textOf(expression).trim() === "") {
      causes.push(requiredValue(`${field}.expression`, "expression is not specified"));
    }
    const compiled = policyOf.variables[index]?.compiled;
    if (textOf(expression).trim() !== "" && compiled !== undefined && "error" in compiled) {
      causes.push(invalidValue(`${field}.expression`, expression, compiled.error));
    }
  });
  return causes;
}

/** The expressions of a validating policy. */
const expressions: Rule = (value, at, policy) => {
  const spec = fieldsOf(value);
  const policyOf = policyEnvironment(spec["paramKind"] !== undefined, spec["variables"]);
  const { environment, messages } = policyOf;
  const causes = policyVariableFaults(spec, at, policyOf);
  const [validations, annotations] = [fieldsList(spec["validations"]), fieldsList(spec["auditAnnotations"])];
  if (validations.length === 0 && annotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    return [
      ...causes,
      requiredValue(`${at}.validations`, detail),
      requiredValue(`${at}.auditAnnotations`, detail),
    ];
  }
  const compiles = (
    field: string,
    expression: string,
    types: readonly string[],
    scope = environment,
  ): void => {
    const fault = expressionFault(scope, expression, types);
    if (fault !== undefined) causes.push(invalidValue(field, expression, fault));
  };
  validations.forEach((validation, index) => {
    const field = `${at}.validations[${index}]`;
    const [expression, message] = [textOf(validation["expression"]), textOf(validation["message"])];
    const messageExpression = textOf(validation["messageExpression"]);
    if (expression.trim() === "") {
      causes.push(requiredValue(`${field}.expression`, "expression is not specified"));
    } else compiles(`${field}.expression`, expression, ["bool"]);
    if (messageExpression !== "" && messageExpression.trim() === "") {
      const detail = "must be non-empty if specified";
      causes.push(invalidValue(`${field}.messageExpression`, messageExpression, detail));
    } else if (messageExpression !== "") {
      compiles(`${field}.messageExpression`, messageExpression, ["string"], messages);
    }
    if (message !== "" && message.trim() === "") {
      causes.push(invalidValue(`${field}.message`, message, "must be non-empty if specified"));
    } else if (/[\n\r]/.test(message.trim())) {
      causes.push(invalidValue(`${field}.message`, message, "must not contain line breaks"));
    }
    const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
    const { reason } = validation;
    if (reason !== undefined && !reasons.includes(textOf(reason))) {
      causes.push(unsupportedValue(`${field}.reason`, reason, reasons));
    }
  });
  annotations.forEach((annotation, index) => {
    const field = `${at}.auditAnnotations[${index}]`;
    const [key, expression] = [textOf(annotation["key"]), textOf(annotation["valueExpression"])];
    const name = `${textOf(fieldsOf(policy["metadata"])["name"])}/${key}`;
    causes.push(...qualifiedNameFaults(name).map((fault) => invalidValue(`${field}.key`, name, fault)));
    if (expression.trim() === "") {
      causes.push(requiredValue(`${field}.valueExpression`, "valueExpression is not specified"));
    } else compiles(`${field}.valueExpression`, expression, ["string", "null_type"]);
    if (annotations.findIndex((each_) => each_["key"] === key) < index) {
      causes.push(duplicateValue(`${field}.key`, key));
    }
  });
  return causes;
};

/** What every policy has: what it is chosen by, and what becomes of failures. */
export const policyRules: Rule = fields({
  failurePolicy: oneOf("Fail", "Ignore"),
  paramKind,
  matchConstraints: (value, at, parent) => {
    if (value === undefined) return [requiredValue(at)];
    const hasRules = fieldsList(fieldsOf(value)["resourceRules"]).length > 0;
    return [
      ...matchResources(value, at, parent),
      ...(hasRules ? [] : [requiredValue(`${at}.resourceRules`)]),
    ];
  },
});

/** `ValidatingAdmissionPolicy`. */
export const admissionPolicyRules: Rule = fields({ spec: all(policyRules, expressions) });

const paramRef: Rule = optional((value, at) => {
  const reference: Fields = fieldsOf(value);
  const { selector, parameterNotFoundAction: action } = reference;
  const name = textOf(reference["name"]);
  const causes: StatusCause[] = [];
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    causes.push(...text(pathSegmentFaults)(name, `${at}.name`, reference));
    if (selector !== undefined) causes.push(forbiddenValue(`${at}.name`, exclusive));
  }
  if (selector !== undefined) {
    causes.push(...labelSelectorRule(selector, `${at}.selector`, reference));
    if (name !== "") causes.push(forbiddenValue(`${at}.selector`, exclusive));
  }
  if (name === "" && selector === undefined) {
    causes.push(requiredValue(at, "one of name or selector must be specified"));
  }
  const field = `${at}.parameterNotFoundAction`;
  if (textOf(action) === "") causes.push(requiredValue(field));
  else if (action !== "Deny" && action !== "Allow") {
    causes.push(unsupportedValue(field, action, ["Deny", "Allow"]));
  }
  return causes;
});

const validationActions: Rule = (value, at) => {
  const actions = listOf(value).map(String);
  const known = ["Audit", "Deny", "Warn"];
  const causes = actions.flatMap((action, index): StatusCause[] => [
    ...(known.includes(action) ? [] : [unsupportedValue(`${at}[${index}]`, action, known)]),
    ...(actions.indexOf(action) < index ? [duplicateValue(`${at}[${index}]`, action)] : []),
  ]);
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const detail =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    causes.push(invalidValue(at, value, detail));
  }
  if (actions.length === 0) causes.push(requiredValue(at, "at least one validation action is required"));
  return causes;
};

/** What every binding of a policy has. */
export const bindingFields: Readonly<Record<string, Rule>> = {
  policyName: all(
    required(),
    optional((value, at, parent) => (value === "" ? [] : text(subdomainFaults)(value, at, parent))),
  ),
  paramRef,
  matchResources: optional(matchResources),
};

/** `ValidatingAdmissionPolicyBinding`. */
export const policyBindingRules: Rule = fields({ spec: fields({ ...bindingFields, validationActions }) });
