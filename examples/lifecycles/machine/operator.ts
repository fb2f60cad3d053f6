// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { machineController } from "./src/machine/controller.ts";
import { type Cloud, cloudAt } from "./src/machine/cloud.ts";

/** The operator, on this cloud. */
export function machineOperator(cloud: Cloud) {
  return defineOperator({ name: "machine-operator", controllers: [machineController(cloud)] });
}

export default machineOperator(cloudAt(process.env["CLOUD"] ?? "http://127.0.0.1:8088"));
