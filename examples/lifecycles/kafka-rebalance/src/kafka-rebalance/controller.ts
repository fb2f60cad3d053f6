// The controller of rebalances: proposals and their execution are tasks, whose idempotency keys are the ids of the work at Cruise
// Control.
import { defineController } from "xstate-operator";
import { pollTask } from "xstate-operator/tasks";
import type { CruiseControl } from "./cruise-control.ts";
import { KafkaRebalance } from "./kafka-rebalance.ts";

/** The controller of rebalances that this Cruise Control carries out. */
export function kafkaRebalanceController(cruiseControl: CruiseControl) {
  const work = {
    poll: async ({ key, signal }: { readonly key: string; readonly signal: AbortSignal }) => {
      const { state, message, ...rest } = await cruiseControl.progressOf(key, signal);
      if (state === "Completed") return { phase: "Succeeded" as const, output: key };
      if (state === "Running") return { phase: "Running" as const, ...rest };
      return { phase: "Failed" as const, message: message ?? `Cruise Control says ${state}` };
    },
    cancel: ({ key, signal }: { readonly key: string; readonly signal: AbortSignal }) =>
      cruiseControl.stop(key, signal),
  };
  return defineController(KafkaRebalance, {
    application: {
      observe: async ({ signal }) => ({
        state: (await cruiseControl.isAccepting(signal)) ? "Accepting" : "Unreachable",
      }),
      tasks: {
        propose: pollTask({
          start: ({ key, cr, signal }) => cruiseControl.propose(key, cr.spec.goals, signal),
          ...work,
        }),
        rebalance: pollTask({
          start: ({ key, input, signal }) => cruiseControl.execute(key, input.proposal, signal),
          ...work,
        }),
      },
      statusOf: ({ context }) => ({ proposal: (context["proposal"] ?? null) as string | null }),
    },
  });
}
