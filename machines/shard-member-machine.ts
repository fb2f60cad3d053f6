// The life of one replica that shares the keys of an operator with others: announce itself by a Lease, look at the others,
// publish what it claims, look again before it acts on a claim, and let go.
// src/sharding gives each state its worker. Nobody assigns: everybody computes the same assignment, and the API server's
// order of writes decides where two views differ.
import { setup } from "xstate";

/** What may happen to a member. */
export type ShardMemberEvent =
  /** Our Lease is there: others count with us. */
  | { type: "member.joined" }
  /** The Leases of all members were read, and what they say was taken in. */
  | { type: "members.seen" }
  /** Our renewal was taken, and claims nothing that we do not hold. */
  | { type: "lease.renewed" }
  /** Our renewal was taken, and claims more than we hold. */
  | { type: "claims.extended" }
  /** Our Lease is gone, or names somebody else. */
  | { type: "lease.taken" }
  /** No answer, or none that says what others claim. */
  | { type: "lease.failed" }
  /** Our Lease claims nothing any more: others may take over at once. */
  | { type: "lease.released" }
  /** The wait is over, or there is something to publish. */
  | { type: "wait.over" }
  /** By the local clock the term has passed without a renewal. */
  | { type: "term.expired" }
  /** The process has drained, or wants to stop at once. */
  | { type: "member.resigned" };

/**
 * One membership. It ends for good in `stopped` (never joined), `released`, `unreleased` or `lost`; whoever wants to
 * share again begins a new one under a new name.
 */
export const shardMemberMachine = setup({
  types: { events: {} as ShardMemberEvent },
}).createMachine({
  id: "shardMember",
  description: "One replica's membership among those that share an operator's keys.",
  initial: "joining",
  options: { maxIterations: 100 },
  states: {
    joining: {
      description: "Creates its Lease, which claims nothing yet.",
      on: {
        "member.joined": { target: "looking", description: "Others count with us from now on." },
        "lease.failed": { target: "outside", description: "Refused, or no answer: try again later." },
        "member.resigned": { target: "stopped", description: "Stopped before it ever joined." },
      },
    },
    outside: {
      description: "A jittered pause before the next attempt to join.",
      on: {
        "wait.over": { target: "joining", description: "Try again." },
        "member.resigned": { target: "stopped", description: "Stopped before it ever joined." },
      },
    },
    looking: {
      description:
        "Reads all Leases: who is there, and who claims what. Withdraws from what is another's now.",
      on: {
        "members.seen": { target: "renewing", description: "Publish what follows from it." },
        "lease.failed": { target: "renewing", description: "They cannot be read: renew, and claim no more." },
        "lease.taken": { target: "lost", description: "Its own Lease is not among them." },
        "term.expired": { target: "lost", description: "The answer came too late." },
      },
    },
    renewing: {
      description: "Writes a new time and its claims into its Lease; what has drained is claimed no more.",
      on: {
        "lease.renewed": { target: "resting", description: "The term begins anew when it was sent." },
        "claims.extended": { target: "confirming", description: "Somebody may have claimed the same." },
        "lease.failed": { target: "resting", description: "Not taken, or not known to be." },
        "lease.taken": { target: "lost", description: "Others have buried us." },
        "term.expired": { target: "lost", description: "No renewal in time." },
      },
    },
    confirming: {
      description: "Reads all Leases again: what nobody else claims is ours.",
      on: {
        "members.seen": {
          target: "resting",
          description: "What is free is held; the rest waits for its owner.",
        },
        "lease.failed": { target: "resting", description: "Not known: the next look tells." },
        "lease.taken": { target: "lost", description: "Its own Lease is not among them." },
        "term.expired": { target: "lost", description: "The answer came too late." },
      },
    },
    resting: {
      description: "Works on what it holds, until the next look.",
      on: {
        "wait.over": { target: "looking", description: "Look again." },
        "term.expired": { target: "lost", description: "The process was held up for too long." },
        "member.resigned": { target: "releasing", description: "Lets go of its Lease." },
      },
    },
    releasing: {
      description: "Writes nothing else any more; marks its Lease as given back.",
      on: {
        "lease.released": { target: "released", description: "Others need not wait." },
        "lease.failed": { target: "unreleased", description: "Others wait until the term has run out." },
      },
    },
    stopped: { type: "final", description: "Never joined." },
    released: { type: "final", description: "Has handed everything over." },
    unreleased: { type: "final", description: "Gone; its Lease still claims, and runs out by itself." },
    lost: { type: "final", description: "May no longer act." },
  },
});
