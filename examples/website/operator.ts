// A website with a lifecycle of its own: it starts, runs, closes for maintenance and opens again by itself, and stops.
import { readFileSync } from "node:fs";
import { defineController, defineKind, defineOperator, setupLifecycle } from "xstate-operator";
import { renderTemplate } from "xstate-operator";
import { ConfigMap, Deployment, isRolledOut, readyPodsCount } from "xstate-operator/kinds";
import { z } from "zod";

// Written out, so that `build` finds them.
const files = [new URL("page.yaml", import.meta.url), new URL("server.yaml", import.meta.url)];
const templates = files.map((file) => readFileSync(file, "utf8"));

const spec = z.object({
  replicas: z.int().min(1).max(10).default(2),
  page: z.string().default("<h1>Welcome</h1>").describe("What visitors see."),
  maintenanceMinutes: z.number().positive().default(10).describe("After them it opens again."),
});

const lifecycle = setupLifecycle<{ spec: z.output<typeof spec> }>()
  .extend({
    delays: { window: ({ event }) => event.spec.maintenanceMinutes * 60_000 },
    observations: ["Rolling"],
  })
  .createMachine({
    id: "website",
    version: "1",
    initial: "Start",
    states: {
      Start: {
        on: { "observed.Up": "Running", "desired.End": "Stopping" },
        after: { startTimeout: "HumanIntervention" },
      },
      Running: {
        on: {
          "desired.Maintenance": "Maintenance",
          "human.close": "Maintenance",
          "observed.Down": "Start",
          "desired.End": "Stopping",
        },
      },
      Maintenance: {
        on: { "human.open": "Running", "desired.End": "Stopping" },
        after: { window: "Running" },
      },
      Stopping: { invoke: { id: "drain", src: "drain", onDone: "End", onError: "HumanIntervention" } },
      End: { type: "final" },
    },
  });

export const Website = defineKind({
  group: "web.example.com",
  version: "v1",
  kind: "Website",
  spec,
  lifecycle,
});

const controller = defineController(Website, {
  owns: [ConfigMap, Deployment],
  steps: {
    ObjectsGetter: ({ cr: { metadata, spec, status }, registry }) => {
      const state = status?.lifecycle?.state ?? "Start";
      const page = state === "Maintenance" ? "<h1>Closed for maintenance</h1>" : spec.page;
      const replicas = state === "Stopping" || state === "End" ? 0 : spec.replicas;
      registry.add(...templates.map((yaml) => renderTemplate(yaml, { ...metadata, page, replicas })));
    },
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

export default defineOperator({ name: "website-operator", controllers: [controller] });
