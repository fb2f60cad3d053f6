// The forms of the rest of StatefulSets and DaemonSets, of leases, roles and budgets.
import { invalidValue, requiredValue } from "../../../../schema/status-cause.ts";
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import { all, atLeast, fields, filled, oneOf, optional, unsupportedStruct, when, type Rule } from "./rule.ts";
import { amountOrWhole } from "./amount-rules.ts";
import { labelSelectorRule } from "./webhook-rules.ts";

const retained = filled(oneOf("Retain", "Delete"));

/** The spec of a StatefulSet, besides what workload-rules.ts asks. */
export const statefulSetFormRules: Rule = fields({
  ordinals: optional(fields({ start: atLeast(0) })),
  updateStrategy: when(
    ({ updateStrategy }) => fieldsOf(updateStrategy)["type"] !== "OnDelete",
    fields({ rollingUpdate: optional(fields({ partition: atLeast(0) })) }),
  ),
  persistentVolumeClaimRetentionPolicy: optional(fields({ whenDeleted: retained, whenScaled: retained })),
});

/** A rolling update as Go prints it. */
export function shownRolling(rollingUpdate: unknown): Fields | null {
  if (!isFields(rollingUpdate)) return null;
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  return { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
}

const daemonStrategy: Rule = (value, at) => {
  const { type, rollingUpdate } = fieldsOf(value);
  if (type !== "RollingUpdate" && type !== "OnDelete") {
    const struct = { Type: type, RollingUpdate: shownRolling(rollingUpdate) };
    return [unsupportedStruct(at, struct, ["RollingUpdate", "OnDelete"])];
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
