// Where pods may run: on which nodes, near which other pods, spread over which domains.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import {
  labelNameFault,
  labelValueFaults,
  qualifiedNameFaults,
  subdomainFaults,
} from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { all, each, fields, oneOf, optional, required, type Rule } from "./rule.ts";
import { labelSelectorRule } from "./webhook-rules.ts";

const labelName: Rule = (value, at) =>
  qualifiedNameFaults(textOf(value)).map((fault) => invalidValue(at, textOf(value), fault));

/** What is wrong with the values of a requirement, and with its operator. */
function operatorFaults(requirement: Fields, at: string): readonly StatusCause[] {
  const operator = textOf(requirement["operator"]);
  const count = listOf(requirement["values"]).length;
  switch (operator) {
    case "In":
    case "NotIn":
      if (count > 0) return [];
      return [requiredValue(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (count === 0) return [];
      return [
        forbiddenValue(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    case "Gt":
    case "Lt":
      if (count === 1) return [];
      return [
        requiredValue(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"),
      ];
    default:
      return [invalidValue(`${at}.operator`, operator, "not a valid selector operator")];
  }
}

/** A requirement on the labels of nodes; `isStrict`: that values are labels' values. */
function nodeRequirement(isStrict: boolean): Rule {
  return (value, at, parent) => {
    const requirement = fieldsOf(value);
    const values = isStrict ? listOf(requirement["values"]) : [];
    return [
      ...operatorFaults(requirement, at),
      ...labelName(requirement["key"], `${at}.key`, parent),
      ...values.flatMap((given, index) => {
        return labelValueFaults(textOf(given)).map((fault) =>
          invalidValue(`${at}.values[${index}]`, given, fault),
        );
      }),
    ];
  };
}

/** A requirement on the fields of nodes: only on their name. */
const nodeField: Rule = (value, at) => {
  const { key, operator, values } = fieldsOf(value);
  const causes: StatusCause[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    causes.push(invalidValue(`${at}.operator`, operator ?? "", "not a valid selector operator"));
  } else if (listOf(values).length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    causes.push(requiredValue(`${at}.values`, detail));
  }
  if (key !== "metadata.name") {
    return [...causes, invalidValue(`${at}.key`, key ?? "", "not a valid field selector key")];
  }
  const wrong = listOf(values).flatMap((name, index) => {
    return subdomainFaults(textOf(name)).map((fault) => invalidValue(`${at}.values[${index}]`, name, fault));
  });
  return [...causes, ...wrong];
};

function nodeTerm(isStrict: boolean): Rule {
  return fields({ matchExpressions: each(nodeRequirement(isStrict)), matchFields: each(nodeField) });
}

/** A choice of nodes. */
export const nodeSelectorRule: Rule = fields({
  nodeSelectorTerms: all(
    (value, at) =>
      listOf(value).length === 0 ? [requiredValue(at, "must have at least one node selector term")] : [],
    each(nodeTerm(true)),
  ),
});

const weight: Rule = (value, at) =>
  Number(value) >= 1 && Number(value) <= 100
    ? []
    : [invalidValue(at, value ?? 0, "must be in the range 1-100")];

const nodeAffinity: Rule = optional(
  fields({
    requiredDuringSchedulingIgnoredDuringExecution: optional(nodeSelectorRule),
    // What is only preferred may be about labels that no node can have.
    preferredDuringSchedulingIgnoredDuringExecution: each(fields({ weight, preference: nodeTerm(false) })),
  }),
);

function matchedKeys(value: unknown, at: string, selector: unknown): readonly StatusCause[] {
  if (listOf(value).length === 0) return [];
  if (selector === undefined) {
    return [forbiddenValue(at, "must not be specified when labelSelector is not set")];
  }
  return listOf(value).flatMap((key, index) => labelName(key, `${at}[${index}]`, {}));
}

const namespaces: Rule = (value, at) =>
  listOf(value).flatMap((name) => {
    const fault = labelNameFault(textOf(name));
    // The real server names neither the list as it is written nor the place in it.
    return fault === undefined ? [] : [invalidValue(at.replace(/namespaces$/, "namespace"), name, fault)];
  });

const podTerm: Rule = all(
  fields({
    labelSelector: optional(labelSelectorRule),
    namespaceSelector: optional(labelSelectorRule),
    namespaces,
  }),
  (value, at) => {
    const { labelSelector, matchLabelKeys, mismatchLabelKeys } = fieldsOf(value);
    const others = new Set(listOf(mismatchLabelKeys));
    return [
      ...matchedKeys(matchLabelKeys, `${at}.matchLabelKeys`, labelSelector),
      ...matchedKeys(mismatchLabelKeys, `${at}.mismatchLabelKeys`, labelSelector),
      ...listOf(matchLabelKeys).flatMap((key, index) =>
        others.has(key)
          ? [
              invalidValue(
                `${at}.matchLabelKeys[${index}]`,
                key,
                "exists in both matchLabelKeys and mismatchLabelKeys",
              ),
            ]
          : [],
      ),
    ];
  },
  fields({ topologyKey: all(required("can not be empty"), labelName) }),
);

const podAffinity: Rule = optional(
  fields({
    requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
    preferredDuringSchedulingIgnoredDuringExecution: each(fields({ weight, podAffinityTerm: podTerm })),
  }),
);

/** What a pod wants to be near to, or far from. */
export const affinityRule: Rule = optional(
  fields({ nodeAffinity, podAffinity, podAntiAffinity: podAffinity }),
);

const constraint: Rule = fields({
  maxSkew: (value, at) =>
    typeof value === "number" && value > 0 ? [] : [invalidValue(at, value ?? 0, "must be greater than zero")],
  topologyKey: required("can not be empty"),
  whenUnsatisfiable: oneOf("DoNotSchedule", "ScheduleAnyway"),
});

const constraintForms: Rule = all(
  fields({
    minDomains: optional((value, at, { whenUnsatisfiable }) => {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${textOf(whenUnsatisfiable)}`;
      return [
        ...(Number(value) > 0 ? [] : [invalidValue(at, value, "must be greater than zero")]),
        ...(whenUnsatisfiable === "DoNotSchedule" ? [] : [invalidValue(at, value, detail)]),
      ];
    }),
    nodeAffinityPolicy: optional(oneOf("Honor", "Ignore")),
    nodeTaintsPolicy: optional(oneOf("Honor", "Ignore")),
  }),
  (value, at) => {
    const { labelSelector, matchLabelKeys } = fieldsOf(value);
    return matchedKeys(matchLabelKeys, `${at}.matchLabelKeys`, labelSelector);
  },
  fields({ labelSelector: optional(labelSelectorRule) }),
);

/** How pods are spread over domains: each pair of a domain and a strictness once. */
export const spreadRule: Rule = (value, at) => {
  const pairs = fieldsList(value).map(
    ({ topologyKey, whenUnsatisfiable }) => `{${textOf(topologyKey)}, ${textOf(whenUnsatisfiable)}}`,
  );
  return fieldsList(value).flatMap((spread, index) => {
    const field = `${at}[${index}]`;
    const pair = pairs[index] ?? "";
    return [
      ...constraint(spread, field, spread),
      ...(pairs.includes(pair, index + 1)
        ? [duplicateValue(`${field}.{topologyKey, whenUnsatisfiable}`, pair)]
        : []),
      ...constraintForms(spread, field, spread),
    ];
  });
};
