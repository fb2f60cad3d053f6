// The Service of a ZooKeeper.
import type { InstanceOf, ManifestOf } from "xstate-operator";
import type { Service } from "xstate-operator/kinds";
import type { ZooKeeper } from "../zookeeper.ts";
import { partOf } from "./names.ts";

/** How its servers find each other. */
export function service(cr: InstanceOf<typeof ZooKeeper>): ManifestOf<Service> {
  const { name, namespace, labels } = partOf(cr);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, labels },
    spec: { clusterIP: "None", selector: labels, ports: [{ name: "client", port: 2181 }] },
  };
}
