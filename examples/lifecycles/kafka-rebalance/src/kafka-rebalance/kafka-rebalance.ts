// The kind KafkaRebalance: what a proposal is to optimize, and who approves it.
import { defineKind } from "xstate-operator";
import { z } from "zod";
import { rebalanceLifecycle } from "./kafka-rebalance-lifecycle.ts";
import { rebalanceSpec } from "./kafka-rebalance-spec.ts";

export const KafkaRebalance = defineKind({
  group: "kafka.example.com",
  version: "v1",
  kind: "KafkaRebalance",
  spec: rebalanceSpec,
  status: z.object({
    proposal: z.string().nullable().optional().describe("The id of the proposal at hand."),
  }),
  lifecycle: rebalanceLifecycle,
});
