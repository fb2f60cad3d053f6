// The life of a database: a statechart and nothing else, so that Stately's editor opens it as it is.
// Which looks and tasks stand behind the names is said in operator.ts.
import { setupLifecycle, specChanged } from "xstate-operator";

/** Start → Running ⇄ Servicing, Running ⇄ Reconfiguring, Running → Stopping → End, and a human where nothing else helps. */
export const databaseLifecycle = setupLifecycle({
  delays: { startTimeout: "10m", reconfigureTimeout: "5m" },
  guards: { needsRestart: ({ event }) => specChanged(event, "parameters", "maxConnections", "port") },
  actions: {
    countReconfiguration: ({ context }) => ({
      reconfigurations: Number(context["reconfigurations"] ?? 0) + 1,
    }),
  },
  observations: ["Outdated", "Closed"],
}).createMachine({
  id: "database",
  version: "2",
  initial: "Start",
  context: { reconfigurations: 0 },
  states: {
    Start: {
      on: {
        "observed.Running": "Running",
        "desired.End": "Stopping",
      },
      after: { startTimeout: "HumanIntervention" },
    },
    Running: {
      on: {
        "observed.Down": "Start",
        "observed.BackupDue": "Servicing",
        "config.changed": { target: "Reconfiguring", guard: "needsRestart" },
        "desired.Servicing": "Servicing",
        "desired.End": "Stopping",
      },
    },
    Reconfiguring: {
      description: "The server is started again, with its new configuration.",
      on: {
        "observed.Running": { target: "Running", actions: "countReconfiguration" },
        "observed.BackupDue": { target: "Running", actions: "countReconfiguration" },
        "desired.End": "Stopping",
      },
      after: { reconfigureTimeout: "HumanIntervention" },
    },
    Servicing: {
      meta: {
        refuses: ["parameters", "maxConnections", "port", "backupMaxRate"],
        message: "the backup needs the server as it is; wait until it is done, or send abort",
      },
      invoke: { id: "backup", src: "backUp", onDone: "Running", onError: "HumanIntervention" },
      on: { "human.abort": "Running" },
    },
    Stopping: {
      meta: {
        refuses: ["parameters", "maxConnections", "port"],
        message: "wait until the database has ended",
      },
      invoke: { id: "drain", src: "drain", onDone: "End", onError: "HumanIntervention" },
    },
    HumanIntervention: {
      tags: "intervention",
      on: {
        "human.retry": "Start",
        "config.changed": "Start",
        "desired.End": "Stopping",
      },
    },
    End: { type: "final" },
  },
});
