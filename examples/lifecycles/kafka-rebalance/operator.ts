// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { kafkaRebalanceController } from "./src/kafka-rebalance/controller.ts";
import { type CruiseControl, cruiseControlAt } from "./src/kafka-rebalance/cruise-control.ts";

/** The operator, on this Cruise Control. */
export function rebalanceOperator(cruiseControl: CruiseControl) {
  return defineOperator({
    name: "kafka-rebalance-operator",
    controllers: [kafkaRebalanceController(cruiseControl)],
  });
}

export default rebalanceOperator(cruiseControlAt(process.env["CRUISE_CONTROL"] ?? "http://127.0.0.1:9090"));
