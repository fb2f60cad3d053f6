// The lifecycle of the manual: the machine most tests of this folder drive.
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";

export const databaseLifecycle = setupLifecycle().createMachine({
  id: "database",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Running": "Running" }, after: { startTimeout: "HumanIntervention" } },
    Running: {
      on: { "desired.Servicing": "Servicing", "desired.End": "Stopping", "observed.Down": "Start" },
    },
    Servicing: {
      invoke: { id: "backup", src: "backUp", onDone: "Running", onError: "HumanIntervention" },
      on: { "human.abort": "Running" },
    },
    Stopping: { invoke: { id: "drain", src: "drain", onDone: "End" } },
    HumanIntervention: { tags: "intervention", on: { "human.retry": "Start" } },
    End: { type: "final" },
  },
});
