// The operator: a Deployment of the desired size, and the names of its pods in the status.
import { defineController, defineOperator } from "xstate-operator";
import { Deployment, Pod } from "xstate-operator/kinds";
import { labelsOf, memcachedDeployment, memcachedOf } from "./deployment.ts";
import { Memcached } from "./memcached.ts";

export default defineOperator({
  name: "memcached-operator",
  controllers: [
    defineController(Memcached, {
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
    }),
  ],
});
