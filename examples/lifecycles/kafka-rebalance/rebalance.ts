// The kind KafkaRebalance: what a proposal is to optimize, and who approves it.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { rebalanceLifecycle } from "./rebalance-lifecycle.ts";

const spec = z.object({
  goals: z
    .array(z.string())
    .default([])
    .describe("What the proposal optimizes; all of Cruise Control's goals if empty."),
  autoApproval: z.boolean().default(false).describe("Carries a proposal out without a person's approval."),
});

/** A rebalance's spec. */
export type RebalanceSpec = z.output<typeof spec>;

export const KafkaRebalance = defineKind({
  group: "kafka.example.com",
  version: "v1",
  kind: "KafkaRebalance",
  spec,
  status: z.object({
    proposal: z.string().nullable().optional().describe("The id of the proposal at hand."),
  }),
  lifecycle: rebalanceLifecycle,
});
