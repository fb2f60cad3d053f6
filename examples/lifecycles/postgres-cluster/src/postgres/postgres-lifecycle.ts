// A cluster of Postgres servers whose pods are replaced one after the other, the leader's last. After Zalando's operator.
import { setupLifecycle } from "xstate-operator";
import type { PostgresSpec } from "./postgres-spec.ts";

/** What the tasks are given. */
interface ChosenPod {
  readonly pod: string;
}

export const postgresLifecycle = setupLifecycle<{ readonly spec: PostgresSpec }>()
  .extend({
    delays: { later: "30m", limit: "30m" },
    guards: { replicasAreNew: ({ event }) => event.facts["outdated"] === null },
    actions: {
      choosePod: ({ event }) => ({ pod: event.facts["outdated"] ?? event.facts["leader"] ?? null }),
    },
    inputs: { chosen: ({ context }) => ({ pod: context["pod"] as string }) },
    tasks: { replacePod: { input: {} as ChosenPod }, switchOver: { input: {} as ChosenPod } },
    observations: ["Starting"],
  })
  .createMachine({
    id: "postgres",
    version: "1",
    initial: "Creating",
    context: { pod: null },
    states: {
      Creating: {
        on: { "observed.Running": "Running", "desired.End": "Deleting" },
        after: { limit: "CreateFailed" },
      },
      Running: {
        on: {
          "observed.Outdated": "Updating",
          "observed.OutOfSync": "SyncFailed",
          "desired.End": "Deleting",
        },
      },
      Updating: {
        initial: "Choosing",
        states: {
          Choosing: {
            always: [
              { target: "Switchover", guard: "replicasAreNew", actions: "choosePod" },
              { target: "Replacing", actions: "choosePod" },
            ],
          },
          Replacing: {
            invoke: { id: "roll", src: "replacePod", input: "chosen", onDone: "Syncing", onError: "#failed" },
          },
          Syncing: {
            on: { "observed.Outdated": "Choosing", "observed.Running": "#postgres.Running" },
            after: { limit: "#postgres.SyncFailed" },
          },
          Switchover: {
            invoke: {
              id: "switch",
              src: "switchOver",
              input: "chosen",
              onDone: "Leader",
              onError: "#failed",
            },
          },
          Leader: {
            invoke: { id: "last", src: "replacePod", input: "chosen", onDone: "Syncing", onError: "#failed" },
          },
        },
      },
      CreateFailed: { tags: "failure", after: { later: "Creating" }, on: { "config.changed": "Creating" } },
      UpdateFailed: {
        id: "failed",
        tags: "failure",
        after: { later: "Updating" },
        on: { "config.changed": "Updating" },
      },
      SyncFailed: { tags: "failure", after: { later: "Updating" }, on: { "observed.Running": "Running" } },
      Deleting: { on: { "observed.Gone": "End" } },
      End: { type: "final" },
    },
  });
