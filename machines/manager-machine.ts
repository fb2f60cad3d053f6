// The life of one operator process: connect, check what it needs, fill the caches, wait to lead, work, drain, stop.
// It is the root of the process's actors: it spawns the election, the membership in the shards and the list-watches when
// they begin. src/manager gives each state its worker; the worker's event leads on.
import { setup, spawnChild } from "xstate";
import { electionMachine } from "./election-machine.ts";
import { shardMemberMachine } from "./shard-member-machine.ts";
import { watchMachine } from "./watch-machine.ts";

/** What may happen to an operator process. */
export type ManagerEvent =
  | { type: "stage.done" }
  /** SIGTERM, SIGINT, or the caller's abort. */
  | { type: "stop.requested" }
  /** Another process leads, or may lead from now on. */
  | { type: "leadership.lost" }
  | { type: "stage.failed"; error: unknown }
  /** A type is listed and watched from now on; the same id for the same type in every process. */
  | { type: "watch.begun"; id: string }
  /** This process stands for election; the same id for the same Lease in every process. */
  | { type: "election.begun"; id: string }
  /** This process joins those that share the keys. */
  | { type: "membership.begun" };

/**
 * The process's life, from `Connecting` to `Stopped` or `Failed`.
 *
 * Its children: `election` (and one for each former name of the operator) or `shards`, if this process has to do with others at all,
 * and one watch for each type. Each lives until it has come to its own end, or this machine to its.
 */
export const managerMachine = setup({
  types: { events: {} as ManagerEvent },
  actors: { election: electionMachine, shardMember: shardMemberMachine, watch: watchMachine },
  actions: {
    spawnElection: spawnChild("election", {
      id: ({ event }) => (event.type === "election.begun" ? event.id : "election"),
    }),
    spawnShardMember: spawnChild("shardMember", { id: "shards" }),
    spawnWatch: spawnChild("watch", {
      id: ({ event }) => (event.type === "watch.begun" ? event.id : "watch"),
      input: { streaming: true },
    }),
  },
}).createMachine({
  id: "manager",
  initial: "Connecting",
  description: "The lifecycle of one operator process.",
  options: { maxIterations: 100 },
  on: {
    "watch.begun": { actions: "spawnWatch", description: "A child actor lists and watches a type." },
  },
  states: {
    Connecting: {
      description: "Connect to the API server and verify that it accepts the credentials.",
      on: { "stage.done": "Preparing", "stop.requested": "Stopped", "stage.failed": "Failed" },
    },
    Preparing: {
      description:
        "Install the CRDs if requested, and check that they keep every field that the operator writes.",
      on: { "stage.done": "Syncing", "stop.requested": "Stopped", "stage.failed": "Failed" },
    },
    Syncing: {
      description: "List and watch every type; nothing is reconciled until all caches are complete.",
      on: { "stage.done": "Standby", "stop.requested": "Draining", "stage.failed": "Failed" },
    },
    Standby: {
      description:
        "Caches are complete and kept current; with leader election, no worker runs until this process leads.",
      on: {
        "election.begun": {
          actions: "spawnElection",
          description: "A child actor takes part in the election.",
        },
        "membership.begun": {
          actions: "spawnShardMember",
          description: "A child actor shares the keys with other replicas.",
        },
        "stage.done": "CatchingUp",
        "stop.requested": "Draining",
        "leadership.lost": "Yielding",
        "stage.failed": "Draining",
      },
    },
    CatchingUp: {
      description:
        "A newly elected leader waits until the caches include the last writes of the previous one.",
      on: {
        "stage.done": "Running",
        "stop.requested": "Draining",
        "leadership.lost": "Yielding",
        "stage.failed": "Draining",
      },
    },
    Running: {
      description: "Workers take keys from the queues.",
      on: { "stop.requested": "Draining", "leadership.lost": "Yielding", "stage.failed": "Draining" },
    },
    Draining: {
      description:
        "No new key is taken; running reconciles finish, events are flushed, leadership is released.",
      on: { "stage.done": "Stopped", "leadership.lost": "Yielding", "stage.failed": "Failed" },
    },
    Yielding: {
      description: "Leadership is lost: writes are blocked, and running reconciles are aborted.",
      on: { "stage.done": "Failed", "stage.failed": "Failed" },
    },
    Stopped: { type: "final" },
    Failed: { type: "final" },
  },
});
