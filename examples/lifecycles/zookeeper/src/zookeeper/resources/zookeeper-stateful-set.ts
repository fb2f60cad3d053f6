// The StatefulSet of a ZooKeeper.
import type { InstanceOf, ManifestOf } from "xstate-operator";
import type { StatefulSet } from "xstate-operator/kinds";
import type { ZooKeeper } from "../zookeeper.ts";
import { partOf } from "./names.ts";

type ZooKeeper = InstanceOf<typeof ZooKeeper>;

/** What a rollback goes back to. */
export type Servers = Pick<ZooKeeper["spec"], "servers" | "version">;

/** Its servers. */
export function servers(cr: ZooKeeper, { servers, version }: Servers): ManifestOf<StatefulSet> {
  const { name, namespace, labels } = partOf(cr);
  const image = `docker.io/library/zookeeper:${version}`;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace, labels },
    spec: {
      serviceName: name,
      replicas: servers,
      // In order, a server that never becomes ready would also block the way back.
      podManagementPolicy: "Parallel",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "zookeeper", image }] } },
    },
  };
}
