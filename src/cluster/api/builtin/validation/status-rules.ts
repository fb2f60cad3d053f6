// What the status of a workload may say: no negative numbers, and of no kind of pods more than of those that they are among.
import { forbiddenValue, invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { subdomainFault } from "../../../../meta/name-rules.ts";
import { fieldsOf, listOf, textOf } from "../../api-object.ts";
import { conditionsRule } from "./condition-rules.ts";
import { ipFault } from "./pod-form-rules.ts";
import { all, atLeast, each, fields, filled, text, type Rule } from "./rule.ts";

/** Numbers of pods that are at most as great as `replicas`; those that are available are among the ready ones. */
function counts(names: readonly string[], ready: string): Rule {
  const numbers = ["observedGeneration", "replicas", ...names, "availableReplicas", "collisionCount"];
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

/** The status of a `Service`: only a load balancer has an address of its own. */
export const serviceStatusRules: Rule = (value) => {
  const { spec, status } = fieldsOf(value);
  const { ingress } = fieldsOf(fieldsOf(status)["loadBalancer"]);
  if (fieldsOf(spec)["type"] === "LoadBalancer" || listOf(ingress).length === 0) return [];
  const detail = "may only be used when `spec.type` is 'LoadBalancer'";
  return [forbiddenValue("status.loadBalancer.ingress", detail)];
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
    loadBalancer: fields({
      ingress: each(
        fields({
          ip: filled(text(ipFault)),
          hostname: filled(
            all(text(subdomainFault), (value, at) =>
              ipFault(textOf(value)) === undefined
                ? [invalidValue(at, value, "must be a DNS name, not an IP address")]
                : [],
            ),
          ),
        }),
      ),
    }),
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
