// The lifecycle of a website: it starts, runs, closes for maintenance and opens again by itself, and stops.
import { setupLifecycle } from "xstate-operator";
import type { WebsiteSpec } from "./website-spec.ts";

export const websiteLifecycle = setupLifecycle<{ spec: WebsiteSpec }>()
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
