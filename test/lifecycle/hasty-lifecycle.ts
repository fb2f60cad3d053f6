// A lifecycle whose end may come while a task is under way, and needs no other one.
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";

export const hastyLifecycle = setupLifecycle().createMachine({
  id: "hasty",
  version: "1",
  initial: "Start",
  states: {
    Start: {
      invoke: { id: "install", src: "install", onDone: "Running", onError: "Running" },
      on: { "desired.End": "End" },
    },
    Running: { on: { "desired.End": "End" } },
    End: { type: "final" },
  },
});
