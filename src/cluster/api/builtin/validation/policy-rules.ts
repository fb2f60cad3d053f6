// What roles, their bindings and disruption budgets must be.
import { equal } from "../../../../schema/json-value.ts";
import { invalidValue } from "../../../../schema/status-cause.ts";
import { fieldsOf } from "../../api-object.ts";
import { amountOrShare } from "./amount-rules.ts";
import { pathSegmentFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
import {
  all,
  each,
  fields,
  filled,
  invalidStruct,
  isEmpty,
  oneOf,
  optional,
  required,
  text,
  when,
  type ChangeRule,
  type Rule,
} from "./rule.ts";
import { labelSelectorRule } from "./webhook-rules.ts";
import { bindingFormRules, budgetFormRules, policyRuleForm } from "./workload-form-rules.ts";

/** `Role`, which is about a namespace, and `ClusterRole`. */
export function roleRules(isNamespaced: boolean): Rule {
  return fields({
    rules: each(
      fields({ verbs: required("verbs must contain at least one value") }),
      policyRuleForm(isNamespaced),
    ),
  });
}

const chosenRoles: Rule = (value, at, parent) => {
  const faults = labelSelectorRule(value, at, parent);
  return faults.length === 0 ? [] : [...faults, invalidValue(at, null, "invalid label selector.")];
};

/** What a `ClusterRole` is put together of. */
export const aggregationRules: Rule = fields({
  aggregationRule: optional(
    fields({
      clusterRoleSelectors: all(
        required("at least one clusterRoleSelector required if aggregationRule is non-nil"),
        each(chosenRoles),
      ),
    }),
  ),
});

/** The group that a subject's kind is of. */
const subjectGroup: Rule = (value, at, { kind }) => {
  if (kind === "ServiceAccount") return isEmpty(value) ? [] : oneOf("")(value, at, {});
  const isPerson = kind === "User" || kind === "Group";
  return isPerson ? filled(oneOf("rbac.authorization.k8s.io"))(value, at, {}) : [];
};

/** `RoleBinding` and `ClusterRoleBinding`, which refer to a role of one of these kinds. */
export function bindingRules(...kinds: readonly string[]): Rule {
  const isClusterWide = !kinds.includes("Role");
  return all(
    fields({
      roleRef: fields({ kind: oneOf(...kinds), name: all(required(), filled(text(pathSegmentFaults))) }),
    }),
    bindingFormRules,
    fields({
      subjects: each(
        fields({
          name: all(
            required(),
            when(({ kind }) => kind === "ServiceAccount", filled(text(subdomainFaults))),
          ),
          apiGroup: subjectGroup,
          kind: oneOf("ServiceAccount", "User", "Group"),
          // In a namespace, an account without one is of that namespace.
          namespace: when(({ kind }) => isClusterWide && kind === "ServiceAccount", required()),
        }),
      ),
    }),
  );
}

/** Another role is another binding. */
export const bindingChanges: ChangeRule = ({ roleRef }, previous) => {
  if (equal(roleRef, previous["roleRef"])) return [];
  const { apiGroup = "", kind = "", name = "" } = fieldsOf(roleRef);
  return [invalidStruct("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
};

/** `PodDisruptionBudget`. */
export const budgetRules: Rule = fields({
  spec: all(
    (value, at) => {
      const { minAvailable, maxUnavailable } = fieldsOf(value);
      if (minAvailable === undefined || maxUnavailable === undefined) return [];
      const { selector = null, unhealthyPodEvictionPolicy = null } = fieldsOf(value);
      const struct = {
        MinAvailable: minAvailable,
        Selector: selector,
        MaxUnavailable: maxUnavailable,
        UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
      };
      return [invalidStruct(at, struct, "minAvailable and maxUnavailable cannot be both set")];
    },
    fields({ minAvailable: amountOrShare, maxUnavailable: amountOrShare }),
    budgetFormRules,
  ),
});
