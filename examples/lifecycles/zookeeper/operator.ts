// The operator: a step applies objects and is complete once they are healthy.
import { defineController, defineOperator, type InstanceOf, type ManifestOf } from "xstate-operator";
import { applyTask } from "xstate-operator/tasks";
import { ConfigMap, Job, PodDisruptionBudget, Service, StatefulSet } from "xstate-operator/kinds";
import { ZooKeeper } from "./zookeeper.ts";

type ZooKeeper = InstanceOf<typeof ZooKeeper>;

/** What a rollback goes back to. */
type Servers = Pick<ZooKeeper["spec"], "servers" | "version">;

export default defineOperator({
  name: "zookeeper-operator",
  controllers: [
    defineController(ZooKeeper, {
      owns: [ConfigMap, Job, PodDisruptionBudget, Service, StatefulSet],
      application: {
        observe: () => ({}),
        tasks: {
          applyConfig: applyTask({ objects: ({ cr }) => [config(cr)] }),
          applyServices: applyTask({ objects: ({ cr }) => [service(cr)] }),
          applyDisruption: applyTask({ objects: ({ cr }) => [disruption(cr)] }),
          applyServers: applyTask({ objects: ({ cr }) => [servers(cr, cr.spec)], timeout: "5m" }),
          validate: applyTask({ objects: ({ cr, key }) => [job(cr, key, "validate")] }),
          backUp: applyTask({ objects: ({ cr, key }) => [job(cr, key, "backup")] }),
          restore: applyTask({ objects: ({ cr, key }) => [job(cr, key, "restore")] }),
          rollBack: applyTask({
            objects: ({ cr, input }) => [servers(cr, (input as Servers | null) ?? cr.spec)],
          }),
        },
      },
    }),
  ],
});

function partOf({ metadata: { name, namespace } }: ZooKeeper) {
  const labels = { "app.kubernetes.io/name": "zookeeper", "app.kubernetes.io/instance": name };
  return { name, namespace, labels };
}

function config(cr: ZooKeeper): ManifestOf<ConfigMap> {
  const data = { "zoo.cfg": `tickTime=${cr.spec.tickTime}\nclientPort=2181\n` };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: partOf(cr), data };
}

function service(cr: ZooKeeper): ManifestOf<Service> {
  const { name, namespace, labels } = partOf(cr);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, labels },
    spec: { clusterIP: "None", selector: labels, ports: [{ name: "client", port: 2181 }] },
  };
}

function disruption(cr: ZooKeeper): ManifestOf<PodDisruptionBudget> {
  const { name, namespace, labels } = partOf(cr);
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  };
}

function servers(cr: ZooKeeper, { servers, version }: Servers): ManifestOf<StatefulSet> {
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

function job(cr: ZooKeeper, key: string, command: string): ManifestOf<Job> {
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
