// The operator: proposals and their execution are tasks, whose idempotency keys are the ids of the work at Cruise Control.
import { defineController, defineOperator } from "xstate-operator";
import { pollTask } from "xstate-operator/tasks";
import { type CruiseControl, cruiseControlAt } from "./cruise-control.ts";
import { KafkaRebalance } from "./rebalance.ts";

/** The operator of rebalances that this Cruise Control carries out. */
export function rebalanceOperator(cruiseControl: CruiseControl) {
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
  return defineOperator({
    name: "kafka-rebalance-operator",
    controllers: [
      defineController(KafkaRebalance, {
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
      }),
    ],
  });
}

export default rebalanceOperator(cruiseControlAt(process.env["CRUISE_CONTROL"] ?? "http://127.0.0.1:9090"));
