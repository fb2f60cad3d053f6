// The controller of ZooKeeper: a step applies objects and is complete once they are healthy.
import { defineController } from "xstate-operator";
import { ConfigMap, Job, PodDisruptionBudget, Service, StatefulSet } from "xstate-operator/kinds";
import { applyTask } from "xstate-operator/tasks";
import { config } from "./resources/zookeeper-config-map.ts";
import { job } from "./resources/zookeeper-job.ts";
import { disruption } from "./resources/zookeeper-pod-disruption-budget.ts";
import { service } from "./resources/zookeeper-service.ts";
import { servers, type Servers } from "./resources/zookeeper-stateful-set.ts";
import { ZooKeeper } from "./zookeeper.ts";

export const zookeeperController = defineController(ZooKeeper, {
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
});
