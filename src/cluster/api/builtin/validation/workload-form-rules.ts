// The forms of the rest of StatefulSets and DaemonSets, of claims, leases, roles and budgets.
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFault, subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsOf, listOf, textOf } from "../../api-object.ts";
import {
  all,
  atLeast,
  fields,
  filled,
  forbidden,
  isEmpty,
  oneOf,
  optional,
  text,
  when,
  type Rule,
} from "./rule.ts";
import { amountOrWhole } from "./amount-rules.ts";
import { labelSelectorRule } from "./webhook-rules.ts";

/** The template of pods that run for ever; `kind` is how the server calls what has it. */
export function lastingTemplate(kind: string): Rule {
  return fields({
    template: fields({
      spec: fields({ activeDeadlineSeconds: forbidden(`activeDeadlineSeconds in ${kind} is not Supported`) }),
    }),
  });
}

const retained = filled(oneOf("Retain", "Delete"));

/** The spec of a StatefulSet, besides what workload-rules.ts asks. */
export const statefulSetFormRules: Rule = fields({
  serviceName: filled(text(labelNameFault)),
  ordinals: optional(fields({ start: atLeast(0) })),
  updateStrategy: when(
    ({ updateStrategy }) => fieldsOf(updateStrategy)["type"] !== "OnDelete",
    fields({ rollingUpdate: optional(fields({ partition: atLeast(0) })) }),
  ),
  persistentVolumeClaimRetentionPolicy: optional(fields({ whenDeleted: retained, whenScaled: retained })),
});

const daemonStrategy: Rule = (value, at) => {
  const { type, rollingUpdate } = fieldsOf(value);
  if (type !== "RollingUpdate" && type !== "OnDelete") {
    const struct = JSON.stringify({ Type: type, RollingUpdate: rollingUpdate ?? null });
    const message = `Unsupported value: ${struct}: supported values: "RollingUpdate", "OnDelete"`;
    return [{ reason: "FieldValueNotSupported", message, field: at }];
  }
  const { maxUnavailable, maxSurge } = fieldsOf(rollingUpdate);
  const isNone = (amount: unknown): boolean =>
    amount === undefined ||
    (Number.parseInt(typeof amount === "number" ? String(amount) : textOf(amount), 10) || 0) === 0;
  if (type !== "RollingUpdate" || rollingUpdate === undefined) return [];
  const amounts = fields({ maxUnavailable: amountOrWhole, maxSurge: amountOrWhole });
  const faults = amounts(rollingUpdate, `${at}.rollingUpdate`, {});
  if (isNone(maxUnavailable) && isNone(maxSurge)) {
    const detail = "cannot be 0 when maxSurge is 0";
    return [...faults, requiredValue(`${at}.rollingUpdate.maxUnavailable`, detail)];
  }
  return isNone(maxUnavailable) || isNone(maxSurge)
    ? faults
    : [
        ...faults,
        invalidValue(
          `${at}.rollingUpdate.maxSurge`,
          maxSurge,
          "may not be set when maxUnavailable is non-zero",
        ),
      ];
};

/** The spec of a DaemonSet, besides what workload-rules.ts asks. */
export const daemonSetFormRules: Rule = fields({ updateStrategy: daemonStrategy });

const referenceFault = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";

/** What fills a claim; the former field of it says the same. */
const dataSource: Rule = optional((value, at) => {
  const { name, kind, apiGroup } = fieldsOf(value);
  const group = isEmpty(apiGroup) ? undefined : subdomainFault(textOf(apiGroup));
  const faults = (field: string): readonly StatusCause[] => [
    ...(isEmpty(name) ? [requiredValue(`${field}.name`)] : []),
    ...(isEmpty(kind) ? [requiredValue(`${field}.kind`)] : []),
    ...(isEmpty(apiGroup) && kind !== "PersistentVolumeClaim"
      ? [invalidValue(field, kind ?? "", referenceFault)]
      : []),
    ...(group === undefined ? [] : [invalidValue(`${field}.apiGroup`, apiGroup, group)]),
  ];
  return [...faults(at.replace(/Ref$/, "")), ...faults(at)];
});

/** The spec of a claim, besides what config-rules.ts asks. */
export const claimFormRules: Rule = fields({
  selector: optional(labelSelectorRule),
  accessModes: (value, at) =>
    listOf(value).length > 1 && listOf(value).includes("ReadWriteOncePod")
      ? [forbiddenValue(at, "may not use ReadWriteOncePod with other access modes")]
      : [],
  storageClassName: filled(text(subdomainFault)),
  dataSourceRef: dataSource,
  volumeAttributesClassName: filled(text(subdomainFault)),
});

/** `Lease`. */
export const leaseRules: Rule = fields({
  spec: fields({
    leaseDurationSeconds: optional((value, at) =>
      Number(value) > 0 ? [] : [invalidValue(at, value, "must be greater than 0")],
    ),
    leaseTransitions: atLeast(0),
  }),
});

/** A rule of a role, besides what policy-rules.ts asks. */
export function policyRuleForm(isNamespaced: boolean): Rule {
  return (value, at) => {
    const { apiGroups, resources, nonResourceURLs, resourceNames } = fieldsOf(value);
    const isAboutPaths = listOf(nonResourceURLs).length > 0;
    const hasResources = [apiGroups, resources, resourceNames].some((each) => listOf(each).length > 0);
    if (isAboutPaths) {
      const details = [
        ...(isNamespaced ? ["namespaced rules cannot apply to non-resource URLs"] : []),
        ...(hasResources ? ["rules cannot apply to both regular resources and non-resource URLs"] : []),
      ];
      return details.map((detail) => invalidValue(`${at}.nonResourceURLs`, nonResourceURLs, detail));
    }
    return [
      ...(listOf(apiGroups).length > 0
        ? []
        : [requiredValue(`${at}.apiGroups`, "resource rules must supply at least one api group")]),
      ...(listOf(resources).length > 0
        ? []
        : [requiredValue(`${at}.resources`, "resource rules must supply at least one resource")]),
    ];
  };
}

/** The parts of a binding, besides what policy-rules.ts asks. */
export const bindingFormRules: Rule = fields({
  roleRef: fields({ apiGroup: filled(oneOf("rbac.authorization.k8s.io")) }),
});

/** The spec of a disruption budget, besides what policy-rules.ts asks. */
export const budgetFormRules: Rule = fields({
  selector: optional(labelSelectorRule),
  unhealthyPodEvictionPolicy: optional(all(oneOf("AlwaysAllow", "IfHealthyBudget"))),
});
