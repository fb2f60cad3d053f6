// What the status of a workload may say: no negative numbers, and of no kind of pods more than of those that they are among.
import { isIP } from "node:net";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, listOf, textOf } from "../../api-object.ts";
import { conditionsRule } from "./condition-rules.ts";
import { ipFault } from "./ip-rules.ts";
import {
  all,
  atLeast,
  each,
  fields,
  filled,
  oneOf,
  required,
  text,
  type ChangeRule,
  type Rule,
} from "./rule.ts";

/** Numbers of pods that are at most as great as `replicas`; those that are available are among the ready ones. */
function counts(names: readonly string[], ready: string): Rule {
  const others = ["availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount"];
  const numbers = ["observedGeneration", "replicas", ...names, ...others];
  return all(fields(Object.fromEntries(numbers.map((name) => [name, atLeast(0)]))), (value, at) => {
    const status = fieldsOf(value);
    const numberOf = (name: string): number => Number(status[name] ?? 0);
    const above = (name: string, most: string, detail: string): readonly StatusCause[] =>
      numberOf(name) > numberOf(most) ? [invalidValue(`${at}.${name}`, numberOf(name), detail)] : [];
    return [
      ...[...names, "availableReplicas"].flatMap((name) =>
        above(name, "replicas", "cannot be greater than status.replicas"),
      ),
      ...above("availableReplicas", "readyReplicas", `cannot be greater than ${ready}`),
    ];
  });
}

/** Numbers that are not below zero. */
function notBelowZero(...names: readonly string[]): Rule {
  return fields(Object.fromEntries(names.map((name) => [name, atLeast(0)])));
}

const hostname: Rule = filled(
  all(text(subdomainFaults), (value, at) =>
    isIP(textOf(value)) === 0 ? [] : [invalidValue(at, value, "must be a DNS name, not an IP address")],
  ),
);

const addressMode: Rule = (value, at, { ip }) => {
  const isSet = textOf(ip) !== "";
  if (value === undefined) return isSet ? [requiredValue(at, "must be specified when `ip` is set")] : [];
  return isSet
    ? oneOf("Proxy", "VIP")(value, at, {})
    : [forbiddenValue(at, "may not be specified when `ip` is not set")];
};

/** The status of a `Service`: only a load balancer has an address of its own. */
export const serviceStatusRules: Rule = (value) => {
  const { spec, status } = fieldsOf(value);
  const { ingress } = fieldsOf(fieldsOf(status)["loadBalancer"]);
  const at = "status.loadBalancer.ingress";
  if (fieldsOf(spec)["type"] === "LoadBalancer") {
    return each(fields({ ip: filled(text(ipFault)), ipMode: addressMode, hostname }))(ingress, at, {});
  }
  if (listOf(ingress).length === 0) return [];
  return [forbiddenValue(at, "may only be used when `spec.type` is 'LoadBalancer'")];
};

/** How often names were taken is never fewer times than before. */
export const collisionChanges: ChangeRule = ({ status }, previous) => {
  const [now, before] = [status, previous["status"]].map((each_) => fieldsOf(each_)["collisionCount"]);
  if (before === undefined || Number(now ?? -1) >= Number(before)) return [];
  return [invalidValue("status.collisionCount", now ?? 0, "cannot be decremented")];
};

/** The status of a `Deployment`. */
export const deploymentStatusRules: Rule = fields({
  status: counts(["updatedReplicas", "readyReplicas"], "readyReplicas"),
});

/** The status of a `ReplicaSet`, and of a `ReplicationController`. */
export const replicaSetStatusRules: Rule = fields({
  status: counts(["fullyLabeledReplicas", "readyReplicas"], "readyReplicas"),
});

/** The status of a `StatefulSet`. */
export const statefulSetStatusRules: Rule = fields({
  status: counts(["readyReplicas", "currentReplicas", "updatedReplicas"], "status.readyReplicas"),
});

/** The status of a `DaemonSet`. */
export const daemonSetStatusRules: Rule = fields({
  status: notBelowZero(
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ),
});

/** The status of a `HorizontalPodAutoscaler`. */
export const autoscalerStatusRules: Rule = fields({
  status: notBelowZero("currentReplicas", "desiredReplicas"),
});

/** The status of a `PodDisruptionBudget`. */
export const budgetStatusRules: Rule = fields({
  status: all(
    fields({ conditions: conditionsRule }),
    notBelowZero("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
  ),
});

/** The status of an `Ingress`: where it can be reached. */
export const ingressStatusRules: Rule = fields({
  status: fields({
    loadBalancer: fields({ ingress: each(fields({ ip: filled(text(ipFault)), hostname })) }),
  }),
});

const fieldReference: Rule = (value, at) => {
  if (textOf(value).trim() === "") return [requiredValue(at)];
  return [];
};

/** The status of a `ValidatingAdmissionPolicy`: what its expressions were found to be, if anything. */
export const admissionPolicyStatusRules: Rule = fields({
  status: fields({
    typeChecking: fields({
      expressionWarnings: each(
        fields({
          warning: required(),
          fieldRef: fieldReference,
        }),
      ),
    }),
    conditions: conditionsRule,
  }),
});

/** The status of a `Namespace`, which is what its deletion makes it. */
export const namespaceStatusRules: Rule = (value) => {
  const { metadata, status } = fieldsOf(value);
  const { phase = "" } = fieldsOf(status);
  const isDeleted = fieldsOf(metadata)["deletionTimestamp"] !== undefined;
  if (phase === (isDeleted ? "Terminating" : "Active")) return [];
  const detail = isDeleted
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue("status.Phase", phase, detail)];
};
