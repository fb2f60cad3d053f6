// What webhook configurations must be, in the words of kube-apiserver.
import { matchConditionFaults } from "../../admission/admission-expressions.ts";
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import {
  labelValueFaults,
  letteredLabelFaults,
  qualifiedNameFaults,
  subdomainFaults,
} from "../../../../meta/name-rules.ts";
import { clientConfigRule } from "./webhook-address-rules.ts";
import { all, each, fields, optional, type Rule } from "./rule.ts";

const oneOf = (...supported: readonly string[]): Rule =>
  optional((value, at) =>
    supported.includes(String(value)) ? [] : [unsupportedValue(at, value, supported)],
  );

/** A selector of labels with its fields in the order in which the real server shows them. */
export function shownSelector(selector: unknown): Fields {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const expressions = fieldsList(matchExpressions).map(({ key = "", operator = "", values }) => ({
    key,
    operator,
    ...(values === undefined ? {} : { values }),
  }));
  return {
    ...(matchLabels === undefined ? {} : { matchLabels }),
    ...(matchExpressions === undefined ? {} : { matchExpressions: expressions }),
  };
}

/** A selector of labels. */
export const labelSelectorRule: Rule = (value, at) => {
  const { matchLabels, matchExpressions } = fieldsOf(value);
  const causes: StatusCause[] = [];
  for (const [key, label] of Object.entries(fieldsOf(matchLabels))) {
    causes.push(...qualifiedNameFaults(key).map((fault) => invalidValue(`${at}.matchLabels`, key, fault)));
    causes.push(
      ...labelValueFaults(textOf(label)).map((fault) => invalidValue(`${at}.matchLabels`, label, fault)),
    );
  }
  fieldsList(matchExpressions).forEach((expression, index) => {
    const field = `${at}.matchExpressions[${index}]`;
    const operator = textOf(expression["operator"]);
    const values = listOf(expression["values"]);
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0) {
        const detail = "must be specified when `operator` is 'In' or 'NotIn'";
        causes.push(requiredValue(`${field}.values`, detail));
      }
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0) {
        const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        causes.push({
          reason: "FieldValueForbidden",
          field: `${field}.values`,
          message: `Forbidden: ${detail}`,
        });
      }
    } else causes.push(invalidValue(`${field}.operator`, operator, "not a valid selector operator"));
    const key = textOf(expression["key"]);
    causes.push(...qualifiedNameFaults(key).map((fault) => invalidValue(`${field}.key`, key, fault)));
    values.forEach((each, place) => {
      causes.push(
        ...labelValueFaults(textOf(each)).map((fault) =>
          invalidValue(`${field}.values[${place}]`, each, fault),
        ),
      );
    });
  });
  return causes;
};

/** A rule of a webhook or a policy: what is written, and how. */
export const operationRule: Rule = (value, at) => {
  const rule = fieldsOf(value);
  const causes: StatusCause[] = [];
  const listed = (name: string, what: string): readonly string[] => {
    const items = listOf(rule[name]).map(String);
    if (items.length === 0) causes.push(requiredValue(`${at}.${name}`));
    if (items.length > 1 && items.includes("*")) {
      causes.push(invalidValue(`${at}.${name}`, items, `if '*' is present, must not specify other ${what}`));
    }
    return items;
  };
  const supported = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
  listed("operations", "operations").forEach((operation, index) => {
    if (supported.includes(operation)) return;
    causes.push(unsupportedValue(`${at}.operations[${index}]`, operation, supported));
  });
  listed("apiGroups", "API groups");
  listed("apiVersions", "API versions").forEach((version, index) => {
    if (version === "") causes.push(requiredValue(`${at}.apiVersions[${index}]`));
  });
  causes.push(...resourceFaults(listOf(rule["resources"]).map(String), `${at}.resources`));
  causes.push(...oneOf("*", "Cluster", "Namespaced")(rule["scope"], `${at}.scope`, rule));
  return causes;
};

