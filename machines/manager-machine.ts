// The life of one operator process: connect, check what it needs, fill the caches, work, drain, stop.
// src/manager gives each state its worker; the worker's event leads on.
import { setup } from "xstate";

/** What may happen to an operator process. */
export type ManagerEvent =
  | { type: "stage.done" }
  /** SIGTERM, SIGINT, or the caller's abort. */
  | { type: "stop.requested" }
  | { type: "stage.failed"; error: unknown };

/** The process's life, from `Connecting` to `Stopped` or `Failed`. */
export const managerMachine = setup({
  types: { events: {} as ManagerEvent },
}).createMachine({
  id: "manager",
  initial: "Connecting",
  description: "The life of one operator process.",
  states: {
    Connecting: {
      description: "Reach the API server and learn that it knows us.",
      on: { "stage.done": "Preparing", "stop.requested": "Stopped", "stage.failed": "Failed" },
    },
    Preparing: {
      description: "Install the CRDs when asked to, and check that they keep every field we persist.",
      on: { "stage.done": "Syncing", "stop.requested": "Stopped", "stage.failed": "Failed" },
    },
    Syncing: {
      description: "List and watch every type; nothing is reconciled before all caches are complete.",
      on: { "stage.done": "Running", "stop.requested": "Draining", "stage.failed": "Failed" },
    },
    Running: {
      description: "Workers take keys from the queues.",
      on: { "stop.requested": "Draining", "stage.failed": "Draining" },
    },
    Draining: {
      description: "No new key is taken; reconciles under way end, events are flushed, watches are closed.",
      on: { "stage.done": "Stopped", "stage.failed": "Failed" },
    },
    Stopped: { type: "final" },
    Failed: { type: "final" },
  },
});
