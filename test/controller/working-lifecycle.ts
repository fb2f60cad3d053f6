// The lifecycle of an application that has one task, which a person may abort.
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";

export const workingLifecycle = setupLifecycle().createMachine({
  id: "working",
  version: "1",
  initial: "Idle",
  states: {
    Idle: { on: { "desired.Working": "Working" } },
    Working: {
      invoke: { id: "work", src: "work", onDone: "Idle", onError: "HumanIntervention" },
      on: { "human.abort": "Idle" },
    },
  },
});
