// A rebalance of a Kafka cluster: Cruise Control computes a proposal, a person approves it (or the resource does), and it is
// carried out. After Strimzi's KafkaRebalance.
import { setupLifecycle } from "xstate-operator";
import type { RebalanceSpec } from "./kafka-rebalance-spec.ts";

export const rebalanceLifecycle = setupLifecycle<{ readonly spec: RebalanceSpec }>()
  .extend({
    guards: { autoApproval: ({ event }) => event.spec.autoApproval },
    actions: { keepProposal: ({ event }) => ({ proposal: event.output ?? null }) },
    tasks: { propose: {}, rebalance: { input: {} as { readonly proposal: string } } },
    observations: ["Unreachable"],
  })
  .createMachine({
    id: "kafka-rebalance",
    version: "1",
    initial: "New",
    context: { proposal: null },
    states: {
      New: { on: { "observed.Accepting": "PendingProposal" } },
      PendingProposal: {
        invoke: {
          id: "propose",
          src: "propose",
          onDone: { target: "ProposalReady", actions: "keepProposal" },
          onError: "NotReady",
        },
        on: { "human.stop": "Stopped", "config.changed": { target: "PendingProposal", reenter: true } },
      },
      ProposalReady: {
        always: { guard: "autoApproval", target: "Rebalancing" },
        on: {
          "human.approve": "Rebalancing",
          "human.refresh": "PendingProposal",
          "config.changed": "PendingProposal",
        },
      },
      Rebalancing: {
        invoke: {
          id: "rebalance",
          src: "rebalance",
          input: ({ context }) => ({ proposal: context["proposal"] as string }),
          onDone: "Ready",
          onError: "NotReady",
        },
        on: { "human.stop": "Stopped" },
      },
      Ready: { on: { "human.refresh": "PendingProposal", "config.changed": "PendingProposal" } },
      Stopped: { on: { "human.refresh": "PendingProposal", "config.changed": "PendingProposal" } },
      NotReady: { on: { "human.refresh": "PendingProposal", "config.changed": "PendingProposal" } },
    },
  });
