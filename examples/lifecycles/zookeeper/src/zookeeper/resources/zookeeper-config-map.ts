// The ConfigMap of a ZooKeeper.
import type { InstanceOf, ManifestOf } from "xstate-operator";
import type { ConfigMap } from "xstate-operator/kinds";
import type { ZooKeeper } from "../zookeeper.ts";
import { partOf } from "./names.ts";

/** Its configuration. */
export function config(cr: InstanceOf<typeof ZooKeeper>): ManifestOf<ConfigMap> {
  const data = { "zoo.cfg": `tickTime=${cr.spec.tickTime}\nclientPort=2181\n` };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: partOf(cr), data };
}
