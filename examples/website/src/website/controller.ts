// The controller of websites: how one is observed, and how it is drained before it ends.
import { defineController } from "xstate-operator";
import { ConfigMap, Deployment, isRolledOut, readyPodsCount } from "xstate-operator/kinds";
import { websiteObjects } from "./resources/website-objects.ts";
import { Website } from "./website.ts";

export const websiteController = defineController(Website, {
  owns: [ConfigMap, Deployment],
  steps: {
    ObjectsGetter: ({ cr, registry }) => registry.add(...websiteObjects(cr)),
  },
  application: {
    observe: ({ cr, lookUp }) => {
      const deployment = lookUp(Deployment, cr.metadata);
      const { ready } = readyPodsCount(deployment);
      const state = ready === 0 ? "Down" : isRolledOut(deployment) ? "Up" : "Rolling";
      return { state, message: `ready pods: ${ready}` };
    },
    tasks: {
      // In Stopping the Deployment is rendered with 0 replicas; here its pods are waited for.
      drain: {
        start: () => undefined,
        observe: ({ cr, started, lookUp }) => {
          if (!started) return { phase: "NotFound" };
          const deployment = lookUp(Deployment, cr.metadata);
          // One that somebody deletes meanwhile is made again, with 0 replicas.
          const { ready } = readyPodsCount(deployment);
          const isDrained = deployment?.spec.replicas === 0 && !deployment.status?.replicas;
          return isDrained ? { phase: "Succeeded" } : { phase: "Running", message: `ready pods: ${ready}` };
        },
        poll: "2s",
      },
    },
  },
});
