// The life of one candidate for leadership: look at the Lease, claim it when it is free, renew it, and let go of it.
// src/election gives each state its worker. Who leads is decided by the API server alone: it takes one of two claims.
import { setup } from "xstate";

/** What may happen to a candidate. */
export type ElectionEvent =
  /** The Lease was read, and may be claimed: nobody holds it, or its holder has let it run out. */
  | { type: "lease.free" }
  /** The Lease was read, and another holder's term has not expired. */
  | { type: "lease.held" }
  /** Our claim was taken: we lead. */
  | { type: "lease.acquired" }
  /** Another process wrote first. */
  | { type: "lease.contended" }
  /** Our renewal was taken. */
  | { type: "lease.renewed" }
  /** Another process holds the Lease that was ours. */
  | { type: "lease.taken" }
  /** No answer, or none that says who leads. */
  | { type: "lease.failed" }
  /** The Lease no longer names us: a candidate may take over immediately. */
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
      description: "Reads the Lease and decides whether it can be claimed.",
      on: {
        "lease.free": {
          target: "claiming",
          description: "It has no holder, or its term has expired by the local clock.",
        },
        "lease.held": { target: "waiting", description: "Another candidate leads." },
        "lease.failed": { target: "waiting", description: "It cannot be read: retry later." },
        "election.resigned": { target: "stopped", description: "Stopped before it became the leader." },
      },
    },
    claiming: {
      description:
        "Writes its name into the Lease; the server rejects the write if the Lease has changed since it was read.",
      on: {
        "lease.acquired": { target: "leader", description: "The term starts when the claim was sent." },
        "lease.contended": { target: "waiting", description: "Another candidate was faster." },
        "lease.failed": {
          target: "waiting",
          description: "Rejected or unanswered: the next read shows whether the claim was stored.",
        },
      },
    },
    waiting: {
      description: "A jittered pause before the next read.",
      on: {
        "wait.over": { target: "candidate", description: "Read the Lease again." },
        "election.resigned": { target: "stopped", description: "Stopped before it became the leader." },
      },
    },
    leader: {
      description: "Leads; pauses until the next renewal.",
      on: {
        "wait.over": { target: "renewing", description: "Time to renew." },
        "term.expired": { target: "lost", description: "The process was suspended for too long." },
        "election.resigned": { target: "releasing", description: "Releases the Lease." },
      },
    },
    renewing: {
      description: "Leads; renews the Lease.",
      on: {
        "lease.renewed": { target: "leader", description: "A new term starts when the renewal was sent." },
        "lease.failed": { target: "uncertain", description: "Rejected, or the outcome is unknown." },
        "lease.taken": { target: "lost", description: "Another candidate leads." },
        "term.expired": { target: "lost", description: "The answer came too late." },
      },
    },
    uncertain: {
      description:
        "Leads until its term expires, although the last renewal failed; pauses before the next attempt.",
      on: {
        "wait.over": { target: "renewing", description: "Retry the renewal." },
        "term.expired": { target: "lost", description: "No renewal in time." },
        "election.resigned": {
          target: "releasing",
          description: "Releases the Lease, if possible.",
        },
      },
    },
    releasing: {
      description: "Makes no other writes; removes its name from the Lease.",
      on: {
        "lease.released": { target: "released", description: "The next leader does not have to wait." },
        "lease.taken": { target: "released", description: "Another candidate already leads." },
        "lease.failed": {
          target: "unreleased",
          description: "The next leader waits until the term expires.",
        },
      },
    },
    stopped: { type: "final", description: "Was never the leader." },
    released: { type: "final", description: "Was the leader and has released the Lease." },
    unreleased: { type: "final", description: "Was the leader; the Lease still names it until it expires." },
    lost: { type: "final", description: "Was the leader and must not act any more." },
  },
});
