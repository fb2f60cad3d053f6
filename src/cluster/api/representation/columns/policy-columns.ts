// The columns of leases, disruption budgets, role bindings and webhook configurations.
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject } from "../../api-object.ts";
import type { Column } from "../../served-type.ts";
import { age, integer, named, numberOf, specOf, statusOf, text, wide } from "./column.ts";

/** The columns of leases. */
export const leaseColumns: readonly Column[] = named(
  text("Holder", (lease) => textOf(specOf(lease)["holderIdentity"])),
  age,
);

/** The columns of disruption budgets. */
export const budgetColumns: readonly Column[] = named(
  text("Min Available", (budget) => amount(specOf(budget)["minAvailable"])),
  text("Max Unavailable", (budget) => amount(specOf(budget)["maxUnavailable"])),
  integer("Allowed Disruptions", (budget) => numberOf(statusOf(budget)["disruptionsAllowed"])),
  age,
);

/** The columns of role bindings. */
export const bindingColumns: readonly Column[] = named(
  text("Role", (binding) => {
    const { kind, name } = fieldsOf(binding["roleRef"]);
    return `${textOf(kind)}/${textOf(name)}`;
  }),
  age,
  wide("Users", (binding) => subjects(binding, "User")),
  wide("Groups", (binding) => subjects(binding, "Group")),
  wide("ServiceAccounts", (binding) => subjects(binding, "ServiceAccount")),
);

/** The columns of webhook configurations. */
export const webhookColumns: readonly Column[] = named(
  integer("Webhooks", (configuration) => listOf(configuration["webhooks"]).length),
  age,
);

const paramKindOfPolicy = text("ParamKind", (policy) => {
  const { paramKind } = specOf(policy);
  if (paramKind === undefined) return "<unset>";
  const { apiVersion, kind } = fieldsOf(paramKind);
  return `${textOf(apiVersion)}/${textOf(kind)}`;
});

/** The columns of policies that validate. */
export const validatingPolicyColumns: readonly Column[] = named(
  integer("Validations", (policy) => listOf(specOf(policy)["validations"]).length),
  paramKindOfPolicy,
  age,
);

/** The columns of policies that change what is sent. */
export const mutatingPolicyColumns: readonly Column[] = named(
  integer("Mutations", (policy) => listOf(specOf(policy)["mutations"]).length),
  paramKindOfPolicy,
  age,
);

/** The columns of the bindings of admission policies. */
export const policyBindingColumns: readonly Column[] = named(
  text("PolicyName", (binding) => textOf(specOf(binding)["policyName"])),
  text("ParamRef", (binding) => {
    const { name, namespace, selector } = fieldsOf(specOf(binding)["paramRef"]);
    if (textOf(name) !== "") return `${textOf(namespace) || "*"}/${textOf(name)}`;
    return selector === undefined ? "<unset>" : goSelector(selector);
  }),
  age,
);

/** A selector as Go prints it. */
function goSelector(selector: unknown): string {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const labels = Object.entries(fieldsOf(matchLabels)).sort(([a], [b]) => (a < b ? -1 : 1));
  const ofLabels = labels.map(([label, value]) => `${label}: ${textOf(value)},`).join("");
  const expressions = fieldsList(matchExpressions).map(({ key, operator, values }) => {
    const given = listOf(values).map(textOf).join(" ");
    return `LabelSelectorRequirement{Key:${textOf(key)},Operator:${textOf(operator)},Values:[${given}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${ofLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}

function amount(value: unknown): string {
  return value === undefined ? "N/A" : typeof value === "number" ? String(value) : textOf(value);
}

function subjects(binding: ApiObject, kind: string): string {
  return fieldsList(binding["subjects"])
    .filter((each) => each["kind"] === kind)
    .map(({ name, namespace }) =>
      namespace === undefined ? textOf(name) : `${textOf(namespace)}/${textOf(name)}`,
    )
    .join(", ");
}
