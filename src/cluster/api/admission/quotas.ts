// Charges the ResourceQuotas of a namespace with what is created in it, and with what an update adds, and refuses what is more than they allow. The quotas' status,
// which this goes by, is counted by a controller; without one nothing is limited, as in Kubernetes.
import {
  addAmounts,
  isAbove,
  isInScope,
  isUsedBy,
  missingAmounts,
  usageOf,
  type Amounts,
} from "../../quota-usage.ts";
import type { ApiCore } from "../api-core.ts";
import { orderMetadata } from "../metadata-order.ts";
import { recordUpdate } from "../../patch/record-update.ts";
import { fieldsOf, type ApiObject } from "../api-object.ts";
import type { ServedType } from "../served-type.ts";
import { forbiddenObject } from "../status-error.ts";
import { typedSchemaOf } from "../typed-schema.ts";

/** What is charged. */
export interface ChargedWrite {
  readonly type: ServedType;
  readonly subresource: string | undefined;
  readonly query: { readonly dryRun: boolean };
}

/** What updates are charged of, besides creations: by the subresource, "" for the object itself. */
const chargedUpdates: Readonly<Record<string, string>> = {
  persistentvolumeclaims: "",
  pods: "resize",
  services: "",
};

/**
 * Charges the quotas with an object, or with what it uses more than its `previous` state; in a dry run they are only asked.
 * Errors: 403.
 */
export function chargeQuotas(
  { store, registry, clock }: Pick<ApiCore, "store" | "registry" | "clock">,
  { type, subresource = "", query: { dryRun } }: ChargedWrite,
  object: ApiObject,
  previous?: ApiObject,
): void {
  if (previous !== undefined && chargedUpdates[type.storageKey] !== subresource) return;
  const { name, namespace } = object.metadata;
  if (namespace === undefined) return;
  const quotas = store.list("resourcequotas").filter(({ metadata }) => metadata.namespace === namespace);
  if (quotas.length === 0) return;
  const refuse = (detail: string): never => {
    throw forbiddenObject(type, name, detail);
  };
  const usage = addedUsage(usageOf(type, object), previous === undefined ? {} : usageOf(type, previous));
  const charged: ApiObject[] = [];
  for (const quota of quotas) {
    const status = fieldsOf(quota["status"]);
    const hard = fieldsOf(status["hard"]) as Amounts;
    const used = fieldsOf(status["used"]) as Amounts;
    const names = Object.keys(hard).filter((each) => isUsedBy(each, type));
    if (names.length === 0 || !isInScope(fieldsOf(quota["spec"]), type, object)) continue;
    const { name: quotaName } = quota.metadata;
    const missing = type.storageKey === "pods" ? missingAmounts(names, object) : undefined;
    if (missing !== undefined) refuse(`failed quota: ${quotaName}: ${missing}`);
    const unknown = names.filter((each) => used[each] === undefined).sort();
    if (unknown.length > 0) {
      refuse(`status unknown for quota: ${quotaName}, resources: ${unknown.join(",")}`);
    }
    const requested = pick(usage, names);
    if (Object.keys(requested).length === 0) continue;
    const next = addAmounts(used, requested);
    const exceeded = Object.keys(requested).filter((each) => isAbove(next[each] ?? "0", hard[each] ?? "0"));
    if (exceeded.length > 0) {
      const shown = (amounts: Amounts): string =>
        exceeded
          .sort()
          .map((each) => `${each}=${amounts[each] ?? "0"}`)
          .join(",");
      refuse(
        `exceeded quota: ${quotaName}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`,
      );
    }
    charged.push({ ...quota, status: { ...status, used: next } });
  }
  const quotaType = registry.find("", "v1", "resourcequotas");
  if (dryRun || quotaType === undefined) return;
  const { schema } = typedSchemaOf(quotaType);
  const writer = {
    manager: "kube-apiserver",
    apiVersion: "v1",
    subresource: "status",
    schema,
    now: clock.now(),
  };
  for (const quota of charged) {
    const before = store.get("resourcequotas", namespace, quota.metadata.name);
    const managedFields = recordUpdate({
      ...writer,
      ...(before === undefined ? {} : { before }),
      after: quota,
    });
    const metadata = orderMetadata({ ...quota.metadata, managedFields: managedFields && [...managedFields] });
    store.put("resourcequotas", { ...quota, metadata });
  }
}

/** What is used more than before, or less; what is used as before is not in it. */
function addedUsage(usage: Amounts, before: Amounts): Amounts {
  const negated = Object.entries(before).map(([name, amount]) => [name, `-${amount}`]);
  return addAmounts(usage, Object.fromEntries(negated) as Amounts);
}

function pick(amounts: Amounts, names: readonly string[]): Amounts {
  return Object.fromEntries(
    Object.entries(amounts).filter(([name, amount]) => names.includes(name) && amount !== "0"),
  );
}
