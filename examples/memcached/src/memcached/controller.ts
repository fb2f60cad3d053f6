// The controller of Memcached: a Deployment of the desired size, and the names of its pods in the status.
import { defineController } from "xstate-operator";
import { Deployment, Pod } from "xstate-operator/kinds";
import { Memcached } from "./memcached.ts";
import { labelsOf, memcachedDeployment, memcachedOf } from "./resources/memcached-deployment.ts";

export const memcachedController = defineController(Memcached, {
  owns: [Deployment],
  watches: [{ type: Pod, mapTo: memcachedOf }],
  steps: {
    ObjectsGetter: ({ cr, registry }) => {
      registry.add(memcachedDeployment(cr));
    },
    SuccessManager: ({ cr, list }) => ({
      nodes: list(Pod, { matchLabels: labelsOf(cr) })
        .map((pod) => pod.metadata.name)
        .toSorted(),
    }),
  },
});
