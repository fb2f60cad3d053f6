// The controller of Memcached: a Deployment that exists from Start to Service, and is gone before the application has ended.
import { defineController } from "xstate-operator";
import { Deployment, readyPodsCount } from "xstate-operator/kinds";
import { Memcached } from "./memcached.ts";
import { memcachedDeployment } from "./resources/memcached-deployment.ts";

export const memcachedController = defineController(Memcached, {
  owns: [Deployment],
  steps: {
    ObjectsGetter: ({ cr, registry }) => {
      registry.add(memcachedDeployment(cr), { in: ["Start", "Run", "Service"] });
    },
  },
  application: {
    observe: ({ cr, lookUp }) => {
      const deployment = lookUp(Deployment, cr.metadata);
      const { ready } = readyPodsCount(deployment);
      const state = deployment === undefined ? "Empty" : ready < cr.spec.size ? "Down" : "Run";
      return { state, facts: { servers: ready } };
    },
    statusOf: ({ facts }) => ({ servers: Number(facts["servers"] ?? 0) }),
  },
});
