// The columns of leases, disruption budgets, role bindings and webhook configurations.
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject } from "../../api-object.ts";
import { formatLabelSelector } from "../../selectors/label-selector.ts";
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

/** The columns of admission policies. */
export const admissionPolicyColumns: readonly Column[] = named(
  integer("Validations", (policy) => listOf(specOf(policy)["validations"]).length),
  text("ParamKind", (policy) => {
    const { paramKind } = specOf(policy);
    if (paramKind === undefined) return "<unset>";
    const { apiVersion, kind } = fieldsOf(paramKind);
    return `${textOf(apiVersion)}/${textOf(kind)}`;
  }),
  age,
);

/** The columns of the bindings of admission policies. */
export const policyBindingColumns: readonly Column[] = named(
  text("PolicyName", (binding) => textOf(specOf(binding)["policyName"])),
  text("ParamRef", (binding) => {
    const { name, namespace, selector } = fieldsOf(specOf(binding)["paramRef"]);
    if (textOf(name) !== "") return `${textOf(namespace) || "*"}/${textOf(name)}`;
    return selector === undefined ? "<unset>" : formatLabelSelector(selector);
  }),
  age,
);

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
