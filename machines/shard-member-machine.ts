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
  /** Our Lease is missing, or names another holder. */
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
  description: "The membership of one replica in the group that shares an operator's keys.",
  initial: "joining",
  options: { maxIterations: 100 },
  states: {
    joining: {
      description: "Creates its Lease, with no claims yet.",
      on: {
        "member.joined": {
          target: "looking",
          description: "The other replicas now take this one into account.",
        },
        "lease.failed": { target: "outside", description: "Rejected or unanswered: retry later." },
        "member.resigned": { target: "stopped", description: "Stopped before it joined." },
      },
    },
    outside: {
      description: "A jittered pause before the next attempt to join.",
      on: {
        "wait.over": { target: "joining", description: "Retry." },
        "member.resigned": { target: "stopped", description: "Stopped before it joined." },
      },
    },
    looking: {
      description:
        "Reads all Leases: the members and their claims. Withdraws from slots that now belong to another replica.",
      on: {
        "members.seen": { target: "renewing", description: "Publish the resulting claims." },
        "lease.failed": {
          target: "renewing",
          description: "They cannot be read: renew, and claim nothing new.",
        },
        "lease.taken": { target: "lost", description: "Its own Lease is missing." },
        "term.expired": { target: "lost", description: "The answer came too late." },
      },
    },
    renewing: {
      description: "Renews its Lease with its claims; drained slots are no longer claimed.",
      on: {
        "lease.renewed": { target: "resting", description: "A new term starts when the renewal was sent." },
        "claims.extended": {
          target: "confirming",
          description: "Another replica may have claimed the same slots.",
        },
        "lease.failed": { target: "resting", description: "Rejected, or the outcome is unknown." },
        "lease.taken": { target: "lost", description: "Other replicas have removed this one." },
        "term.expired": { target: "lost", description: "No renewal in time." },
      },
    },
    confirming: {
      description: "Reads all Leases again: slots that no other replica claims belong to this one.",
      on: {
        "members.seen": {
          target: "resting",
          description: "Free slots are held; the rest wait for their owner.",
        },
        "lease.failed": { target: "resting", description: "Unknown: decided by the next read." },
        "lease.taken": { target: "lost", description: "Its own Lease is missing." },
        "term.expired": { target: "lost", description: "The answer came too late." },
      },
    },
    resting: {
      description: "Works on the slots it holds until the next read.",
      on: {
        "wait.over": { target: "looking", description: "Read the Leases again." },
        "term.expired": { target: "lost", description: "The process was suspended for too long." },
        "member.resigned": { target: "releasing", description: "Releases its Lease." },
      },
    },
    releasing: {
      description: "Makes no other writes; marks its Lease as released.",
      on: {
        "lease.released": { target: "released", description: "Other replicas do not have to wait." },
        "lease.failed": { target: "unreleased", description: "Other replicas wait until the term expires." },
      },
    },
    stopped: { type: "final", description: "Was never a member." },
    released: { type: "final", description: "Has released all slots." },
    unreleased: { type: "final", description: "Stopped; its Lease keeps its claims until it expires." },
    lost: { type: "final", description: "Must not act any more." },
  },
});
