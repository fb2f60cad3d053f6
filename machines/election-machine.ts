// The life of one candidate for leadership: look at the Lease, claim it when it is free, renew it, and let go of it.
// src/election gives each state its worker. Who leads is decided by the API server alone: it takes one of two claims.
import { setup } from "xstate";

/** What may happen to a candidate. */
export type ElectionEvent =
  /** The Lease was read, and may be claimed: nobody holds it, or its holder has let it run out. */
  | { type: "lease.free" }
  /** The Lease was read, and somebody else's term has not run out. */
  | { type: "lease.held" }
  /** Our claim was taken: we lead. */
  | { type: "lease.acquired" }
  /** Somebody else wrote first. */
  | { type: "lease.contended" }
  /** Our renewal was taken. */
  | { type: "lease.renewed" }
  /** Somebody else holds the Lease that was ours. */
  | { type: "lease.taken" }
  /** No answer, or none that says who leads. */
  | { type: "lease.failed" }
  /** The Lease no longer names us: whoever waits may take over at once. */
  | { type: "lease.released" }
  /** The wait is over. */
  | { type: "wait.over" }
  /** By the local clock the term has passed without a renewal. */
  | { type: "term.expired" }
  /** The process wants to stop, or to stop leading. */
  | { type: "election.resigned" };

/**
 * One candidacy. It ends for good in `stopped` (never led), `released`, `unreleased` or `lost`; whoever wants to lead
 * again begins a new one under a new identity.
 */
export const electionMachine = setup({
  types: { events: {} as ElectionEvent },
}).createMachine({
  id: "election",
  description: "One candidacy for leadership.",
  initial: "candidate",
  options: { maxIterations: 100 },
  states: {
    candidate: {
      description: "Reads the Lease and judges whether it may be claimed.",
      on: {
        "lease.free": { target: "claiming", description: "Nobody holds it, or its term has run out here." },
        "lease.held": { target: "waiting", description: "Somebody leads." },
        "lease.failed": { target: "waiting", description: "It cannot be read: ask again later." },
        "election.resigned": { target: "stopped", description: "Stopped before it ever led." },
      },
    },
    claiming: {
      description: "Writes its name into the Lease as it was read; the server refuses if it has changed.",
      on: {
        "lease.acquired": { target: "leader", description: "The term begins when the claim was sent." },
        "lease.contended": { target: "waiting", description: "Another candidate was faster." },
        "lease.failed": {
          target: "waiting",
          description: "Refused, or no answer: the next look shows whether the claim was taken.",
        },
      },
    },
    waiting: {
      description: "A jittered pause before the next look.",
      on: {
        "wait.over": { target: "candidate", description: "Look again." },
        "election.resigned": { target: "stopped", description: "Stopped before it ever led." },
      },
    },
    leader: {
      description: "Leads; pauses until the next renewal.",
      on: {
        "wait.over": { target: "renewing", description: "Time to renew." },
        "term.expired": { target: "lost", description: "The process was held up for too long." },
        "election.resigned": { target: "releasing", description: "Lets go of the Lease." },
      },
    },
    renewing: {
      description: "Leads; writes a new time into the Lease.",
      on: {
        "lease.renewed": { target: "leader", description: "The term begins anew when the renewal was sent." },
        "lease.failed": { target: "uncertain", description: "Not taken, or not known to be." },
        "lease.taken": { target: "lost", description: "Somebody else leads." },
        "term.expired": { target: "lost", description: "The answer came too late." },
      },
    },
    uncertain: {
      description:
        "Leads while its term lasts, although the last renewal failed; pauses before the next try.",
      on: {
        "wait.over": { target: "renewing", description: "Try again." },
        "term.expired": { target: "lost", description: "No renewal in time." },
        "election.resigned": {
          target: "releasing",
          description: "Lets go of the Lease, if that can be done.",
        },
      },
    },
    releasing: {
      description: "Writes nothing else any more; takes its name out of the Lease.",
      on: {
        "lease.released": { target: "released", description: "The next leader need not wait." },
        "lease.taken": { target: "released", description: "The next leader is there already." },
        "lease.failed": {
          target: "unreleased",
          description: "The next leader waits until the term has run out.",
        },
      },
    },
    stopped: { type: "final", description: "Never led." },
    released: { type: "final", description: "Led, and has handed over." },
    unreleased: { type: "final", description: "Led; the Lease still names it and runs out by itself." },
    lost: { type: "final", description: "Led, and may no longer act." },
  },
});
