// Roles and bindings, disruption budgets, ingresses, network policies, leases, slices, webhook configurations:
// small defaults and generations.
import { equal } from "../../../../schema/json-value.ts";
import { ensureFields, fieldsList, isFields, listOf, setDefault, type Fields } from "../../api-object.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import {
  contentDiffers,
  contentDiffersToTheLetter,
  specDiffers,
  specDiffersToTheLetter,
} from "./generation.ts";

const rbac = "rbac.authorization.k8s.io";

/** `RoleBinding` and `ClusterRoleBinding`. */
export const bindingBehaviour: TypeBehaviour = {
  createOnUpdate: true,
  setDefaults(object) {
    const roleRef = ensureFields(object, "roleRef");
    if ((roleRef["apiGroup"] ?? "") === "") roleRef["apiGroup"] = rbac;
    for (const subject of fieldsList(object["subjects"])) {
      if (subject["kind"] !== "ServiceAccount") setDefault(subject, "apiGroup", rbac);
    }
  },
};

/** `Role` and `ClusterRole`. */
export const roleBehaviour: TypeBehaviour = {
  createOnUpdate: true,
  setDefaults(object) {
    object["rules"] ??= null;
  },
  prepare(object) {
    if (listOf(object["rules"]).length === 0) object["rules"] = null;
  },
};

/** `Lease`. */
export const leaseBehaviour: TypeBehaviour = {
  createOnUpdate: true,
  needsResourceVersion: true,
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    // They belong to a feature of Kubernetes that is off by default.
    delete spec["strategy"];
    delete spec["preferredHolder"];
  },
};

/** `PodDisruptionBudget`. */
export const budgetBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    ensureFields(object, "spec");
    const status = ensureFields(object, "status");
    for (const name of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"]) {
      setDefault(status, name, 0);
    }
  },
  raisesGeneration: specDiffers,
};

/** `Ingress`. */
export const ingressBehaviour: TypeBehaviour = {
  setDefaults(object) {
    setDefault(ensureFields(object, "status"), "loadBalancer", {});
  },
  raisesGeneration: specDiffers,
};

/** `NetworkPolicy`. */
export const networkPolicyBehaviour: TypeBehaviour = {
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "podSelector", {});
    const hasEgress = listOf(spec["egress"]).length > 0;
    setDefault(spec, "policyTypes", ["Ingress", ...(hasEgress ? ["Egress"] : [])]);
    for (const rule of [...fieldsList(spec["ingress"]), ...fieldsList(spec["egress"])]) {
      for (const port of fieldsList(rule["ports"])) setDefault(port, "protocol", "TCP");
    }
  },
  raisesGeneration: specDiffersToTheLetter,
};

/** `EndpointSlice`. */
export const sliceBehaviour: TypeBehaviour = {
  setDefaults(object) {
    for (const port of fieldsList(object["ports"])) {
      setDefault(port, "name", "");
      setDefault(port, "protocol", "TCP");
    }
    for (const endpoint of fieldsList(object["endpoints"])) ensureFields(endpoint, "conditions");
    for (const name of ["endpoints", "ports"]) object[name] ??= null;
  },
  prepare(object, previous) {
    if (!equal(object["endpoints"], previous?.["endpoints"])) {
      for (const endpoint of fieldsList(object["endpoints"])) delete endpoint["deprecatedTopology"];
    }
    for (const name of ["endpoints", "ports"]) if (listOf(object[name]).length === 0) object[name] = null;
  },
  countsBeforeSettling: true,
  raisesGeneration: (object, previous) =>
    contentDiffers(object, previous) || !equal(object.metadata.labels ?? {}, previous.metadata.labels ?? {}),
};

/** `ValidatingWebhookConfiguration` and `MutatingWebhookConfiguration`; who calls them is src/cluster/api/admission. */
export function createWebhookBehaviour(isMutating: boolean): TypeBehaviour {
  return {
    needsResourceVersion: true,
    setDefaults(object) {
      for (const webhook of fieldsList(object["webhooks"])) {
        setDefault(webhook, "failurePolicy", "Fail");
        setDefault(webhook, "matchPolicy", "Equivalent");
        setDefault(webhook, "namespaceSelector", {});
        setDefault(webhook, "objectSelector", {});
        setDefault(webhook, "timeoutSeconds", 10);
        if (isMutating) setDefault(webhook, "reinvocationPolicy", "Never");
        for (const rule of fieldsList(webhook["rules"])) setDefault(rule, "scope", "*");
        setServicePort(webhook);
      }
    },
    raisesGeneration: contentDiffersToTheLetter,
  };
}

/** `ValidatingAdmissionPolicy`. */
export const admissionPolicyBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "failurePolicy", "Fail");
    setMatchDefaults(spec["matchConstraints"]);
    ensureFields(object, "status");
  },
  raisesGeneration: specDiffers,
};

/** `MutatingAdmissionPolicy`. */
export const mutatingPolicyBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    setDefault(spec, "failurePolicy", "Fail");
    setMatchDefaults(spec["matchConstraints"]);
  },
  raisesGeneration: specDiffers,
};

/** `ValidatingAdmissionPolicyBinding` and `MutatingAdmissionPolicyBinding`. */
export const policyBindingBehaviour: TypeBehaviour = {
  needsResourceVersion: true,
  setDefaults(object) {
    setMatchDefaults(ensureFields(object, "spec")["matchResources"]);
  },
  raisesGeneration: specDiffers,
};

function setMatchDefaults(resources: unknown): void {
  if (!isFields(resources)) return;
  setDefault(resources, "matchPolicy", "Equivalent");
  setDefault(resources, "namespaceSelector", {});
  setDefault(resources, "objectSelector", {});
  for (const name of ["resourceRules", "excludeResourceRules"]) {
    for (const rule of fieldsList(resources[name])) setDefault(rule, "scope", "*");
  }
}

function setServicePort(webhook: Fields): void {
  const client = webhook["clientConfig"];
  if (isFields(client) && isFields(client["service"])) setDefault(client["service"], "port", 443);
}
