// A lifecycle with everything in it: nested, parallel and remembered states, guards on facts, specs, context and outputs,
// edges that the graph takes by itself, and the end of a compound state.
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";

export const shopLifecycle = setupLifecycle({
  delays: { cooling: "3m" },
  guards: {
    isBig: ({ event }) => event.facts["size"] === "big",
    isPaid: ({ event }) => event.spec["plan"] === "paid",
    isTired: ({ context }) => Number(context["upgrades"]) >= 2,
    isClean: ({ event }) => event.output === "clean",
  },
  actions: { countUpgrade: ({ context }) => ({ upgrades: Number(context["upgrades"]) + 1 }) },
  effects: ["ring"],
}).createMachine({
  id: "shop",
  version: "3",
  context: { upgrades: 0 },
  initial: "Start",
  on: { "human.panic": ".Closed" },
  states: {
    Start: { on: { "observed.Open": "Open" } },
    Open: {
      type: "parallel",
      on: { "desired.End": "Stopping", "desired.Closed": "Closed", "observed.Flooded": "Repair" },
      states: {
        Counter: {
          initial: "Idle",
          states: {
            Idle: {
              on: { "observed.Queue": "Busy", "human.upgrade": { target: "Idle", actions: "countUpgrade" } },
            },
            Busy: {
              on: { "observed.Empty": "Idle" },
              always: { target: "Crowded", guard: "isBig" },
            },
            Crowded: { entry: "ring", on: { "observed.Empty": "Idle" } },
            Past: { type: "history" },
          },
        },
        Kitchen: {
          initial: "Cold",
          states: {
            Cold: { on: { "desired.Open:Kitchen:Hot": "Hot" } },
            Hot: { after: { cooling: "Cold" }, on: { "human.cool": { target: "Cold", guard: "isPaid" } } },
          },
        },
      },
    },
    Closed: {
      on: {
        "desired.Open": "Open.Counter.Past",
        "human.rest": { target: "Stopping", guard: "isTired" },
        "desired.End": "Stopping",
      },
    },
    Repair: {
      initial: "Drying",
      onDone: "Open",
      states: {
        Drying: {
          invoke: {
            id: "dry",
            src: "dry",
            onDone: [{ target: "Done", guard: "isClean" }, { target: "Painting" }],
            onError: "#shop.HumanIntervention",
          },
        },
        Painting: { invoke: { id: "paint", src: "paint", onDone: "Done", onError: "Drying" } },
        Done: { type: "final" },
      },
    },
    Stopping: { invoke: { id: "stop", src: "stop", onDone: "End", onError: "HumanIntervention" } },
    End: { type: "final" },
  },
});