function resourceFaults(resources: readonly string[], at: string): StatusCause[] {
  if (resources.length === 0) return [requiredValue(at)];
  // Of which all parts are meant already, and which part of all.
  const [whole, parts] = [new Set<string>(), new Set<string>()];
  const causes = resources.flatMap((resource, index): StatusCause[] => {
    if (resource === "") return [requiredValue(`${at}[${index}]`)];
    const slash = resource.indexOf("/");
    if (slash < 0) return [];
    const [kind, part] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const covering = [...(whole.has(kind) ? [`${kind}/*`] : []), ...(parts.has(part) ? [`*/${part}`] : [])];
    if (part === "*") whole.add(kind);
    if (kind === "*") parts.add(part);
    return covering.map((other) =>
      invalidValue(`${at}[${index}]`, resource, `if '${other}' is present, must not specify ${resource}`),
    );
  });
  const invalid = (detail: string): void => {
    causes.push(invalidValue(at, resources, detail));
  };
  if (resources.includes("*/*") && resources.length > 1) {
    invalid("if '*/*' is present, must not specify other resources");
  }
  // The last one without a part decides.
  const plain = resources.filter((each_) => each_ !== "" && !each_.includes("/"));
  if (plain.includes("*") && plain.at(-1) !== "*") {
    invalid("if '*' is present, must not specify other resources without subresources");
  }
  return causes;
}

const nameRule: Rule = (value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  const faults = subdomainFaults(name);
  if (faults.length > 0) return [invalidValue(at, name, faults.join(","))];
  const isLong = name.split(".").length >= 3;
  const detail = "should be a domain with at least three segments separated by dots";
  return isLong ? [] : [invalidValue(at, name, detail)];
};

const versionsRule: Rule = (value, at) => {
  const versions = listOf(value).map(String);
  const known = ["v1", "v1beta1"];
  if (versions.length === 0) return [requiredValue(at, "must specify one of v1, v1beta1")];
  const faults = versions.flatMap((version, index) =>
    (versions.indexOf(version) < index ? ["duplicate version"] : letteredLabelFaults(version)).map((fault) =>
      invalidValue(`${at}[${index}]`, version, fault),
    ),
  );
  if (versions.some((each_) => known.includes(each_))) return faults;
  return [...faults, invalidValue(at, versions, "must include at least one of v1, v1beta1")];
};

const sideEffectsRule: Rule = (value, at) => {
  if (value === undefined) return [requiredValue(at, "must specify one of None, NoneOnDryRun")];
  return oneOf("None", "NoneOnDryRun")(value, at, {});
};

const timeoutRule: Rule = optional((value, at) =>
  Number(value) >= 1 && Number(value) <= 30
    ? []
    : [invalidValue(at, value, "the timeout value must be between 1 and 30 seconds")],
);

const uniqueNames: Rule = (value, at) => {
  const names = new Set<string>();
  return fieldsList(value).flatMap(({ name }, index) => {
    const isKnown = textOf(name) !== "" && names.has(textOf(name));
    names.add(textOf(name));
    return isKnown ? [duplicateValue(`${at}[${index}].name`, name)] : [];
  });
};

/** `MutatingWebhookConfiguration` and `ValidatingWebhookConfiguration`. */
export const webhookConfigurationRules: Rule = fields({
  webhooks: all(
    each(
      fields({
        name: nameRule,
        rules: each(operationRule),
        failurePolicy: oneOf("Fail", "Ignore"),
        matchPolicy: oneOf("Equivalent", "Exact"),
        sideEffects: sideEffectsRule,
        timeoutSeconds: timeoutRule,
        namespaceSelector: labelSelectorRule,
        objectSelector: labelSelectorRule,
        admissionReviewVersions: versionsRule,
        clientConfig: clientConfigRule,
        reinvocationPolicy: oneOf("IfNeeded", "Never"),
        matchConditions: (value, at) => matchConditionFaults(value, at),
      }),
    ),
    uniqueNames,
  ),
});
