// The class of service of a pod: how soon it is the one that has to go where there is not enough for all.
// https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
import { parseQuantity } from "../../../schema/cel/quantity.ts";
import { fieldsList, fieldsOf, isFields, textOf, type Fields } from "../api-object.ts";

/** What else is asked for does not count. */
const counted = ["cpu", "memory"];

/** The class of a pod's spec: by what it asks for as a whole, else by its containers. */
export function qualityOf(spec: Fields): "BestEffort" | "Burstable" | "Guaranteed" {
  const isWhole = isFields(spec["resources"]);
  const parts = isWhole
    ? [fieldsOf(spec["resources"])]
    : [...fieldsList(spec["containers"]), ...fieldsList(spec["initContainers"])].map((container) =>
        fieldsOf(container["resources"]),
      );
  const [limits, requests] = [sumOf(parts, "limits"), sumOf(parts, "requests")];
  if (limits.size === 0 && requests.size === 0) return "BestEffort";
  const areAllLimited = parts.every(
    (part) => (isWhole && !isFields(part["limits"])) || sumOf([part], "limits").size === counted.length,
  );
  const isAlike =
    limits.size === requests.size && [...requests].every(([name, amount]) => limits.get(name) === amount);
  return areAllLimited && isAlike ? "Guaranteed" : "Burstable";
}

/** What all ask for together, in billionths; what is not asked for is not in it. */
function sumOf(parts: readonly Fields[], name: "limits" | "requests"): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const part of parts) {
    const amounts = fieldsOf(part[name]);
    for (const resource of counted) {
      const { nano = 0n } = parseQuantity(textOf(amounts[resource])) ?? {};
      if (nano > 0n) sums.set(resource, nano + (sums.get(resource) ?? 0n));
    }
  }
  return sums;
}
