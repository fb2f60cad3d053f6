// The life of a database as version 1 of the example drew it: what is stored by it has to be taken over.
import { setupLifecycle } from "xstate-operator";

/** Version 1 of the lifecycle. */
export const databaseLifecycle1 = setupLifecycle().createMachine({
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
