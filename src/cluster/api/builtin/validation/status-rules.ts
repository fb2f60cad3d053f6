// What the status of a workload may say: no negative numbers, and of no kind of pods more than of those that they are among.
import { forbiddenValue, invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { fieldsOf, listOf } from "../../api-object.ts";
import { all, atLeast, fields, type Rule } from "./rule.ts";

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

/** The status of a `ReplicaSet`. */
export const replicaSetStatusRules: Rule = fields({
  status: counts(["fullyLabeledReplicas", "readyReplicas"], "readyReplicas"),
});

/** The status of a `StatefulSet`. */
export const statefulSetStatusRules: Rule = fields({
  status: counts(["readyReplicas", "currentReplicas", "updatedReplicas"], "status.readyReplicas"),
});
