// The operator: proposals and their execution are tasks, whose idempotency keys are the ids of the work at Cruise Control.
import { defineController, defineOperator, type TaskObservation } from "xstate-operator";
import { type CruiseControl, cruiseControlAt, type Progress } from "./cruise-control.ts";
import { KafkaRebalance } from "./rebalance.ts";

/** The operator of rebalances that this Cruise Control carries out. */
export function rebalanceOperator(cruiseControl: CruiseControl) {
  const work = {
    observe: async ({ key, signal }: { readonly key: string; readonly signal: AbortSignal }) =>
      observationOf(await cruiseControl.progressOf(key, signal), key),
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
            propose: {
              start: ({ key, cr, signal }) => cruiseControl.propose(key, cr.spec.goals, signal),
              ...work,
            },
            rebalance: {
              start: ({ key, input, signal }) => cruiseControl.execute(key, input.proposal, signal),
              ...work,
            },
          },
          statusOf: ({ context }) => ({ proposal: (context["proposal"] ?? null) as string | null }),
        },
      }),
    ],
  });
}

function observationOf({ state, ...told }: Progress, id: string): TaskObservation {
  switch (state) {
    case "Unknown":
      return { phase: "NotFound" };
    case "Running":
      return { phase: "Running", ...told };
    case "Completed":
      return { phase: "Succeeded", output: id };
    case "Failed":
      return { phase: "Failed", message: told.message ?? "Cruise Control gives no reason" };
  }
}

export default rebalanceOperator(cruiseControlAt(process.env["CRUISE_CONTROL"] ?? "http://127.0.0.1:9090"));
