// The life of a database: a statechart and nothing else, so that Stately's editor opens it as it is.
// Which looks and tasks stand behind the names is said in operator.ts.
import { setupLifecycle } from "xstate-operator";

/** Start → Running ⇄ Servicing, Running → Stopping → End, and a human where nothing else helps. */
export const databaseLifecycle = setupLifecycle().createMachine({
  id: "database",
  version: "1",
  initial: "Start",
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
        "desired.Servicing": "Servicing",
        "desired.End": "Stopping",
      },
    },
    Servicing: {
      invoke: { id: "backup", src: "backUp", onDone: "Running", onError: "HumanIntervention" },
      on: { "human.abort": "Running" },
    },
    Stopping: {
      invoke: { id: "drain", src: "drain", onDone: "End", onError: "HumanIntervention" },
    },
    HumanIntervention: {
      on: {
        "human.retry": "Start",
        "config.changed": "Start",
        "desired.End": "Stopping",
      },
    },
    End: { type: "final" },
  },
});
