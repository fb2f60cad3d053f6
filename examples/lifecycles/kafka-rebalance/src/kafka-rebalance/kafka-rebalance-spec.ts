// What is declared of a rebalance of Kafka.
import { z } from "zod";

/** The schema of {@link RebalanceSpec}. */
export const rebalanceSpec = z.object({
  goals: z
    .array(z.string())
    .default([])
    .describe("What the proposal optimizes; all of Cruise Control's goals if empty."),
  autoApproval: z.boolean().default(false).describe("Carries a proposal out without a person's approval."),
});

/** A rebalance's spec. */
export type RebalanceSpec = z.output<typeof rebalanceSpec>;
