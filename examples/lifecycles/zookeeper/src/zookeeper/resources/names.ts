// What the objects of a ZooKeeper are called and found by.
import type { InstanceOf } from "xstate-operator";
import type { ZooKeeper } from "../zookeeper.ts";

/** Name, namespace and labels of each of them. */
export function partOf({ metadata: { name, namespace } }: InstanceOf<typeof ZooKeeper>) {
  const labels = { "app.kubernetes.io/name": "zookeeper", "app.kubernetes.io/instance": name };
  return { name, namespace, labels };
}
