// A plant with regions side by side that move by their own observations, and maintenance after which it goes on where it was.
import { setupLifecycle } from "xstate-operator";

export const plantLifecycle = setupLifecycle({ observations: ["Clean"] }).createMachine({
  id: "plant",
  version: "1",
  initial: "Idle",
  states: {
    Idle: { on: { "desired.Live": "Live", "desired.Scrapped": "Scrapped" } },
    Live: {
      type: "parallel",
      on: { "desired.Idle": "Idle", "desired.Maintenance": "Maintenance" },
      states: {
        network: {
          initial: "Down",
          states: {
            Down: { on: { "observed.Slow": "Up.Slow", "observed.Fast": "Up.Fast" } },
            Up: {
              initial: "Slow",
              states: {
                Slow: { on: { "observed.Fast": "Fast" } },
                Fast: { on: { "observed.Slow": "Slow" } },
              },
              on: { "observed.Down": "Down" },
            },
          },
        },
        data: {
          initial: "Clean",
          states: {
            Clean: { on: { "observed.Dirty": "Dirty" } },
            Dirty: { after: { "5s": "Syncing" } },
            Syncing: {
              invoke: { id: "sync", src: "sync", onDone: "Clean", onError: "#plant.HumanIntervention" },
            },
          },
        },
        memory: { type: "history", history: "deep" },
      },
    },
    Maintenance: { on: { "desired.Live": "#plant.Live.memory" } },
    Scrapped: { type: "final", output: { scrapped: true } },
  },
});
