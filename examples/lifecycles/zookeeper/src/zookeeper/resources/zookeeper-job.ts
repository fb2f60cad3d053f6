// The Job of a ZooKeeper.
import type { InstanceOf, ManifestOf } from "xstate-operator";
import type { Job } from "xstate-operator/kinds";
import type { ZooKeeper } from "../zookeeper.ts";
import { partOf } from "./names.ts";

/** A step that is a program: it checks, backs up or restores. */
export function job(cr: InstanceOf<typeof ZooKeeper>, key: string, command: string): ManifestOf<Job> {
  const { namespace, labels } = partOf(cr);
  const image = `docker.io/library/zookeeper:${cr.spec.version}`;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: key, namespace, labels },
    spec: {
      backoffLimit: 0,
      template: {
        spec: { restartPolicy: "Never", containers: [{ name: command, image, command: ["zk", command] }] },
      },
    },
  };
}
