// The operator: a Deployment of the wished size, and the names of its pods in the status.
import { defineController, defineOperator, Deployment, Pod } from "xstate-operator";
import { labelsOf, memcachedDeployment } from "./deployment.ts";
import { Memcached } from "./memcached.ts";

export default defineOperator({
  name: "memcached-operator",
  controllers: [
    defineController(Memcached, {
      owns: [Deployment],
      steps: {
        ObjectsGetter: ({ cr, registry }) => {
          registry.add(memcachedDeployment(cr));
        },
        SuccessManager: async ({ cr, client, signal }) => {
          const { namespace = "default" } = cr.metadata;
          const labelSelector = Object.entries(labelsOf(cr))
            .map(([key, value]) => `${key}=${value}`)
            .join();
          const pods = await client.list(Pod, { namespace, labelSelector, signal });
          return { nodes: pods.items.map((pod) => pod.metadata.name).toSorted() };
        },
      },
    }),
  ],
});
