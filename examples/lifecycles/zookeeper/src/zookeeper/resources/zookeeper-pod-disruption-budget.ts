// The PodDisruptionBudget of a ZooKeeper.
import type { InstanceOf, ManifestOf } from "xstate-operator";
import type { PodDisruptionBudget } from "xstate-operator/kinds";
import type { ZooKeeper } from "../zookeeper.ts";
import { partOf } from "./names.ts";

/** How many servers may be away at a time. */
export function disruption(cr: InstanceOf<typeof ZooKeeper>): ManifestOf<PodDisruptionBudget> {
  const { name, namespace, labels } = partOf(cr);
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}
